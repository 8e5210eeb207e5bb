export const contactImport = {
  title: 'Import contacts',
  back: 'Contacts',
  intro:
    'The file is read in this browser. Importing it again duplicates nothing: it only changes what differs.',
  targets: {
    number: 'Number',
    name: 'Name',
    lists: 'Lists',
    consent_how: 'Consent: how',
    consent_given_at: 'Consent: when',
  },
  noNumber: 'No column gives the number: choose one under “Columns”. Without it nothing can be imported.',
  tooManyFields: (count: number, most: number) =>
    `You chose ${count} fields, and a contact has at most ${most}: keep those that you need.`,
  leftOut: (count: number) =>
    `${count === 1 ? '1 column is not imported' : `${count} columns are not imported`}: choose those that you need.`,
  forAll: 'For all rows',
  addLists: 'Add to the lists',
  addListsHint: 'Separated by semicolons.',
  listsWrong: (most: number) => `At most ${most} lists of up to 60 characters.`,
  consentAll: 'How they gave their consent to marketing',
  consentAllHint:
    'Empty: none is recorded. It is recorded where there is none yet. Type it only if all of these people gave it.',
  howWrong: 'At most 200 characters.',
  preview: 'How the first rows will be',
  line: 'Row',
  fields: 'Fields',
  consent: 'Consent',
  problem: 'Problem',
  start: (count: string) => (count === '1' ? 'Import 1 row' : `Import ${count} rows`),
  nothing: 'No row can be imported: see the reasons, and correct the file or the columns.',
  willRefuse: (count: string) =>
    count === '1' ? '1 row cannot be imported:' : `${count} rows cannot be imported:`,
  running: 'Importing…',
  progress: (done: string, total: string) => `${done} of ${total === '1' ? '1 row' : `${total} rows`}`,
  stop: 'Cancel',
  stopHint: 'What was imported stays.',
  done: 'The import has finished',
  stopped: (done: string, total: string) =>
    `Cancelled: ${done} of ${total === '1' ? '1 row' : `${total} rows`} were imported, the others were not. You can continue, or import the file again.`,
  broken: (done: string, total: string) =>
    `The import was interrupted at ${done} of ${total === '1' ? '1 row' : `${total} rows`}. Continue: what was stored is not repeated.`,
  leftHalf: (done: string, total: string) =>
    `The import stopped at ${done} of ${total === '1' ? '1 row' : `${total} rows`}. Import the file again: what was stored is not repeated.`,
  failed: 'The server could not store these rows.',
  resume: 'Continue',
  counts: { added: 'added', changed: 'changed', unchanged: 'unchanged', refused: 'refused' },
  refused: 'Rows that were not imported',
  reason: 'Reason',
  saveRefused: 'Download as CSV',
  refusedShown: (shown: string, total: string) => `${shown} of ${total} are shown; the file has all.`,
  refusedName: 'refused-rows.csv',
  see: 'See the contacts',
  reasons: {
    no_number: 'The row has no number.',
    shortened_number:
      'The spreadsheet shortened the number: format the column as text, type the number, and save the CSV again.',
    invalid_number: 'This cannot be a phone number: write it with + and its country code.',
    repeated: 'The number is in an earlier row, which counts.',
    name: 'The name exceeds 100 characters, or has characters that cannot be seen.',
    fields: 'A field exceeds 200 characters, or there are more than 30.',
    lists: 'There are more than 50 lists, or one exceeds 60 characters.',
    consent: 'The consent exceeds 200 characters, or its date is unclear: write 2026-01-31 or 31/01/2026.',
    invalid:
      'With this row the contact would have more than 30 fields or 50 lists, or its consent is in the future.',
  },
}
