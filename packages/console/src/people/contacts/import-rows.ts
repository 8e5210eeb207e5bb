import { dropSeparators } from '@sdd/contract/core/fields.ts'
import { ContactRow, type RowRefusal } from '@sdd/contract/people/contacts.ts'
import { nextBatch } from '#console/people/csv/batch.ts'
import type { CsvRow, CsvTable } from '#console/people/csv/csv.ts'
import { instantOf } from '#console/people/csv/instant.ts'
import { readRow, type ColumnChoice, type CsvTarget } from '#console/people/csv/mapping.ts'

/** What the columns of a file of contacts can give. Files of this product have the keys as titles. */
export const contactTargets: readonly CsvTarget[] = [
  { key: 'number', titles: [] },
  {
    key: 'name',
    titles: ['name', 'nombre', 'nombre completo', 'full name', 'cliente', 'customer', 'contacto'],
  },
  { key: 'lists', titles: ['lists', 'list', 'listas', 'lista', 'grupos', 'grupo', 'groups', 'group'] },
  { key: 'consent_how', titles: ['consent_how', 'consentimiento', 'consent', 'origen del consentimiento'] },
  {
    key: 'consent_given_at',
    titles: ['consent_given_at', 'fecha de consentimiento', 'fecha consentimiento', 'consent date'],
  },
]

/** What all rows get, in addition to their columns. */
export type ForAll = { lists: readonly string[]; consent_how: string }

/** Why a row is not imported. */
export type RefusalReason =
  | 'no_number'
  | 'shortened_number'
  | 'invalid_number'
  | 'repeated'
  | 'name'
  | 'fields'
  | 'lists'
  | 'consent'
  | 'invalid'

export type RefusedRow = { row: CsvRow; number: string; reason: RefusalReason }

/**
 * The rows of a file that can be contacts, and those that cannot. Of a number given twice the first row counts. With
 * 100,000 rows it takes one to two seconds.
 */
export function readContacts({ rows }: CsvTable, choices: readonly ColumnChoice[]) {
  const good: CsvRow[] = []
  const refused: RefusedRow[] = []
  const seen = new Set<string>()
  for (const row of rows) {
    const contact = contactOf(row, choices, NO_MORE)
    const key = dropSeparators(contact.number).replace(/^00/, '+')
    const reason = seen.has(key) && key !== '' ? ('repeated' as const) : faultOf(contact)
    if (reason) refused.push({ row, number: contact.number, reason })
    else {
      seen.add(key)
      good.push(row)
    }
  }
  return { good, refused }
}

const NO_MORE: ForAll = { lists: [], consent_how: '' }

export function contactOf(row: CsvRow, choices: readonly ColumnChoice[], forAll: ForAll): ContactRow {
  const { values, fields } = readRow(row, choices)
  const lists = [
    ...new Set([...(values['lists']?.split(';') ?? []), ...forAll.lists].map((one) => one.trim())),
  ]
  const given_at = values['consent_given_at']
  // A date without the way is no proof: then the row needs the way of all rows.
  const how = values['consent_how'] || forAll.consent_how.trim()
  return {
    number: values['number'] ?? '',
    ...(values['name'] !== undefined && { name: values['name'] }),
    ...(Object.keys(fields).length > 0 && { fields }),
    ...(lists.some((one) => one !== '') && { lists: lists.filter((one) => one !== '') }),
    ...(how !== '' && { consent: { how, ...(given_at !== undefined && { given_at: instantOf(given_at) }) } }),
  }
}

function faultOf(contact: ContactRow): RefusalReason | undefined {
  if (contact.number === '') return 'no_number'
  // A spreadsheet that takes a number for a quantity writes 3,46E+10.
  if (/^\d([.,]\d+)?e\+?\d+$/i.test(contact.number)) return 'shortened_number'
  if (!/^(\+\d{6,15}|\d{3,15})$/.test(dropSeparators(contact.number))) return 'invalid_number'
  const { error } = ContactRow.safeParse(contact)
  const part = error?.issues[0]?.path[0]
  if (error === undefined) return undefined
  return part === 'name' || part === 'fields' || part === 'lists' || part === 'consent' ? part : 'invalid'
}

/** The rows of a file to be imported, and how. */
export type ImportJob = {
  rows: readonly CsvRow[]
  choices: readonly ColumnChoice[]
  forAll: ForAll
  /** Absent for the user's own. */
  company: string | undefined
}

/** The contacts of the next call, from this row on. */
export function nextContacts(
  { rows, choices, forAll }: Omit<ImportJob, 'company'>,
  from: number,
): Promise<ContactRow[]> {
  return nextBatch(rows.length - from, (place) => contactOf(rows[from + place]!, choices, forAll))
}

/** The rows that the server refused, of a call that began with row `from`. */
export function refusedOf(
  { rows, choices, forAll }: Omit<ImportJob, 'company'>,
  from: number,
  refused: readonly RowRefusal[],
): RefusedRow[] {
  return refused.flatMap(({ row: place, code }) => {
    const row = rows[from + place - 1]
    return row ? [{ row, number: contactOf(row, choices, forAll).number, reason: code }] : []
  })
}
