type Cell = string | number | null | undefined

/** A column whose texts are escaped. Those of a `number` are escaped by `escapeUnlessNumber`. */
export type CsvColumn<Row> = readonly [title: string, read: (row: Row) => Cell, kind?: 'number']

/** The beginning of a CSV file: its byte order mark and its titles. */
export function csvHead(columns: readonly (readonly [title: string, ...unknown[]])[]): string {
  return BYTE_ORDER_MARK + csvLine(columns.map(([title]) => escapeFormula(title)))
}

export function csvRow<Row>(columns: readonly CsvColumn<Row>[], row: Row): string {
  return csvLine(
    columns.map(([, read, kind]) => {
      const cell = read(row)
      if (typeof cell !== 'string') return cell
      return kind === 'number' ? escapeUnlessNumber(cell) : escapeFormula(cell)
    }),
  )
}

/** A line of a CSV file, after RFC 4180; null is an empty cell. */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(quoted).join(',')}\r\n`
}

/** Without it, Excel reads UTF-8 as the machine's own code page. */
const BYTE_ORDER_MARK = '\uFEFF'

/**
 * A phone number keeps its form, including its plus. A spreadsheet reads a plus and digits as a number, never as a
 * formula. With an apostrophe before it, no program could dial it. Other texts are escaped.
 */
function escapeUnlessNumber(text: string): string {
  return /^\+?\d+$/.test(text) ? text : escapeFormula(text)
}

/**
 * Escapes a text so that no spreadsheet reads it as a formula. A sign that can begin a formula gets an apostrophe
 * before it, which Excel and similar programs read as "text follows" (OWASP ASVS 5.0, 1.2.10). Each piece of the text
 * is escaped: some programs begin a cell at each semicolon, comma, tab or line break, even inside quotes, and drop
 * blanks and quotes. Signs inside a piece stay as they are, and so do signs that already have their apostrophe.
 */
export function escapeFormula(text: string): string {
  return text.replace(FORMULA, `'`)
}

// Some programs drop a NUL, so the character after it becomes the first.
const FIRST = String.raw`^(?=[\t\r\n\0])`
const SIGN = String.raw`(?=[=+\-@＝＋－＠])`
/** Blanks, invisible characters and quotes since the piece began. */
const BEFORE = String.raw`(?<=(?:^|[;,\t\r\n])[\s\p{Cf}"'‘’“”«»]*)(?<!')`
const FORMULA = new RegExp(`${FIRST}|${SIGN}${BEFORE}`, 'gu')

function quoted(cell: Cell): string {
  const text = String(cell ?? '')
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
