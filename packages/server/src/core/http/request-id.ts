import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

const ids = new WeakMap<IncomingMessage, string>()

/** Names this request to its client and in the log. Made when it is first asked for: most requests need none. */
export function requestId(request: IncomingMessage): string {
  return ids.getOrInsertComputed(request, () => randomUUID())
}
