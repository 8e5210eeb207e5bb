import type { Socket } from 'node:net'
import { errorStatus } from '@sdd/contract/core/errors.ts'
import type { Routed } from '@sdd/http/http-server.ts'
import type { ConnectionFault } from '@sdd/http/node-server.ts'
import type { Logger } from 'pino'
import { addressOf } from '#server/core/address.ts'
import type { Metrics } from '#server/core/metrics.ts'
import { openSparing } from '#server/core/sparing.ts'
import { nameRequest, patternOf, type ServedRoute } from './error-answer.ts'

/** Not ready, and no room, are no fault of the request: each has a log line of its own, and a log must not fill a full disk. */
const LOGGED_ELSEWHERE = new Set<number>([errorStatus.not_ready, errorStatus.disk_full])

/** Counts and logs each request that has its answer, and each connection that ended without one. */
export function openRequestMetrics(
  log: Pick<Logger, 'debug' | 'info' | 'warn' | 'isLevelEnabled'>,
  metrics: Pick<Metrics, 'counter' | 'histogram'>,
) {
  const seconds = metrics.histogram(
    'sdd_http_request_seconds',
    'From the headers of a request until its answer left',
    {
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
      labels: ['method', 'route', 'status'],
    },
  )
  const faults = metrics.counter(
    'sdd_http_refused_total',
    'HTTP connections that a limit ended, or that spoke no valid HTTP',
    ['why'],
  )
  const sparing = openSparing()
  return {
    onAnswered(routed: Routed<ServedRoute>, status: number, ms: number): void {
      const labels = {
        method: routed.request.method!,
        route: patternOf(routed.route),
        status: String(status),
      }
      seconds.observe(labels, ms / 1_000)
      const level = status >= 500 && !LOGGED_ELSEWHERE.has(status) ? 'warn' : 'debug'
      if (!log.isLevelEnabled(level)) return
      log[level]({ ...nameRequest(routed), status, ms: Math.round(ms) }, 'Request')
    },
    /** Logs sparingly: the address and the reason, nothing that the client wrote. */
    onFault(why: ConnectionFault, socket: Socket): void {
      faults.inc({ why })
      const { level, unsaid } = sparing(why)
      log[level]({ why, address: addressOf(socket), unsaid }, 'An HTTP connection was refused')
    },
  }
}
