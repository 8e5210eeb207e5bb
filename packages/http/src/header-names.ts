import type { IncomingMessage } from 'node:http'

/** Whether the request repeats this header (name in lower case). Node keeps only the first. */
export function hasTwice({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>, name: string): boolean {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const other = rawHeaders[at]!
    if (other.length === name.length && other.toLowerCase() === name) count++
  }
  return count > 1
}
