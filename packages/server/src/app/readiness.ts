import type { Readiness } from '@sdd/contract/core/system.ts'
import { Refusal } from '#server/core/refusal.ts'
import type { Database } from '#server/database/open.ts'
import type { Room } from '#server/core/room.ts'

/**
 * How far the server takes work. Throws where it takes none: `not_ready` while it starts or stops and while the disk
 * fails, `disk_full` where nothing can be written. Short of room it is ready all the same: a proxy that turned devices
 * away then would keep out the reports that the rest of the room is for; and without the broker of the devices people are served, and what is handed in waits.
 */
export function readinessOf(
  running: boolean,
  { db, room }: { db: Pick<Database, 'fault'>; room: Pick<Room, 'shortage'> },
  devices: { unreachable(): string | undefined },
): Readiness {
  if (!running) throw new Refusal('not_ready', 'The server is starting or stopping; try again soon.')
  const fault = db.fault()
  if (fault !== undefined) throw fault
  const shortage = room.shortage()
  if (shortage !== undefined) return { status: 'short_of_room', detail: shortage }
  const unreachable = devices.unreachable()
  return unreachable === undefined
    ? { status: 'ready' }
    : { status: 'broker_unreachable', detail: unreachable }
}
