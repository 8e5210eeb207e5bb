import type { InboxSms } from '@sdd/contract/fleet/device-protocol.ts'
import type { ReceivedSms } from '@sdd/contract/people/conversations.ts'
import { DAY_MS, instant } from '#server/core/clock.ts'
import type { Numbers } from '#server/accounts/settings/numbers.ts'
import { keptSender } from '#server/core/phone-number.ts'
import type { ConnectedDevice } from '#server/fleet/presence/presence.ts'
import type { Tx } from '#server/database/schema.ts'
import type { Database } from '#server/database/open.ts'
import { announceHeard, type HearingNeeds, hearWord } from '#server/messages/keywords/hearing.ts'
import { countryOfSim } from '#server/fleet/devices/devices.ts'
import { moveMessage, type MoveNeeds } from '#server/messages/messages/moving.ts'
import { noteReceived } from '#server/messages/conversations/noting.ts'
import { addToCounter } from '#server/messages/messages/counters.store.ts'
import { inboxStore } from './store.ts'
import { mayBecome } from '#server/messages/messages/state.ts'
import { messageStore } from '#server/messages/messages/store.ts'

/** What a function needs to tell other systems about received SMS, in the transaction that stores them. */
type ReceivedNeeds = { tellReceived(tx: Tx, company_id: number, sms: ReceivedSms): Promise<void> }

/** The public id of a received SMS. */
export function smsId(id: number): string {
  return `r${id}`
}

/** A reply belongs to a message that was sent at most this long ago. */
const REPLY_MS = 7 * DAY_MS

/**
 * Stores an SMS that a device received, and resolves once it is on disk. Repetitions (same device and id) are ignored.
 * The SMS replies to the message that this device sent last to that number, within 7 days, if there is one. The
 * sender's number is read with the country of the SIM that received it. Some words have an effect (`hearWord`).
 */
export async function takeInbox(
  needs: MoveNeeds &
    HearingNeeds &
    ReceivedNeeds & { db: Database; numbers: Pick<Numbers, 'country'> } & Parameters<typeof announceHeard>[0],
  from: ConnectedDevice,
  sms: InboxSms,
): Promise<void> {
  const now_ms = needs.clock.now()
  const at = instant(Math.min(Date.parse(sms.at), now_ms))
  const { answered, isNew, heard } = await needs.db.write(async (tx) => {
    const messages = messageStore(tx, { company_id: from.company_id })
    const country = await countryOfSim(tx, from.uid, sms.sim)
    const number = keptSender(sms.from, country ?? needs.numbers.country(from.company_id))
    const message = await messages.sentTo(from.device_id, number, instant(now_ms - REPLY_MS))
    const stored_at = instant(now_ms)
    const sim = sms.sim === undefined || sms.sim === null ? null : String(sms.sim)
    const id = await inboxStore(tx).insert({
      company_id: from.company_id,
      device_id: from.device_id,
      sms_id: sms.id,
      sms_from: number,
      text: sms.text,
      sms_at: at,
      received_at: stored_at,
      sim,
      message_id: message?.id ?? null,
    })
    if (id === undefined) return { answered: false, isNew: false }
    const { company_id } = from
    await addToCounter(tx, {
      figure: 'received',
      company_id,
      period: needs.clock.day(now_ms),
      key: String(from.device_id),
      count: 1,
      last_at: stored_at,
    })
    await noteReceived(tx, { company_id, number, id, received_at: stored_at })
    await needs.tellReceived(tx, company_id, {
      id: smsId(id),
      number,
      text: sms.text,
      received_at: at,
      device_uid: from.uid,
      sim,
      reply_to: message?.guid ?? null,
    })
    const heard = await hearWord(tx, needs, from, { number, text: sms.text, sim: sms.sim })
    if (message === undefined) return { answered: false, isNew: true, heard }
    await moveMessage(tx, needs, message, {
      answer_3: sms.text,
      answer_3_timestamp: at,
      ...(mayBecome(message, 'replied') && { state: 'replied' }),
    })
    return { answered: true, isNew: true, heard }
  })
  if (isNew) needs.live.changed(from.company_id, 'conversations')
  if (answered) needs.live.changed(from.company_id, 'logs', 'tasks')
  if (heard) announceHeard(needs, from, heard)
}
