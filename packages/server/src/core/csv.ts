/** A line of a CSV file, after RFC 4180; null is an empty cell. */
export function csvLine(cells: readonly (string | number | null)[]): string {
  return `${cells.map(quoted).join(',')}\r\n`
}

/** Without it, Excel reads UTF-8 as the machine's own code page. */
export const BYTE_ORDER_MARK = '\uFEFF'

/**
 * A phone number keeps its form, including its plus. A spreadsheet reads a plus and digits as a number, never as a
 * formula. With an apostrophe before it, no program could dial it. Other texts are escaped.
 */
export function escapeUnlessNumber(text: string): string {
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

function quoted(cell: string | number | null): string {
  const text = String(cell ?? '')
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
