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
    /** The devices that have said anything to this server. */
    seen(): Iterable<string>
  }
}

/** So long after a device said anything, other servers know of it at the latest. */
const WRITE_MS = 60_000
/** Devices of one statement: bounds for how long their rows are nobody else's. */
const AT_ONCE = 200

/**
 * Notes now and then when devices last said anything to this server, for the others to show it: what a ping says is known
 * here alone, and is no reason to write. Where there are no other servers, nothing is noted.
 */
export function startSightings(needs: Needs & { log: Logger }): Loop {
  const work = async () => needs.db.channel && noteSightings(needs)
  return startLoop({ name: 'sightings', every_ms: WRITE_MS, log: needs.log, work })
}

/** Does so once. A device of which more is known already, or whose row is worked on at this moment, is passed over. */
export async function noteSightings({ db, clock, broker }: Needs): Promise<void> {
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
