import type { PresenceStretch } from '@sdd/contract/insight/device-detail.ts'
import { type Clock, DAY_MS, instant } from '#server/core/clock.ts'
import type { Database } from '#server/database/open.ts'
import { presenceHistory } from '#server/fleet/devices/presence.store.ts'
import { stretchesOf } from './stretches.ts'

type Needs = { db: Pick<Database, 'read'>; clock: Clock }

/** The presence of devices is kept this long. */
export const KEEP_MS = 30 * DAY_MS
/** The most changes in one answer. A device with more seldom stays connected. */
const MOST_CHANGES = 5_000

/**
 * When the device was connected between these times. Begins with its link at the earliest, or 30 days ago, or with the
 * oldest of its last 5,000 changes.
 */
export async function readPresence(
  { db, clock }: Needs,
  device: { id: number; created_at: string },
  { from, to }: { from: string; to: string },
): Promise<PresenceStretch[]> {
  const now_ms = clock.now()
  const oldest = latest(device.created_at, instant(now_ms - KEEP_MS))
  const [begin, end] = [latest(from, oldest), earliest(to, instant(now_ms))]
  if (begin >= end) return []
  const store = presenceHistory(db.read)
  const changes = (await store.changes(device.id, begin, end, MOST_CHANGES)).reverse()
  const first = changes.length < MOST_CHANGES ? begin : latest(begin, changes[0]!.at)
  return stretchesOf({ changes, gaps: await store.gaps(first, end) }, first, end)
}

function latest(one: string, other: string): string {
  return one > other ? one : other
}

function earliest(one: string, other: string): string {
  return one < other ? one : other
}
