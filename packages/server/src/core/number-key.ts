/** So many of the last digits tell numbers apart: what comes before them is written in many ways, or not at all. */
const TELLING = 9

/**
 * What of a phone number tells it from others, however it is written: its last 9 digits, or all where it has fewer.
 * `+34 600 111 222`, `0034600111222` and `600111222` are one.
 */
export function numberKey(number: string): string {
  return number.replace(/\D/g, '').slice(-TELLING)
}
