import { CALLBACK_DELAYS_MS } from '@sdd/contract/outward/callbacks.ts'
import type { Logger } from 'pino'
import { type Clock, instant } from '#server/core/clock.ts'
import type { Live } from '#server/core/live.ts'
import { type Loop, startLoop } from '#server/core/loop.ts'
import type { Replica } from '#server/core/replicas/replicas.ts'
import type { Database } from '#server/database/open.ts'
import type { Posting } from '#server/outward/callbacks/posting.ts'
import { alertChannelStore, alertMessageStore, type DueAlertMessage } from './channels.store.ts'
import { prepareMessage } from './preparing.ts'
import { sendToChannel } from './sending.ts'

type Needs = {
  db: Database
  clock: Clock
  live: Pick<Live, 'changed'>
  posting: Pick<Posting, 'post'>
}

const POLL_MS = 1_000
/** Messages that are sent at once, in all and for each company, each to another channel. */
const SLOTS = { overall: 200, each: 20 }

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
  const { db, clock, live } = needs
  const { id } = due
  const ready = await db.write((tx) => prepareMessage(tx, due, clock.now()))
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
