import { Refusal } from '#server/core/refusal.ts'
import type { Tx } from '#server/database/schema.ts'
import { classOf } from '#server/messages/messages/classes.ts'
import { fault } from '#server/core/field-faults.ts'
import { consentingNumbers } from './store.ts'

type Message = { message_to: string; priority: number }

/** The numbers of these messages that may not get marketing, in one query; none if there is no marketing. */
export async function numbersWithoutConsent(
  tx: Tx,
  company_id: number,
  messages: readonly Message[],
): Promise<Set<string>> {
  const numbers = messages.filter(needsConsent).map(({ message_to }) => message_to)
  if (numbers.length === 0) return new Set()
  return new Set(numbers).difference(await consentingNumbers(tx, company_id, numbers))
}

/** Whether this message is marketing to a number whose contact has no consent. */
export async function lacksConsent(tx: Tx, message: Message & { company_id: number }): Promise<boolean> {
  return needsConsent(message) && (await numbersWithoutConsent(tx, message.company_id, [message])).size > 0
}

export function needsConsent(message: Pick<Message, 'priority'>): boolean {
  return classOf(message) === 'marketing'
}

/** The refusal of marketing to this number. `field` asked for it. */
export function consentRefusal(number: string, field = 'to_number'): Refusal {
  const why = 'has no recorded consent to get marketing'
  const detail = `${number} ${why}: record it in its contact, or send another class of message.`
  return new Refusal('no_consent', detail, {
    params: { number },
    fields: { [field]: fault(why, 'no_consent', {}) },
  })
}
