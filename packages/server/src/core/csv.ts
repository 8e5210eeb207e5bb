/** A line of a CSV file as RFC 4180 has it; null is an empty cell. */
export function csvLine(cells: readonly (string | number | null)[]): string {
  return `${cells.map(quoted).join(',')}\r\n`
}

/**
 * A text that no spreadsheet takes for a formula: a sign that formulas begin with gets an apostrophe before it, which
 * Excel and its like read as "what follows is text" (OWASP ASVS 5.0, 1.2.10). Each piece of the text counts, as some
 * programs begin a cell at each semicolon, comma, tab or line break, whatever the quotes, and drop blanks and quotes.
 * Signs inside a piece stay as they are. So does a sign that has its apostrophe already.
 */
export function harmless(text: string): string {
  return text.replace(FORMULA, `'`)
}

// Some drop a NUL, and what follows it then comes first.
const FIRST = String.raw`^(?=[\t\r\n\0])`
const SIGN = String.raw`(?=[=+\-@＝＋－＠])`
/** Blanks, invisible characters and quotes since the piece began. */
const BEFORE = String.raw`(?<=(?:^|[;,\t\r\n])[\s\p{Cf}"'‘’“”«»]*)(?<!')`
const FORMULA = new RegExp(`${FIRST}|${SIGN}${BEFORE}`, 'gu')

function quoted(cell: string | number | null): string {
  const text = String(cell ?? '')
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
