import { newWebhookId } from '#server/outward/callbacks/signature.ts'
import type { Tx } from '#server/database/schema.ts'
import { channelFaults } from './channel-faults.ts'
import { alertMessageStore } from './channels.store.ts'
import type { AlertRuleRow } from './store.ts'

/**
 * Makes the waiting messages of a rule follow its new channels. Those to a channel that it no longer names are removed,
 * or given up if they were tried. A new channel is told of the openings that were not tried yet. Hold the rule.
 */
export async function followChannels(
  tx: Tx,
  { id: rule_id, company_id }: Pick<AlertRuleRow, 'id' | 'company_id'>,
  before: readonly number[],
  after: readonly number[],
): Promise<void> {
  const gone = before.filter((id) => !after.includes(id))
  const added = after.filter((id) => !before.includes(id))
  if (gone.length === 0 && added.length === 0) return
  const messages = alertMessageStore(tx)
  const openings = new Map<string, Set<number>>()
  for (const { event, joins_until, alert_id } of await messages.untriedOf(rule_id))
    if (event === 'opened') openings.getOrInsertComputed(joins_until, () => new Set()).add(alert_id)
  for (const channel_id of gone)
    await messages.giveUp({ rule_id, channel_id, detail: channelFaults.not_named.write({}) })
  for (const channel_id of added)
    for (const [joins_until, alerts] of openings) {
      const message = { company_id, channel_id, rule_id, event: 'opened', state: 'waiting' } as const
      const times = { due_at: joins_until, joins_until }
      const id = await messages.insert({ ...message, ...times, webhook_id: newWebhookId() })
      for (const alert_id of alerts) await messages.add(id, alert_id)
    }
}
