/** `10 418`: groups set apart by a thin space that does not break, as Spanish wants it. */
export function figure(value: number): string {
  return value < 10_000 ? String(value) : String(value).replace(/\B(?=(\d{3})+$)/g, '\u202f')
}
