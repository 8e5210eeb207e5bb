/** As many digits as tell two subscribers of one country apart. */
const TELLING_DIGITS = 9
/** What has fewer digits is a short code, and is the same only as a whole. */
const SHORTEST_NUMBER = 7

/**
 * Whether two numbers may be the same one in another form: +34600111222, 0034600111222 and 600111222 are. Networks
 * write the number in a delivery report as they like.
 */
export function sameNumber(one: string, other: string): boolean {
  const [a, b] = [digitsOf(one), digitsOf(other)]
  const shorter = Math.min(a.length, b.length)
  if (shorter < SHORTEST_NUMBER) return a === b && a !== ''
  const telling = Math.min(shorter, TELLING_DIGITS)
  return a.slice(-telling) === b.slice(-telling)
}

function digitsOf(number: string): string {
  return number.replace(/\D/g, '')
}
