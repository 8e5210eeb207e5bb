import type { ReceivedSms } from '@sdd/contract/people/conversations.ts'
import { type Clock, DAY_MS, instant } from '#server/core/clock.ts'
import type { Tx } from '#server/database/schema.ts'
import { numberOfSim } from '#server/fleet/sims/own-numbers.ts'
import type { MessageRow } from '#server/messages/messages/store.ts'
import { doorStateOf, doorStates, outcomeAt } from '#server/outward/doors/states.ts'
import { writeReceipt, writeReceived } from './codec/deliver.ts'
import { deliveryStore } from './deliveries.store.ts'

/** Receipts and received SMS wait this long for a bind. */
export const KEPT_MS = 7 * DAY_MS

/** The values of `registered_delivery`. */
const EACH_OUTCOME = '1'
const FAILURES = '2'

/**
 * Stores the receipts about an outcome, in the transaction that reached it. `argument` is what the program asked for
 * with its SMS or, after a `p`, with each part of it.
 */
export async function storeReceipts(tx: Tx, clock: Clock, row: MessageRow, argument: string): Promise<void> {
  const state = doorStateOf(row)
  const { outcome, ...told } = doorStates[state].smpp
  if (!outcome || row.api_key_id === null) return
  // An uncertain SMS may have gone out. A program that only hears of failures would send it again.
  const fails = state !== 'delivered' && state !== 'uncertain'
  const [, parts, single] = /^(?:p(\d+)|(\d))$/.exec(argument) ?? []
  const asked = single === undefined ? [...(parts ?? '')].entries() : [[-1, single] as const]
  const { company_id, api_key_id, guid } = row
  const created_at = instant(clock.now())
  for (const [place, registered] of asked) {
    if (registered !== EACH_OUTCOME && !(registered === FAILURES && fails)) continue
    const message_id = place < 0 ? guid : `${guid}.${place + 1}`
    const body = writeReceipt({
      ...told,
      message_id,
      to: row.message_to,
      from: row.from_number ?? '',
      submitted_at: row.queue_timestamp,
      done_at: outcomeAt(row) ?? created_at,
      written: row.message,
    })
    await storeDelivery(tx, { company_id, api_key_id, name: message_id, body, created_at })
  }
}

/** Stores a received SMS for each key that has bound as a receiver lately, in the transaction that stored the SMS. */
export async function storeReceived(
  tx: Tx,
  clock: Clock,
  company_id: number,
  sms: ReceivedSms,
): Promise<void> {
  const now_ms = clock.now()
  const keys = await deliveryStore(tx).receivers(company_id, instant(now_ms - KEPT_MS))
  if (keys.length === 0) return
  const to = (sms.device_uid && (await numberOfSim(tx, sms.device_uid, sms.sim))) || ''
  const body = writeReceived({ from: sms.number, to, written: sms.text })
  const name = `from ${sms.number}`
  for (const api_key_id of keys)
    await storeDelivery(tx, { company_id, api_key_id, name, body, created_at: instant(now_ms) })
}

type Delivery = { company_id: number; api_key_id: number; name: string; body: Buffer; created_at: string }

/** `name`: those with the same name are delivered in order. */
export function storeDelivery(tx: Tx, { body, ...delivery }: Delivery): Promise<void> {
  const { created_at } = delivery
  return deliveryStore(tx).insert({ ...delivery, body: body.toString('hex'), due_at: created_at })
}
