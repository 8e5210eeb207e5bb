import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'

/** Method and pattern of a request, as figures and log lines name it: never the path itself or a query. */
export type Named = { readonly method: string; readonly route: string }

export function nameOf({ method, routeOptions }: FastifyRequest): Named {
  return { method, route: routeOptions.url ?? 'none' }
}

const ids = new WeakMap<IncomingMessage, string>()

/** What names this one request to who asks and in the log. Most are never asked for theirs. */
export function requestId(request: IncomingMessage): string {
  return ids.getOrInsertComputed(request, () => randomUUID())
}
