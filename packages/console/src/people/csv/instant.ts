/**
 * A time of a file as ISO 8601. Days are read as 2026-01-31 or 31/01/2026, a time as 9:30 after them, in the browser's
 * zone. Other texts stay.
 */
export function instantOf(text: string): string {
  const [written = '', date = '', time = ''] = /^(\S+?)(?:[T ,]\s*(\d\d?:\d\d(?::\d\d)?))?$/.exec(text) ?? []
  const [, year, month, day] = /^(\d{4})-(\d\d?)-(\d\d?)$/.exec(date) ?? []
  const [, day2, month2, year2] = /^(\d\d?)[/.-](\d\d?)[/.-](\d{4})$/.exec(date) ?? []
  const parts = [year ?? year2, month ?? month2, day ?? day2].map(Number)
  if (written === '' || parts.some(Number.isNaN)) return text
  const [y = 0, m = 0, d = 0] = parts
  const [hours = 0, minutes = 0, secs = 0] = time === '' ? [] : time.split(':').map(Number)
  if (hours > 23 || minutes > 59 || secs > 59) return text
  const at = new Date(y, m - 1, d, hours, minutes, secs)
  // A day that the calendar does not have, such as 31/02, would become another one.
  return at.getMonth() === m - 1 && at.getDate() === d ? at.toISOString() : text
}
