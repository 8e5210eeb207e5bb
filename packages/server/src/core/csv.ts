/** A line of a CSV file as RFC 4180 has it; null is an empty cell. */
export function csvLine(cells: readonly (string | number | null)[]): string {
  return `${cells.map(quoted).join(',')}\r\n`
}

/**
 * A text that no spreadsheet takes for a formula: one that begins as they do gets an apostrophe, which Excel and its
 * like read as "what follows is text" (OWASP ASVS 5.0, 1.2.10). So does what stands behind a semicolon, a tab or a line
 * break: a program whose locale parts cells by semicolons sees a cell begin there, as it heeds no quotes within one.
 */
export function harmless(text: string): string {
  return text.replace(FORMULA, `'`)
}

// A NUL is dropped by some, and what follows it then comes first.
const FORMULA = /^(?=[=+\-@\t\r\n\0＝＋－＠])|(?<=[;\t\r\n])(?=[=+\-@＝＋－＠])/g

function quoted(cell: string | number | null): string {
  const text = String(cell ?? '')
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
