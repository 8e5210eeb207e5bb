import type { TaskResult } from '@sdd/contract/tasks/tasks.ts'
import type { Clock } from '#server/core/clock.ts'
import type { Tx } from '#server/database/schema.ts'
import { countRecipients, isCapped } from '#server/messages/destinations/counting.ts'
import { type PrefixRules, explainCap, explainDestination } from '#server/messages/destinations/rules.ts'
import type { Draft } from './draft.ts'

/** Applies a company's destination rules to its new tasks. */
export type TaskCheck = {
  /** The refusal of a task; `undefined` counts the task as one more message to its number. */
  refuse(draft: Draft): TaskResult | undefined
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
    refuse({ guid, message_to }) {
      const why = explainDestination(rules, message_to)
      if (why) {
        const { field, detail } = why
        return { guid, status: 'refused', code: 'destination_refused', detail, fields: { to_number: field } }
      }
      if (recipients === undefined || recipients.accept(message_to)) return undefined
      const detail = explainCap(message_to, rules.max_per_recipient_dayly!, clock, clock.now())
      return { guid, status: 'refused', code: 'recipient_limit', detail }
    },
    write: async () => recipients?.write(),
  }
}
