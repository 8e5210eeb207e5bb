import type { Readiness } from '@sdd/contract/core/system.ts'
import { Refusal } from '#server/core/refusal.ts'
import type { Database } from '#server/database/open.ts'
import type { DiskSpace } from '#server/core/disk-space.ts'

/**
 * Whether the server accepts work, and with which restriction. Throws `not_ready` while it starts or stops and while
 * the disk fails, and `disk_full` if nothing can be written. If space is short, it is ready all the same: a proxy that
 * turned devices away would block the reports for which the remaining space is reserved. Without the devices' broker it
 * is ready too: people are served, and new messages wait.
 */
export function readinessOf(
  running: boolean,
  { db, diskSpace }: { db: Pick<Database, 'fault'>; diskSpace: Pick<DiskSpace, 'shortage'> },
  devices: { unreachable(): string | undefined },
): Readiness {
  if (!running) throw new Refusal('not_ready', 'The server is starting or stopping; try again soon.')
  const fault = db.fault()
  if (fault !== undefined) throw fault
  const shortage = diskSpace.shortage()
  if (shortage !== undefined) return { status: 'short_of_room', detail: shortage }
  const unreachable = devices.unreachable()
  return unreachable === undefined
    ? { status: 'ready' }
    : { status: 'broker_unreachable', detail: unreachable }
}
