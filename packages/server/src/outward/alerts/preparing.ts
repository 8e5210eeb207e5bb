import type { Hours } from '@sdd/contract/accounts/sending-hours.ts'
import type { AlertBody } from '@sdd/contract/outward/alerts.ts'
import { instant } from '#server/core/clock.ts'
import type { Tx } from '#server/database/schema.ts'
import { hoursAt } from '#server/messages/hours/hours.ts'
import { newWebhookId } from '#server/outward/callbacks/signature.ts'
import {
  alertChannelStore,
  type AlertChannelRow,
  alertMessageStore,
  type AlertMessageRow,
  type DueAlertMessage,
} from './channels.store.ts'
import { channelFaults } from './channel-faults.ts'
import { type AlertFields, asAlert } from './details.ts'
import { type AlertRuleRow, alertRuleStore } from './store.ts'
import { alertText } from './texts.ts'

/** Alerts whose device is in maintenance are told after it. */
const PAUSED_MS = 30_000
const MOST_LISTED = 5

export type Prepared = { channel: AlertChannelRow; message: AlertMessageRow; body: string }

/**
 * Makes a due message ready for a try, and fixes its body at the first one. `undefined` if there is nothing to send now:
 * outside the hours of its rule it waits for them.
 */
export async function prepareMessage(
  tx: Tx,
  { id, channel_id }: DueAlertMessage,
  now_ms: number,
): Promise<Prepared | undefined> {
  const messages = alertMessageStore(tx)
  const rule_id = await messages.ruleOf(id)
  if (rule_id === undefined) return undefined
  // Who holds the rule may change the alerts of its messages. The channel is next, because removing it removes messages.
  const rule = await alertRuleStore(tx, 'all').hold(rule_id)
  const channel = await alertChannelStore(tx, 'all').hold(channel_id)
  const message = await messages.hold(id)
  if (channel === undefined || message?.state !== 'waiting' || message.due_at > instant(now_ms))
    return undefined
  const opens_ms = rule && closedUntil(rule, now_ms)
  if (opens_ms !== undefined) {
    await messages.update(id, { due_at: instant(opens_ms) })
    return undefined
  }
  const { event, body } = message
  if (event === 'repeated' && !(await isNeeded(tx, message))) return undefined
  if (body !== null) return { channel, message, body }
  const alerts = await tellable(tx, message, now_ms)
  if (alerts.length === 0) return undefined
  const { condition, value } = alerts[0]!.rule
  const written: AlertBody = {
    type: `alert.${event}`,
    at: instant(now_ms),
    text: alertText(event, condition, alerts),
    count: alerts.length,
    rule: { id: message.rule_id, condition, value },
    alerts: alerts.slice(0, MOST_LISTED),
  }
  await messages.update(id, { body: JSON.stringify(written) })
  return { channel, message, body: JSON.stringify(written) }
}

/** When the hours of the rule begin, in ms; `undefined` if it may tell now. */
function closedUntil({ hours: written }: AlertRuleRow, now_ms: number): number | undefined {
  if (written === null) return undefined
  const hours = JSON.parse(written) as Hours
  const { open, until_ms } = hoursAt(hours, [hours.zone], now_ms)
  return open ? undefined : until_ms
}

/** Takes alerts that are acknowledged or resolved out of a repetition. False if none is left. */
async function isNeeded(tx: Tx, { id, body }: AlertMessageRow): Promise<boolean> {
  const messages = alertMessageStore(tx)
  const all = await messages.alertsOf(id)
  const over = all.filter(
    ({ acknowledged_at, resolved_at }) => acknowledged_at !== null || resolved_at !== null,
  )
  if (over.length < all.length) {
    if (body === null) for (const alert of over) await messages.take(id, alert.id)
    return true
  }
  if (body === null) await messages.remove(id)
  else await messages.update(id, { state: 'dead', detail: channelFaults.not_needed.write({}) })
  return false
}

/** The alerts of the message. Those of devices in maintenance move to a later one. */
async function tellable(tx: Tx, message: AlertMessageRow, now_ms: number): Promise<AlertFields[]> {
  const messages = alertMessageStore(tx)
  const { id, company_id, channel_id, rule_id, event, state, joins_until } = message
  const all = await messages.alertsOf(id)
  const paused = all.filter(({ paused }) => paused === 1)
  const due_at = instant(now_ms + PAUSED_MS)
  if (paused.length === all.length) {
    await messages.update(id, { due_at })
    return []
  }
  if (paused.length > 0) {
    const webhook_id = newWebhookId()
    const of = { company_id, channel_id, rule_id, event, state, joins_until }
    const later = await messages.insert({ ...of, webhook_id, due_at })
    await messages.move(
      id,
      later,
      paused.map((alert) => alert.id),
    )
  }
  return all.filter((alert) => alert.paused !== 1).map(asAlert)
}
