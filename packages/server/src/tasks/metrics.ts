import type { Metrics } from '#server/core/metrics.ts'
import type { Database } from '#server/database/open.ts'
import { countWaiting } from '#server/dispatch/lanes/store.ts'

/** Adds the metrics that count the tasks of all companies. */
export function watchTasks(metrics: Metrics, { db }: { db: Database }): void {
  metrics.gauge(
    'sdd_waiting_tasks',
    'Tasks that no device has, by lane: any device, a SIM, the last device of the number, or later',
    ['lane'],
    async (set) => {
      for (const { lane, waiting } of await countWaiting(db.readInWorker)) set({ lane }, waiting)
    },
  )
}
