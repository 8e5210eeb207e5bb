import type { Alert } from '@sdd/contract/outward/alerts.ts'
import { CALLBACK_DELAYS_MS } from '@sdd/contract/outward/callbacks.ts'
import type { Logger } from 'pino'
import { type Clock, instant } from '#server/core/clock.ts'
import type { Live } from '#server/core/live.ts'
import { type Loop, startLoop } from '#server/core/loop.ts'
import type { Replica } from '#server/core/replicas/replicas.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import type { Posting } from '#server/outward/callbacks/posting.ts'
import { newWebhookId } from '#server/outward/callbacks/signature.ts'
import { asAlert } from './alerts.ts'
import {
  alertChannelStore,
  type AlertChannelRow,
  alertMessageStore,
  type AlertMessageRow,
} from './channels.store.ts'
import { sendToChannel } from './sending.ts'
import { alertText } from './texts.ts'

type Needs = {
  db: Database
  clock: Clock
  live: Pick<Live, 'changed'>
  posting: Pick<Posting, 'post'>
}

const POLL_MS = 1_000
/** Messages that are sent at once, each to another channel. */
const AT_ONCE = 20
const MOST_LOOKED = 200
/** Alerts whose device is in maintenance are told after it. */
const PAUSED_MS = 30_000
const MOST_LISTED = 5

/** Tells channels about alerts. One of several servers does this. */
export function startAlertTelling(needs: Needs & { log: Logger; replica: Pick<Replica, 'leads'> }): Loop {
  const { log, replica } = needs
  const teller = openAlertTelling(needs)
  const loop = startLoop({
    name: 'telling of alerts',
    every_ms: POLL_MS,
    log,
    work: async () => void (replica.leads() && (await teller.begin(log))),
  })
  return {
    ...loop,
    async stop() {
      await loop.stop()
      await teller.ended()
    },
  }
}

/**
 * A message is written down before it is sent, and its body never changes after the first try. So a try that a crash
 * interrupts is repeated with the same `webhook-id`. One channel is sent one message at a time, and delays no other.
 */
export function openAlertTelling(needs: Needs) {
  const { db, clock } = needs
  /** By channel. */
  const underWay = new Map<number, Promise<void>>()

  async function begin(log: Pick<Logger, 'error'>): Promise<void> {
    for (const message of await alertMessageStore(db.read).due(instant(clock.now()), MOST_LOOKED)) {
      const { channel_id } = message
      if (underWay.size >= AT_ONCE) return
      if (underWay.has(channel_id)) continue
      const trying = tell(needs, message)
        .catch((err: unknown) => log.error({ err, message: message.id }, 'A channel could not be told'))
        .finally(() => underWay.delete(channel_id))
      underWay.set(channel_id, trying)
    }
  }

  const ended = async () => void (await Promise.all(underWay.values()))
  return { begin, ended }
}

async function tell(
  needs: Needs,
  { id, channel_id }: Pick<AlertMessageRow, 'id' | 'channel_id'>,
): Promise<void> {
  const { db, clock, live } = needs
  const ready = await db.write((tx) => prepare(tx, { id, channel_id }, clock.now()))
  if (ready === undefined) return
  const { channel, message, body } = ready
  const tried_at = instant(clock.now())
  const sent = await sendToChannel(needs, channel, message.webhook_id, body, clock.now())
  if (sent === undefined) return
  const { delivered, final, detail } = sent
  const delay_ms = final ? undefined : CALLBACK_DELAYS_MS[message.tries]
  await db.write(async (tx) => {
    const last = { last_at: tried_at, last_delivered: delivered ? 1 : 0, last_detail: detail } as const
    await alertChannelStore(tx, 'all').update(channel.id, last)
    const messages = alertMessageStore(tx)
    const tried = { tries: message.tries + 1, tried_at, detail }
    if (delivered) await messages.update(id, { ...tried, state: 'delivered' })
    else if (delay_ms === undefined) await messages.update(id, { ...tried, state: 'dead' })
    else await messages.update(id, { ...tried, due_at: instant(clock.now() + delay_ms) })
    if (delivered) await messages.noteSaid(id, instant(clock.now()))
  })
  live.changed(channel.company_id, 'alerts')
}

function withoutTold({ told: _, ...alert }: Alert): Omit<Alert, 'told'> {
  return alert
}

/** Fixes the body of the message at its first try. `undefined` if there is nothing to send now. */
async function prepare(
  tx: Tx,
  { id, channel_id }: Pick<AlertMessageRow, 'id' | 'channel_id'>,
  now_ms: number,
): Promise<{ channel: AlertChannelRow; message: AlertMessageRow; body: string } | undefined> {
  // The channel first, because removing it removes its messages.
  const channel = await alertChannelStore(tx, 'all').hold(channel_id)
  const messages = alertMessageStore(tx)
  const message = await messages.hold(id)
  if (channel === undefined || message?.state !== 'waiting' || message.due_at > instant(now_ms))
    return undefined
  if (message.body !== null) return { channel, message, body: message.body }
  const all = await messages.alertsOf(id)
  const paused = all.filter(({ paused }) => paused === 1)
  const due_at = instant(now_ms + PAUSED_MS)
  if (paused.length === all.length) {
    await messages.update(id, { due_at })
    return undefined
  }
  if (paused.length > 0) {
    const { company_id, rule_id, event, state } = message
    const webhook_id = newWebhookId()
    const later = await messages.insert({ company_id, channel_id, rule_id, event, state, webhook_id, due_at })
    await messages.move(
      id,
      later,
      paused.map((alert) => alert.id),
    )
  }
  const alerts = all.filter((alert) => alert.paused !== 1).map((row) => asAlert(row, []))
  const { event } = message
  const { condition, value } = alerts[0]!.rule
  const body = JSON.stringify({
    type: `alert.${event}`,
    at: instant(now_ms),
    text: alertText(event, condition, alerts),
    count: alerts.length,
    rule: { id: message.rule_id, condition, value },
    alerts: alerts.slice(0, MOST_LISTED).map(withoutTold),
  })
  await messages.update(id, { body })
  return { channel, message, body }
}
