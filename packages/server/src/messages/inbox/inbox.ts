import type { InboxSms } from '@sdd/contract/fleet/device-protocol.ts'
import { instant } from '#server/core/clock.ts'
import { numberKey } from '#server/core/number-key.ts'
import type { ConnectedDevice } from '#server/fleet/presence/presence.ts'
import type { Database } from '#server/database/open.ts'
import { announceBlock, type BlockNeeds, blockSender } from '#server/messages/opt-outs/blocking.ts'
import { moveMessage, type MoveNeeds } from '#server/messages/messages/moving.ts'
import { inboxStore } from './store.ts'
import { mayBecome } from '#server/messages/messages/state.ts'
import { messageStore } from '#server/messages/messages/store.ts'

/** A reply belongs to a message of at most this age. */
const REPLY_MS = 7 * 86_400_000

/**
 * Stores an SMS that a device received, and resolves once it is on disk. Repetitions (same device and id) are ignored.
 * The SMS replies to the newest message that this device sent to that number within 7 days, if there is one. The
 * notation of the number does not matter. A stop word blocks its sender.
 */
export async function takeInbox(
  needs: MoveNeeds & BlockNeeds & { db: Database } & Parameters<typeof announceBlock>[0],
  from: ConnectedDevice,
  sms: InboxSms,
): Promise<void> {
  const now_ms = needs.clock.now()
  const at = instant(Math.min(Date.parse(sms.at), now_ms))
  const { answered, blocked } = await needs.db.write(async (tx) => {
    const messages = messageStore(tx, { company_id: from.company_id })
    const message = await messages.sentTo(from.device_id, numberKey(sms.from), instant(now_ms - REPLY_MS))
    const isNew = await inboxStore(tx).insert({
      company_id: from.company_id,
      device_id: from.device_id,
      sms_id: sms.id,
      sms_from: sms.from,
      text: sms.text,
      sms_at: at,
      received_at: instant(now_ms),
      sim: sms.sim === undefined || sms.sim === null ? null : String(sms.sim),
      message_id: message?.id ?? null,
    })
    if (!isNew) return { answered: false }
    const blocked = await blockSender(tx, needs, from, sms)
    if (message === undefined) return { answered: false, blocked }
    await moveMessage(tx, needs, message, {
      answer_3: sms.text,
      answer_3_timestamp: at,
      ...(mayBecome(message, 'replied') && { state: 'replied' }),
    })
    return { answered: true, blocked }
  })
  if (answered) needs.live.changed(from.company_id, 'logs', 'tasks')
  if (blocked) announceBlock(needs, from.company_id, blocked)
}
