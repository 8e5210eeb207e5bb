import type { Metrics } from '#server/core/metrics.ts'
import type { Database } from '#server/database/open.ts'
import type { DiskSpace } from '#server/core/disk-space.ts'

/** The metrics of the disk under the database. */
export function watchDisk(
  metrics: Metrics,
  { diskSpace, db }: { diskSpace: Pick<DiskSpace, 'freeBytes' | 'shortage'>; db: Pick<Database, 'fault'> },
): void {
  metrics.gauge(
    'sdd_disk_free_bytes',
    'Free space on the disk of the data folder; 0 if unknown',
    [],
    (set) => {
      set({}, diskSpace.freeBytes() ?? 0)
    },
  )
  metrics.gauge(
    'sdd_disk_short',
    '1 while new messages and tasks are refused because the disk is nearly full',
    [],
    (set) => {
      set({}, diskSpace.shortage() === undefined ? 0 : 1)
    },
  )
  metrics.gauge('sdd_storage_fault', '1 while nothing can be stored', [], (set) => {
    set({}, db.fault() === undefined ? 0 : 1)
  })
}
