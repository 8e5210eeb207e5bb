import { HttpError } from './errors.ts'

const MAX_FIELDS = 1_000

/**
 * Reads `application/x-www-form-urlencoded` in UTF-8: a query, or the body of a form. A repeated name has an array.
 * Throws `malformed` for an escape that is incomplete or not UTF-8, or more than 1,000 fields.
 */
export function readUrlencoded(text: string): Record<string, string | string[]> {
  const written = text.split('&', MAX_FIELDS + 1)
  if (written.length > MAX_FIELDS)
    throw new HttpError('malformed', `There are more than ${MAX_FIELDS} fields.`)
  const fields = new Map<string, string | string[]>()
  for (const field of written) {
    if (field === '') continue
    const equals = field.indexOf('=')
    const name = decode(equals < 0 ? field : field.slice(0, equals))
    const value = equals < 0 ? '' : decode(field.slice(equals + 1))
    const earlier = fields.get(name)
    fields.set(name, earlier === undefined ? value : [earlier, value].flat())
  }
  return Object.fromEntries(fields)
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw new HttpError('malformed', 'A percent-encoding is not valid UTF-8.')
  }
}
