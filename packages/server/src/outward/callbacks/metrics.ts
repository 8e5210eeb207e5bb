import type { Clock } from '#server/core/clock.ts'
import type { Metrics } from '#server/core/metrics.ts'
import type { Database } from '#server/database/open.ts'
import { dueStore } from './due.store.ts'

/** Adds the metrics that count the callbacks of all companies. */
export function watchCallbacks(metrics: Metrics, { db, clock }: { db: Database; clock: Clock }): void {
  const totals = () => dueStore(db.readInWorker).totals()
  metrics.gauge('sdd_callbacks', 'Callbacks that are waiting or were given up', ['state'], async (set) => {
    const { waiting, dead } = await totals()
    set({ state: 'waiting' }, waiting)
    set({ state: 'dead' }, dead)
  })
  metrics.gauge('sdd_callbacks_oldest_seconds', 'Age of the oldest waiting callback', [], async (set) => {
    const { oldest } = await totals()
    set({}, oldest === null ? 0 : Math.max(0, (clock.now() - Date.parse(oldest)) / 1000))
  })
}
