import type { Metrics } from '#server/core/metrics.ts'
import type { Database } from '#server/database/open.ts'
import type { Room } from '#server/core/room.ts'

/** The metrics of the disk under the database. */
export function watchDisk(
  metrics: Metrics,
  { room, db }: { room: Pick<Room, 'freeBytes' | 'shortage'>; db: Pick<Database, 'fault'> },
): void {
  metrics.gauge(
    'sdd_disk_free_bytes',
    'Free space on the disk of the data folder; 0 if unknown',
    [],
    (set) => {
      set({}, room.freeBytes() ?? 0)
    },
  )
  metrics.gauge(
    'sdd_disk_short',
    '1 while new messages and tasks are refused because the disk is nearly full',
    [],
    (set) => {
      set({}, room.shortage() === undefined ? 0 : 1)
    },
  )
  metrics.gauge('sdd_storage_fault', '1 while nothing can be stored', [], (set) => {
    set({}, db.fault() === undefined ? 0 : 1)
  })
}
