import type { Command } from '@sdd/contract/fleet/device-protocol.ts'
import { type Clock, instant } from '#server/core/clock.ts'
import type { Database } from '#server/database/open.ts'
import type { Replica } from '#server/core/replicas/replicas.ts'
import { RESEND_MS, sendCommand } from './claim/claim.ts'
import { resendingStore } from './resending.store.ts'

type Needs = {
  db: Database
  clock: Clock
  /** False where the device has no connection to take it: it goes out again when the device is back. */
  publish(device_uid: string, command: Command): boolean
  replica: Pick<Replica, 'id'>
}

/** Commands of one round: bounds how long one transaction lasts. */
const BATCH = 100

/** Sends commands again that no device which is connected here has answered. True where there is probably more. */
export async function resend({ db, clock, publish, replica }: Needs): Promise<boolean> {
  const now_ms = clock.now()
  const now = instant(now_ms)
  if ((await resendingStore(db.read).due(replica.id(), now, 1)).length === 0) return false
  const again = await db.write(async (tx) => {
    const unanswered = await resendingStore(tx).due(replica.id(), now, BATCH)
    await resendingStore(tx).postpone(unanswered, instant(now_ms + RESEND_MS))
    return unanswered
  })
  for (const command of again) publish(command.uid, sendCommand(command, command.attempt))
  return again.length === BATCH
}

/**
 * The device is connected again, since `said_ms`: what it was given until then and has not answered goes out again at
 * once. What it was given on this connection already does not.
 */
export async function resendTo(
  { db, clock, wake }: Pick<Needs, 'db' | 'clock'> & { wake(): void },
  device_id: number,
  said_ms: number,
): Promise<void> {
  if (await resendingStore(db.read).anyUnanswered(device_id)) {
    const [now, until] = [instant(clock.now()), instant(said_ms)]
    await db.write((tx) => resendingStore(tx).resendTo(device_id, now, until))
  }
  wake()
}
