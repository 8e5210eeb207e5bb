import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Metrics } from './metrics.ts'

/** How often the loop is looked at: less than this is no delay. */
const RESOLUTION_MS = 10

/**
 * For how long everything in this process had to wait for its turn, from now on until the figures are read. Those of
 * prom-client begin anew at each reading, so of two readers each misses what the other one saw.
 */
export function watchEventLoop(metrics: Metrics): void {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delay.enable()
  metrics.gauge(
    'sdd_event_loop_delay_seconds',
    'How long the event loop was blocked since the server is ready; quantile 1 is the longest',
    ['quantile'],
    (set) => {
      for (const quantile of ['0.5', '0.99', '1']) {
        const waited_ms = delay.percentile(Number(quantile) * 100) / 1e6
        set({ quantile }, Math.max(0, waited_ms - RESOLUTION_MS) / 1_000)
      }
    },
  )
}
