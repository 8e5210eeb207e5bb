import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Metrics } from './metrics.ts'

/** The sampling interval. Shorter delays do not count. */
const RESOLUTION_MS = 10

/**
 * Exports how long the event loop was blocked since this call. The event loop metrics of prom-client restart at each
 * reading, so two readers each miss the delays that the other one saw.
 */
export function watchEventLoop(metrics: Metrics): void {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delay.enable()
  metrics.gauge(
    'sdd_event_loop_delay_seconds',
    'How long the event loop was blocked since the server became ready; quantile 1 is the longest',
    ['quantile'],
    (set) => {
      for (const quantile of ['0.5', '0.99', '1']) {
        const waited_ms = delay.percentile(Number(quantile) * 100) / 1e6
        set({ quantile }, Math.max(0, waited_ms - RESOLUTION_MS) / 1_000)
      }
    },
  )
}
