import { instant } from '#server/core/clock.ts'
import type { Tx } from '#server/database/schema.ts'
import { newWebhookId } from '#server/outward/callbacks/signature.ts'
import { alertMessageStore } from './channels.store.ts'
import type { AlertRuleRow } from './store.ts'

/** Alerts of one rule that open, or are resolved, within this time are one message. */
export const JOIN_MS = 10_000

/**
 * Stores the messages to the channels of a rule about an alert, in the transaction that changes the alert. If it ends
 * before the first try to tell of its opening, the channel is told neither. `closed` is never told.
 */
export async function noteTelling(
  tx: Tx,
  { id: rule_id, company_id, channels }: Pick<AlertRuleRow, 'id' | 'company_id' | 'channels'>,
  alert_id: number,
  event: 'opened' | 'resolved' | 'closed',
  now_ms: number,
): Promise<void> {
  const messages = alertMessageStore(tx)
  if (event !== 'opened') await messages.withdraw(rule_id, alert_id)
  if (event === 'closed') return
  const asked = JSON.parse(channels) as number[]
  const told = event === 'opened' ? asked : await messages.channelsToldOf(alert_id)
  for (const channel_id of told.filter((id) => asked.includes(id))) {
    const of = { channel_id, rule_id, event }
    const joined = await messages.joinable(of, instant(now_ms))
    const message_id =
      joined ??
      (await messages.insert({
        ...of,
        company_id,
        webhook_id: newWebhookId(),
        state: 'waiting',
        due_at: instant(now_ms + JOIN_MS),
      }))
    await messages.add(message_id, alert_id)
  }
}
