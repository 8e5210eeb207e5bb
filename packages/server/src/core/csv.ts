/** A line of a CSV file as RFC 4180 has it; null is an empty cell. */
export function csvLine(cells: readonly (string | number | null)[]): string {
  return `${cells.map(quoted).join(',')}\r\n`
}

/**
 * A text that no spreadsheet takes for a formula: one that begins as they do gets an apostrophe, which Excel and its
 * like read as "what follows is text" (OWASP, CSV injection).
 */
export function harmless(text: string): string {
  return /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text
}

function quoted(cell: string | number | null): string {
  const text = String(cell ?? '')
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
