import { numberKey } from '#server/core/number-key.ts'
import type { Attempts, Change, Messages, Tx } from '#server/database/schema.ts'
import { type InboxRow, inboxStore } from '#server/messages/inbox/store.ts'
import { mayBecome } from '#server/messages/messages/state.ts'
import type { ReportedMessage } from '#server/messages/messages/store.ts'

export type Overtaken = {
  /**
   * The reply that overtook the word that its message went out: reports are held back and said again, and until there is
   * one, an SMS of that number answers nothing. `change` is what a report makes of the message, `at` its time by the
   * device's clock: what the device received before did not answer it. Answers what the reply changes then.
   */
  replyTo(
    message: ReportedMessage,
    change: Change<Messages>,
    attempt: Pick<Attempts, 'device_id' | 'given_at'>,
    at: string,
  ): Promise<Change<Messages> | undefined>
}

/** Reads once, when it is first needed, what has come to the devices of these attempts since they were given them. */
export function openOvertaken(
  tx: Tx,
  given: readonly { company_id: number; device_id: number; given_at: string }[],
): Overtaken {
  let reading: Promise<InboxRow[]> | undefined

  async function replies(
    { message_to }: ReportedMessage,
    { device_id, given_at }: Pick<Attempts, 'device_id' | 'given_at'>,
    at: string,
  ): Promise<InboxRow[]> {
    const unanswered = await (reading ??= inboxStore(tx).answeringNothing(earliestOf(given)))
    if (unanswered.length === 0) return []
    const key = numberKey(message_to)
    const found = unanswered.filter(
      (sms) =>
        sms.device_id === device_id &&
        sms.received_at >= given_at &&
        sms.sms_at >= at &&
        numberKey(sms.sms_from) === key,
    )
    for (const sms of found) unanswered.splice(unanswered.indexOf(sms), 1)
    return found
  }

  return {
    async replyTo(message, change, attempt, at) {
      const went = change.answer_sent_timestamp !== undefined || change.answer_2_timestamp !== undefined
      if (!went || message.answer_3_timestamp !== null) return undefined
      const found = await replies(message, attempt, at)
      for (const sms of found) await inboxStore(tx).answer(sms.id, message.id)
      const latest = found.at(-1)
      if (latest === undefined) return undefined
      const { text, sms_at } = latest
      const replied = mayBecome({ ...message, ...change }, 'replied')
      return { answer_3: text, answer_3_timestamp: sms_at, ...(replied && { state: 'replied' }) }
    },
  }
}

/** Of each device once. */
function earliestOf(given: readonly { company_id: number; device_id: number; given_at: string }[]) {
  const devices = new Map<number, { company_id: number; device_id: number; since: string }>()
  for (const { company_id, device_id, given_at } of given) {
    const found = devices.get(device_id)
    if (found === undefined || given_at < found.since)
      devices.set(device_id, { company_id, device_id, since: given_at })
  }
  return [...devices.values()]
}
