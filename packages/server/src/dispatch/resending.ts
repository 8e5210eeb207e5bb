import type { Command } from '@sdd/contract/fleet/device-protocol.ts'
import { type Clock, instant } from '#server/core/clock.ts'
import type { Database } from '#server/database/open.ts'
import type { Replica } from '#server/core/replicas/replicas.ts'
import { RESEND_MS, sendCommand } from './claim/claim.ts'
import { resendingStore } from './resending.store.ts'

type Needs = {
  db: Database
  clock: Clock
  /** False if the device is not connected. The command is sent again when the device is back. */
  publish(device_uid: string, command: Command): boolean
  replica: Pick<Replica, 'id'>
}

/** Commands per round. This limits how long one transaction takes. */
const BATCH = 100

/** Resends the unanswered commands of devices at this server. Returns true if there are probably more. */
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
 * The device reconnected at `received_ms`: resends its unanswered commands from before that at once. Commands that were
 * sent over this connection are not repeated.
 */
export async function resendTo(
  { db, clock, wake }: Pick<Needs, 'db' | 'clock'> & { wake(): void },
  device_id: number,
  received_ms: number,
): Promise<void> {
  if (await resendingStore(db.read).anyUnanswered(device_id)) {
    const [now, until] = [instant(clock.now()), instant(received_ms)]
    await db.write((tx) => resendingStore(tx).resendTo(device_id, now, until))
  }
  wake()
}
