import type { Command } from '@sdd/contract/fleet/device-protocol.ts'
import { type Clock, instant } from '#server/core/clock.ts'
import { openLookUps } from '#server/core/look-ups.ts'
import type { Database } from '#server/database/open.ts'
import type { Replica } from '#server/core/replicas/replicas.ts'
import type { GiveTo } from './candidates.ts'
import { SILENCE_MS } from './expiry/expiry.ts'
import { DELIVERY_MS } from './reports/reports.ts'
import { resendingStore } from './resending.store.ts'
import { RESEND_MS, sendCommand } from './send-command.ts'
import { settleMessage } from '#server/messages/messages/store.ts'

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
    for (const { id, expires_at } of unanswered)
      await resendingStore(tx).lookAt(id, earlier(instant(now_ms + RESEND_MS), expires_at))
    return unanswered
  })
  for (const command of again) publish(command.uid, sendCommand(command, command.attempt))
  return again.length === BATCH
}

/**
 * Looks after messages that devices have accepted or sent. A sent one stops waiting for its delivery report after
 * `DELIVERY_MS`. Returns true if there are probably more.
 */
export async function lookAfterAnswered({ db, clock }: Pick<Needs, 'db' | 'clock'>): Promise<boolean> {
  const now_ms = clock.now()
  const [now, expired_at] = [instant(now_ms), instant(now_ms - SILENCE_MS)]
  if ((await resendingStore(db.read).answered(now, expired_at, 1)).length === 0) return false
  return db.write(async (tx) => {
    const rows = await resendingStore(tx).answered(now, expired_at, BATCH)
    for (const row of rows) {
      const { id, completed_at, expires_at } = row
      const look_ms =
        completed_at === null ? Date.parse(expires_at) + SILENCE_MS : Date.parse(completed_at) + DELIVERY_MS
      if (look_ms > now_ms) await resendingStore(tx).lookAt(id, instant(look_ms))
      else await settleMessage(tx, row)
    }
    return rows.length === BATCH
  })
}

function earlier(one: string, other: string): string {
  return one < other ? one : other
}

/**
 * For a device that reconnected at `received_ms`: resends its unanswered commands from before that at once. Commands
 * that were sent over this connection are not repeated.
 */
export function openResendTo({ db, clock, giveTo }: Pick<Needs, 'db' | 'clock'> & { giveTo: GiveTo }) {
  const isUnanswered = openLookUps(async (device_ids: readonly number[]) => {
    const found = await resendingStore(db.read).unansweredBy(device_ids)
    return device_ids.map((device_id) => found.has(device_id))
  })
  return async function resendTo(
    { device_id, company_id }: { device_id: number; company_id: number },
    received_ms: number,
  ): Promise<void> {
    if (await isUnanswered(device_id)) {
      const [now, until] = [instant(clock.now()), instant(received_ms)]
      await db.write((tx) => resendingStore(tx).resendTo(device_id, now, until))
    }
    giveTo([{ id: device_id, company_id }], true)
  }
}
