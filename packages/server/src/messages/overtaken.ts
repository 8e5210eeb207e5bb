import { numberKey } from '#server/core/number-key.ts'
import type { Attempts, Change, Messages, Tx } from '#server/database/schema.ts'
import { inboxStore } from './inbox/store.ts'
import { mayBecome } from './state.ts'
import type { MessageRow } from './store.ts'

/**
 * The reply that overtook the word that its message went out: reports are held back and said again, and until there is
 * one, an SMS of that number answers nothing. `change` is what a report makes of the message, `at` its time by the
 * device's clock: what the device received before did not answer it. Answers what the reply changes then.
 */
export async function overtakenReply(
  tx: Tx,
  message: MessageRow,
  change: Change<Messages>,
  { device_id, given_at }: Pick<Attempts, 'device_id' | 'given_at'>,
  at: string,
): Promise<Change<Messages> | undefined> {
  const { id, company_id, answer_3_timestamp, message_to } = message
  const went = change.answer_sent_timestamp !== undefined || change.answer_2_timestamp !== undefined
  if (!went || answer_3_timestamp !== null) return undefined
  const wanted = { company_id, device_id, received_since: given_at, sms_since: at }
  const key = numberKey(message_to)
  const found = await inboxStore(tx).answeringNothing(wanted)
  const replies = found.filter(({ sms_from }) => numberKey(sms_from) === key)
  for (const reply of replies) await inboxStore(tx).answer(reply.id, id)
  const latest = replies.at(-1)
  if (latest === undefined) return undefined
  const { text, sms_at } = latest
  const replied = mayBecome({ ...message, ...change }, 'replied')
  return { answer_3: text, answer_3_timestamp: sms_at, ...(replied && { state: 'replied' }) }
}
