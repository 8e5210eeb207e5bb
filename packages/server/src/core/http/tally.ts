import type { IncomingMessage } from 'node:http'
import { errorStatus } from '@sdd/contract/core/errors.ts'
import type { Logger } from 'pino'
import type { Metrics } from '#server/core/metrics.ts'
import { type Named, requestId } from './named.ts'

const SAID = new Set([errorStatus.not_ready, errorStatus.disk_full] as number[])

/** Counts and logs a request that has its answer, `ms` after its headers. */
export type Tally = (request: IncomingMessage, named: Named, status: number, ms: number) => void

export function openTally(
  log: Pick<Logger, 'debug' | 'warn' | 'isLevelEnabled'>,
  metrics: Pick<Metrics, 'histogram'>,
): Tally {
  const seconds = metrics.histogram(
    'sdd_http_request_seconds',
    'From the headers of a request until its answer left',
    {
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
      labels: ['method', 'route', 'status'],
    },
  )
  return (request, { method, route }, status, ms) => {
    seconds.observe(ms / 1_000, method, route, String(status))
    // Not ready, and no room, are no fault of the request: they have been said once, and the log shall not fill a full disk.
    const level = status >= 500 && !SAID.has(status) ? 'warn' : 'debug'
    if (!log.isLevelEnabled(level)) return
    log[level]({ request_id: requestId(request), method, route, status, ms: Math.round(ms) }, 'Request')
  }
}
