import type { AlertBody, AlertSubject } from '@sdd/contract/outward/alerts.ts'
import { CALLBACK_DELAYS_MS } from '@sdd/contract/outward/callbacks.ts'
import type { Logger } from 'pino'
import { type Clock, instant } from '#server/core/clock.ts'
import { crashPoint } from '#server/core/crash-points.ts'
import type { Live } from '#server/core/live.ts'
import { type Loop, startLoop } from '#server/core/loop.ts'
import type { Replica } from '#server/core/replicas/replicas.ts'
import type { Database } from '#server/database/open.ts'
import { announceQueued } from '#server/messages/messages/queued.ts'
import type { Posting } from '#server/outward/callbacks/posting.ts'
import { alertChannelStore, alertMessageStore, type DueAlertMessage } from './channels.store.ts'
import type { Mailing } from './mailing.ts'
import { prepareMessage, type Prepared } from './preparing.ts'
import { sendToChannel, type Sent } from './sending.ts'
import { alertSmsOutcome, storeAlertSms, type TextingNeeds } from './texting.ts'

type Needs = {
  db: Database
  clock: Clock
  live: Pick<Live, 'changed'>
  posting: Pick<Posting, 'post'>
  mailing: Pick<Mailing, 'send'>
} & TextingNeeds

const POLL_MS = 1_000
/** An SMS that was not sent after this long is given to another device. */
const SMS_MS = 10 * 60_000
/** How often the outcome of an SMS is looked for, and a device that can send one. */
const LOOK_MS = 2_000
/** A stop waits this long for running tries. The others are tried again after the next start. */
const STOP_MS = 2_000
/** Messages that are sent at once, in all and for each company, each to another channel. */
const SLOTS = { overall: 200, each: 20 }

/** Tells channels about alerts. One of several servers does this. A stop closes `posting` and `mailing`. */
export function startAlertTelling(
  needs: Needs & { log: Logger; replica: Pick<Replica, 'leads'>; posting: Posting; mailing: Mailing },
): Loop {
  const { log, replica, posting, mailing } = needs
  const teller = openAlertTelling(needs)
  const loop = startLoop({
    name: 'telling of alerts',
    every_ms: POLL_MS,
    log,
    work: async () => void (replica.leads() && (await teller.begin(log))),
  })
  const close = () => {
    posting.close()
    mailing.close()
  }
  return {
    ...loop,
    async stop() {
      await loop.stop()
      const slow = setTimeout(close, STOP_MS)
      await teller.ended()
      clearTimeout(slow)
      close()
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
  const underWay = new Map<number, { company_id: number; ended: Promise<void> }>()

  async function begin(log: Pick<Logger, 'error'>): Promise<void> {
    const left = SLOTS.overall - underWay.size
    if (left <= 0) return
    const running = new Map<number, number>()
    for (const { company_id } of underWay.values())
      running.set(company_id, (running.get(company_id) ?? 0) + 1)
    const full = [...running].filter(([, count]) => count >= SLOTS.each).map(([company_id]) => company_id)
    const but = { busy: [...underWay.keys()], full, each: SLOTS.each }
    for (const message of await alertMessageStore(db.read).due(instant(clock.now()), but, left)) {
      const { channel_id, company_id } = message
      const count = running.get(company_id) ?? 0
      if (count >= SLOTS.each) continue
      running.set(company_id, count + 1)
      const ended = tell(needs, message)
        .catch((err: unknown) => log.error({ err, message: message.id }, 'A channel could not be told'))
        .finally(() => underWay.delete(channel_id))
      underWay.set(channel_id, { company_id, ended })
    }
  }

  const ended = async () => void (await Promise.all([...underWay.values()].map((one) => one.ended)))
  return { begin, ended }
}

async function tell(needs: Needs, due: DueAlertMessage): Promise<void> {
  const { db, clock } = needs
  const ready = await db.write((tx) => prepareMessage(tx, due, clock.now()))
  if (ready === undefined) return
  crashPoint('prepared')
  const tried_at = instant(clock.now())
  const { channel, message, body } = ready
  if (channel.kind === 'sms') return tellBySms(needs, ready)
  const sent = await sendToChannel(needs, channel, message.webhook_id, body, clock.now())
  if (sent !== undefined) await settle(needs, ready, sent, tried_at)
}

/** The SMS is queued in the transaction that notes it, so it is sent once. Later rounds look for its outcome. */
async function tellBySms(needs: Needs, ready: Prepared): Promise<void> {
  const { db, clock } = needs
  const { channel, message, body } = ready
  const { company_id, recipient } = channel
  const { sms_guid } = message
  if (sms_guid !== null) {
    const sent = await alertSmsOutcome(db.read, company_id, sms_guid)
    if (sent === undefined) return waitFor(needs, message)
    return settle(needs, ready, sent, message.tried_at ?? instant(clock.now()))
  }
  const stored = await db.write(async (tx) => {
    const messages = alertMessageStore(tx)
    const held = await messages.hold(message.id)
    if (held?.state !== 'waiting' || held.sms_guid !== null) return undefined
    const about = await messages.alertsOf(message.id)
    const idsOf = (kind: AlertSubject['kind']) =>
      about.filter(({ subject_kind }) => subject_kind === kind).map(({ subject_id }) => subject_id)
    const { text } = JSON.parse(body) as AlertBody
    const guidOf = (tried: number) => `${held.webhook_id}-${tried}`
    const stored = await storeAlertSms(tx, needs, {
      guid: guidOf(held.tries),
      company_id,
      number: recipient!,
      text,
      lifetime_ms: SMS_MS,
      but: { uids: idsOf('device'), iccids: idsOf('sim') },
      failed_guid: held.tries > 0 ? guidOf(held.tries - 1) : null,
    })
    if (typeof stored === 'object')
      await messages.update(message.id, { sms_guid: stored.guid, tried_at: instant(clock.now()) })
    return stored ?? 'no device'
  })
  if (stored === undefined || stored === 'no device') return waitFor(needs, message)
  if (typeof stored === 'string') {
    const refused = { delivered: false, final: true, detail: stored }
    return settle(needs, ready, refused, instant(clock.now()))
  }
  announceQueued(needs, stored)
  return waitFor(needs, message)
}

async function waitFor({ db, clock }: Needs, { id }: Prepared['message']): Promise<void> {
  await db.write((tx) => alertMessageStore(tx).update(id, { due_at: instant(clock.now() + LOOK_MS) }))
}

/** Notes what became of a try. */
async function settle(
  { db, clock, live }: Needs,
  { channel, message: { id, event, tries } }: Prepared,
  { delivered, final, detail }: Sent,
  tried_at: string,
): Promise<void> {
  crashPoint('taken')
  const delay_ms = final ? undefined : CALLBACK_DELAYS_MS[tries]
  await db.write(async (tx) => {
    const last = { last_at: tried_at, last_delivered: delivered ? 1 : 0, last_detail: detail } as const
    await alertChannelStore(tx, 'all').update(channel.id, last)
    const messages = alertMessageStore(tx)
    const tried = { tries: tries + 1, tried_at, detail, sms_guid: null }
    if (delivered) await messages.update(id, { ...tried, state: 'delivered' })
    else if (delay_ms === undefined) await messages.update(id, { ...tried, state: 'dead' })
    else await messages.update(id, { ...tried, due_at: instant(clock.now() + delay_ms) })
    if (delivered && event !== 'resolved') await messages.noteSaid(id, instant(clock.now()))
  })
  crashPoint('told')
  live.changed(channel.company_id, 'alerts')
}
