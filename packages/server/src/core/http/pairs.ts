import { Refusal } from '#server/core/refusal.ts'

/** More than any form or query of the contract has. */
const MAX_PAIRS = 1_000

/**
 * Reads `application/x-www-form-urlencoded` in UTF-8: a query, or the body of a form. A name that is given more than
 * once has an array, which no schema takes. `malformed` where an escape is not UTF-8 or not complete.
 */
export function readPairs(text: string): Record<string, string | string[]> {
  const written = text.split('&', MAX_PAIRS + 1)
  if (written.length > MAX_PAIRS) throw new Refusal('malformed', `There are more than ${MAX_PAIRS} fields.`)
  const pairs = new Map<string, string | string[]>()
  for (const pair of written) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const name = decode(equals < 0 ? pair : pair.slice(0, equals))
    const value = equals < 0 ? '' : decode(pair.slice(equals + 1))
    const earlier = pairs.get(name)
    pairs.set(name, earlier === undefined ? value : [earlier, value].flat())
  }
  return Object.fromEntries(pairs)
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw new Refusal('malformed', 'A percent-encoding is not valid UTF-8.')
  }
}
