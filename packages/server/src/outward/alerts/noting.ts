import { type AlertEvent, type AlertEventBody, installationConditions } from '@sdd/contract/outward/alerts.ts'
import { instant } from '#server/core/clock.ts'
import type { Tx } from '#server/database/schema.ts'
import { storeEvent } from '#server/outward/callbacks/callback-events.ts'
import { newWebhookId } from '#server/outward/callbacks/signature.ts'
import { alertSettingsOf } from './alert-settings.ts'
import { alertMessageStore } from './channels.store.ts'
import { asAlert } from './details.ts'
import { type AlertRuleRow, alertStore } from './store.ts'

type Rule = Pick<AlertRuleRow, 'id' | 'company_id' | 'condition' | 'channels'>

/**
 * Stores the messages to the channels of a rule about an alert, in the transaction that changes the alert. If it ends
 * before the first try to tell of its opening, the channel is told neither. `closed` is never told. Hold the rule.
 */
export async function noteTelling(
  tx: Tx,
  rule: Rule,
  alert_id: number,
  event: 'opened' | 'resolved' | 'closed',
  now_ms: number,
): Promise<void> {
  const messages = alertMessageStore(tx)
  if (event !== 'opened') await messages.withdraw(rule.id, alert_id)
  if (event === 'closed') return
  await tellWebhooks(tx, rule, alert_id, event, instant(now_ms))
  const { join_secs, tell_resolved } = await alertSettingsOf(tx, rule.company_id)
  if (event === 'resolved' && !tell_resolved) return
  const asked = channelsOf(rule)
  const told = event === 'opened' ? asked : await messages.channelsToldOf(alert_id)
  for (const channel_id of told.filter((id) => asked.includes(id)))
    await noteMessage(tx, rule, { channel_id, event, alert_id }, { join_secs, now_ms })
}

/** The company's webhooks do not hear of the installation. */
async function tellWebhooks(
  tx: Tx,
  { company_id, condition }: Rule,
  alert_id: number,
  event: 'opened' | 'resolved',
  at: string,
): Promise<void> {
  if (installationConditions.includes(condition)) return
  const type = `alert.${event}` as const
  await storeEvent(tx, { company_id, guid: `alert-${alert_id}`, type, created_at: at }, async () => {
    const alert = asAlert((await alertStore(tx, { company_id }).hold(alert_id))!)
    return JSON.stringify({ type, at, alert } satisfies AlertEventBody)
  })
}

/** Adds the alert to a message of the channel that others of the rule may still join, or to a new one. */
export async function noteMessage(
  tx: Tx,
  { id: rule_id, company_id }: Rule,
  { channel_id, event, alert_id }: { channel_id: number; event: AlertEvent; alert_id: number },
  { join_secs, now_ms }: { join_secs: number; now_ms: number },
): Promise<void> {
  const messages = alertMessageStore(tx)
  const of = { channel_id, rule_id, event }
  const due_at = instant(now_ms + join_secs * 1_000)
  const joined = await messages.joinable(of, instant(now_ms))
  const message_id =
    joined ??
    (await messages.insert({
      ...of,
      company_id,
      webhook_id: newWebhookId(),
      state: 'waiting',
      due_at,
      joins_until: due_at,
    }))
  await messages.add(message_id, alert_id)
}

export function channelsOf({ channels }: Pick<AlertRuleRow, 'channels'>): number[] {
  return JSON.parse(channels) as number[]
}
