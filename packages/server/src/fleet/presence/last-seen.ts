import type { Logger } from 'pino'
import type { Clock } from '#server/core/clock.ts'
import { type Loop, startLoop } from '#server/core/loop.ts'
import type { Database } from '#server/database/open.ts'
import { type DeviceLinks, seenAt } from '#server/fleet/devices/devices.ts'
import { deviceStore } from '#server/fleet/devices/store.ts'

type Needs = {
  db: Pick<Database, 'write' | 'channel'>
  clock: Clock
  broker: Pick<DeviceLinks, 'lastSeen'> & {
    /** The devices that have sent anything to this server. */
    seen(): Iterable<string>
  }
}

/** Other servers learn within this time that a device sent something. */
const WRITE_MS = 60_000
/** Devices per statement. This limits how long their rows are locked. */
const AT_ONCE = 200

/**
 * Stores now and then when devices were last seen here, so that other servers can show it. Only this server sees a
 * device's pings, and a ping is not worth a write. With a single server, nothing is stored.
 */
export function startLastSeen(needs: Needs & { log: Logger }): Loop {
  const work = async () => needs.db.channel && noteLastSeen(needs)
  return startLoop({ name: 'last-seen', every_ms: WRITE_MS, log: needs.log, work })
}

/** Does so once. Skips a device with a later time in the database, or with a locked row. */
export async function noteLastSeen({ db, clock, broker }: Needs): Promise<void> {
  const uids = [...broker.seen()]
  for (let from = 0; from < uids.length; from += AT_ONCE) {
    const seen = new Map<string, string>()
    for (const uid of uids.slice(from, from + AT_ONCE)) {
      const at = seenAt(clock, broker, uid)
      if (at !== undefined) seen.set(uid, at)
    }
    if (seen.size > 0) await db.write((tx) => deviceStore(tx, 'all').noteSeen(seen))
  }
}
