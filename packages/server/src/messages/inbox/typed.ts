import type { TypedSms } from '@sdd/contract/fleet/device-protocol.ts'
import type { Numbers } from '#server/accounts/settings/numbers.ts'
import { type Clock, instant } from '#server/core/clock.ts'
import type { Live } from '#server/core/live.ts'
import { keptSender } from '#server/core/phone-number.ts'
import type { Database } from '#server/database/open.ts'
import { countryOfSim } from '#server/fleet/devices/devices.ts'
import type { ConnectedDevice } from '#server/fleet/presence/presence.ts'
import { noteTyped } from '#server/messages/conversations/noting.ts'
import { inboxStore } from './store.ts'

type Needs = { db: Database; clock: Clock; live: Live; numbers: Pick<Numbers, 'country'> }

/**
 * Stores an SMS that a person typed on a device itself, and resolves once it is on disk. It is part of its conversation
 * and of nothing else: it is not in the log, and no rule applies to it. Repetitions (same device and id) are ignored.
 */
export async function takeTyped(
  { db, clock, live, numbers }: Needs,
  { company_id, device_id, uid }: ConnectedDevice,
  { id: sms_id, to, text, at, sim }: TypedSms,
): Promise<void> {
  const stored_at = instant(clock.now())
  const isNew = await db.write(async (tx) => {
    const country = await countryOfSim(tx, uid, sim)
    const number = keptSender(to, country ?? numbers.country(company_id))
    const id = await inboxStore(tx).insertTyped({
      company_id,
      device_id,
      sms_id,
      sms_to: number,
      text,
      sms_at: instant(Math.min(Date.parse(at), clock.now())),
      stored_at,
      sim: sim === undefined || sim === null ? null : String(sim),
    })
    if (id === undefined) return false
    await noteTyped(tx, { company_id, number, id, stored_at })
    return true
  })
  if (isNew) live.changed(company_id, 'conversations')
}
