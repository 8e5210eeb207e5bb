import type { Clock } from '#server/core/clock.ts'
import { Refusal } from '#server/core/refusal.ts'
import type { Tx } from '#server/database/schema.ts'
import { countRecipients, isCapped } from '#server/messages/destinations/counting.ts'
import { capRefusal, type PrefixRules, explainDestination } from '#server/messages/destinations/rules.ts'
import type { Draft } from './draft.ts'

/** Applies a company's destination rules to its new tasks. */
type TaskCheck = {
  /** The refusal of a task; `undefined` counts the task as one more message to its number. */
  refuse(draft: Draft): Refusal | undefined
  /** Writes how many messages were accepted for each number. */
  write(): Promise<void>
}

export async function openTaskCheck(
  tx: Tx,
  clock: Clock,
  company_id: number,
  rules: PrefixRules,
  drafts: readonly Draft[],
): Promise<TaskCheck> {
  const numbers = drafts.map(({ message_to }) => message_to)
  const recipients = isCapped(rules)
    ? await countRecipients(tx, clock, company_id, rules, numbers)
    : undefined
  return {
    refuse({ message_to }) {
      const why = explainDestination(rules, message_to)
      if (why) {
        const { field, detail, params } = why
        return new Refusal('destination_refused', detail, { params, fields: { to_number: field } })
      }
      if (recipients === undefined || recipients.accept(message_to)) return undefined
      return capRefusal(message_to, rules.max_per_recipient_dayly!, clock, clock.now())
    },
    write: async () => recipients?.write(),
  }
}
