import type { Metrics } from '#server/core/metrics.ts'
import type { Database } from '#server/database/open.ts'
import { deviceStore } from './store.ts'

/** Adds the metrics that count the devices of all companies. */
export function watchDevices(metrics: Metrics, { db }: { db: Database }): void {
  const counted = () => deviceStore(db.readInWorker, 'all').countByStatus()
  metrics.gauge('sdd_devices', 'Linked devices', ['status'], async (set) => {
    for (const { status, count } of await counted()) set({ status }, count)
  })
  metrics.gauge(
    'sdd_quarantined_devices',
    'Linked devices in quarantine, or without a sent message since its end',
    [],
    async (set) => {
      set({}, await deviceStore(db.readInWorker, 'all').countQuarantined())
    },
  )
  metrics.gauge('sdd_queue_depth', 'Messages that wait for a device', [], async (set) => {
    const rows = await counted()
    set(
      {},
      rows.reduce((sum, { queued }) => sum + queued, 0),
    )
  })
}
