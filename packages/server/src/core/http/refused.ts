import type { Logger } from 'pino'
import type { Metrics } from '#server/core/metrics.ts'
import { openSparing } from '#server/core/sparing.ts'
import type { Cut } from './connections.ts'

/** Why a connection ended before, or without, a request that could be answered: by a limit, or for no valid HTTP. */
export type Refused = Cut | 'malformed' | 'too_slow' | 'headers_too_large'

/** Counts and, sparingly, logs what no request stands for: its address and the reason, nothing that the client wrote. */
export function openRefused(log: Pick<Logger, 'info' | 'debug'>, metrics: Pick<Metrics, 'counter'>) {
  const count = metrics.counter(
    'sdd_http_refused_total',
    'HTTP connections that a limit ended, or that spoke no valid HTTP',
    ['why'],
  )
  const sparing = openSparing()
  return (why: Refused, address: string): void => {
    count.inc({ why })
    const { level, unsaid } = sparing(why)
    log[level]({ why, address, unsaid }, 'An HTTP connection was refused')
  }
}
