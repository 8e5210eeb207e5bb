import type { Metrics } from '#server/core/metrics.ts'
import type { Database } from '#server/database/open.ts'
import { countUnfinished } from './store.ts'

/** Adds the metrics that count the messages of all companies. */
export function watchMessages(metrics: Metrics, { db }: { db: Database }): void {
  metrics.gauge('sdd_unfinished_messages', 'Messages that are not finished', ['state'], async (set) => {
    for (const { state, count } of await countUnfinished(db.readInWorker)) set({ state }, count)
  })
}
