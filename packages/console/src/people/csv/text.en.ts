export const csv = {
  file: 'File',
  choose: 'Choose a CSV',
  drop: 'or drop it here. With a column of phone numbers.',
  reading: 'Reading the file…',
  rows: (name: string, rows: string, columns: number) =>
    `${name}: ${rows === '1' ? '1 row' : `${rows} rows`}, ${columns === 1 ? '1 column' : `${columns} columns`}`,
  layout: 'How it is read',
  encoding: 'Encoding',
  encodings: { 'utf-8': 'UTF-8', 'windows-1252': 'Windows-1252', 'utf-16le': 'UTF-16' },
  separator: 'Separator',
  separators: { ',': 'Comma ,', ';': 'Semicolon ;', '\t': 'Tab', '|': 'Bar |' },
  titled: 'The first row has the titles',
  garbled: 'Some letters cannot be read: try another encoding.',
  formulas: (count: string) =>
    `${count === '1' ? '1 cell begins with “=”: it is' : `${count} cells begin with “=”: they are`} kept as text, not calculated. For the result, save the CSV with values.`,
  unclosed: (line: number) =>
    `In row ${line} a quote opens that is never closed, and the rest of the file is in that cell. Correct it and choose the file again.`,
  faults: {
    too_large: (name: string, size: string, most: string) =>
      `${name} has ${size} MB and the most is ${most} MB: divide it into several files. Nothing was sent.`,
    empty: (name: string) => `${name} has no rows: check that it is the right file.`,
    workbook: (name: string) => `${name} is a workbook of a spreadsheet: open it and save it as “CSV UTF-8”.`,
    binary: (name: string) => `${name} is no text file: save it as CSV.`,
    too_wide: (name: string, _: string, most: string) =>
      `${name} has more than ${most} columns: keep only those that are needed, or change the separator.`,
    unreadable: (name: string) => `${name} could not be read: choose it again.`,
  },
  columns: 'Columns',
  column: (n: number) => `Column ${n}`,
  gives: (column: string) => `What ${column} contains`,
  skipped: 'Not imported',
  field: (name: string) => `Field “${name}”`,
  noExamples: 'empty',
}
