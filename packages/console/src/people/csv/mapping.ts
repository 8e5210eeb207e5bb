import { FIELD_NAME } from '@sdd/contract/people/template-text.ts'
import { foldText } from '#console/ui/fold.ts'
import { looksLikeNumber, type CsvRow, type CsvTable } from './csv.ts'

/** A part of a row that a column can give, and the titles by which it is known. */
export type CsvTarget = { key: string; titles: readonly string[] }

/** What each column gives: the key of a target, a field by its name, or nothing. */
export type ColumnChoice = string
export const SKIPPED: ColumnChoice = ''
const FIELD = 'field:'

export function fieldChoice(name: string): ColumnChoice {
  return `${FIELD}${name}`
}

/** The field that a choice gives. */
export function fieldOf(choice: ColumnChoice): string | undefined {
  return choice.startsWith(FIELD) ? choice.slice(FIELD.length) : undefined
}

/** The rows that decide what a column contains. */
const SAMPLE_ROWS = 100

/** Titles of a phone number, in Spanish and English. */
const NUMBER_TITLES = [
  'number',
  'numero',
  'telefono',
  'tel',
  'tfno',
  'movil',
  'celular',
  'phone',
  'phone number',
  'mobile',
  'mobile number',
  'msisdn',
  'to',
]

/** Columns of this product's own files that are no data of a person. */
const OUR_OWN = ['consent_by', 'opted_out', 'updated_at', 'fila', 'row', 'motivo', 'reason']

/** Guesses what each column gives, by its title and contents. A column without a title gives no field. */
export function guessMapping(
  table: CsvTable,
  targets: readonly CsvTarget[],
  mostFields: number,
): ColumnChoice[] {
  const number = numberColumn(table)
  const names = new Set<string>()
  const used = new Set<string>()
  return table.titles.map((title, column) => {
    if (column === number) return 'number'
    const plain = plainTitle(title)
    const target = targets.find(({ key, titles }) => !used.has(key) && titles.includes(plain))
    if (target) {
      used.add(target.key)
      return target.key
    }
    if (title === '' || OUR_OWN.includes(title) || names.size >= mostFields) return SKIPPED
    const name = fieldName(title, names)
    names.add(name)
    return fieldChoice(name)
  })
}

/** The column with most numbers; between equals, one with the title of a number. */
function numberColumn({ titles, rows }: CsvTable): number | undefined {
  const some = rows.slice(0, SAMPLE_ROWS)
  const shares = titles.map((title, column) => {
    const filled = some.filter(({ cells }) => (cells[column] ?? '') !== '').length
    const numbers = some.filter(({ cells }) => looksLikeNumber(cells[column] ?? '')).length
    const titled = NUMBER_TITLES.includes(plainTitle(title))
    return (filled === 0 ? 0 : numbers / filled) + (titled ? 1 : 0)
  })
  const best = shares.indexOf(Math.max(...shares))
  return best >= 0 && shares[best]! >= 0.5 ? best : undefined
}

/** A title without case, accents, dots and surplus blanks. */
function plainTitle(title: string): string {
  return foldText(title).replace(/[.:]/g, '').replace(/\s+/g, ' ').trim()
}

/** A name for a field, from a title. It is none of those taken. */
export function fieldName(title: string, taken: ReadonlySet<string>): string {
  const plain = title
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}_]+/gu, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, 36)
  const named = FIELD_NAME.test(plain) ? plain : `_${plain}`
  const isFree = (name: string) => !taken.has(name) && name !== 'name' && name !== 'number'
  if (isFree(named)) return named
  for (let n = 2; ; n++) if (isFree(`${named}_${n}`)) return `${named}_${n}`
}

/** What a row gives: the text of each target, and of each field that has one. */
export function readRow({ cells }: CsvRow, choices: readonly ColumnChoice[]) {
  const values: Partial<Record<string, string>> = {}
  const fields: Record<string, string> = {}
  for (const [column, choice] of choices.entries()) {
    const text = cells[column] ?? ''
    if (choice === SKIPPED || text === '') continue
    const field = fieldOf(choice)
    if (field === undefined) values[choice] = text
    else fields[field] = text
  }
  return { values, fields }
}
