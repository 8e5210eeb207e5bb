import { errorStatus } from '@sdd/contract/errors.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { Metrics } from '#server/core/metrics.ts'
import { nameOf } from './refuse.ts'

const SAID = new Set([errorStatus.not_ready, errorStatus.disk_full] as number[])

/** Counts and logs a request that has its answer: what was asked by its pattern alone, as a path may hold a name. */
export function openTally(log: Pick<Logger, 'debug' | 'warn'>, metrics: Pick<Metrics, 'histogram'>) {
  const seconds = metrics.histogram(
    'sdd_http_request_seconds',
    'From the headers of a request until its answer left',
    {
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
      labels: ['method', 'route', 'status'],
    },
  )
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const name = nameOf(request)
    seconds.observe({ ...name, status: reply.statusCode }, reply.elapsedTime / 1_000)
    const entry = {
      request_id: request.id,
      ...name,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
    }
    // Not ready, and no room, are no fault of the request: they have been said once, and the log shall not fill a full disk.
    if (reply.statusCode >= 500 && !SAID.has(reply.statusCode)) log.warn(entry, 'Request')
    else log.debug(entry, 'Request')
    done()
  }
}
