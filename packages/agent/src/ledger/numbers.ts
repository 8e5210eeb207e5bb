/** Enough digits to tell two subscribers of one country apart. */
const TELLING_DIGITS = 9
/** A number with fewer digits is a short code, which must match completely. */
const SHORTEST_NUMBER = 7

/**
 * Whether two numbers may be forms of the same number, as +34600111222, 0034600111222 and 600111222 are. Networks write
 * the number in a delivery report in any form.
 */
export function sameNumber(first: string, second: string): boolean {
  const [a, b] = [digitsOf(first), digitsOf(second)]
  const shorter = Math.min(a.length, b.length)
  if (shorter < SHORTEST_NUMBER) return a === b && a !== ''
  const compared = Math.min(shorter, TELLING_DIGITS)
  return a.slice(-compared) === b.slice(-compared)
}

function digitsOf(number: string): string {
  return number.replace(/\D/g, '')
}
