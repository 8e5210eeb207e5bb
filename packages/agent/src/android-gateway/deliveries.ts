import type { Clock } from '#agent/clock.ts'
import type { Keeper } from '#agent/driver.ts'
import type { Api, Message } from './api.ts'
import { isOurs } from './send.ts'

type Deliveries = {
  /** Adds a sent message whose delivery report was requested. */
  expect: (id: string) => void
  /** Polls the expected reports. The first poll also covers the last days, for messages of an earlier run. */
  poll: () => Promise<void>
}

/** Most networks give up on a phone that is unreachable for this long. */
const LOOK_BACK_MS = 3 * 86_400_000
/** A report is polled less often the longer it is missing; this is the longest interval. */
const SELDOM_MS = 10 * 60_000
const PAGE = 100

/** The app's text for a message that was sent but not delivered. */
const NOT_DELIVERED = /^Delivery result/

export function openDeliveries(needs: {
  api: Pick<Api, 'message' | 'messages'>
  keeper: Pick<Keeper, 'delivery'>
  clock: Pick<Clock, 'now' | 'uptime'>
  /** Of the ids of this device's messages. */
  salt: string
}): Deliveries {
  const { api, keeper, clock, salt } = needs
  const expected = new Map<string, { since: number; next_look: number }>()
  let first = true

  async function poll(): Promise<void> {
    if (first) await lookBack()
    first = false
    for (const [id, { since, next_look }] of expected) {
      const now = clock.uptime()
      if (now < next_look) continue
      const message = await api.message(id)
      const over = message === undefined || (await take(message)) || now - since > LOOK_BACK_MS
      if (over) expected.delete(id)
      else expected.set(id, { since, next_look: now + Math.min((now - since) / 10, SELDOM_MS) })
    }
  }

  async function lookBack(): Promise<void> {
    const from = new Date(clock.now() - LOOK_BACK_MS).toISOString()
    for (let offset = 0; ; offset += PAGE) {
      const page = await api.messages(from, PAGE, offset)
      for (const message of page) {
        if (isOurs(message.id, salt) && !(await take(message)) && message.state === 'Sent') expect(message.id)
      }
      if (page.length < PAGE) return
    }
  }

  /** True once the final state is known and on disk. */
  async function take({ id, recipients, states }: Message): Promise<boolean> {
    const [recipient] = recipients
    if (!recipient) return true
    const { state, error, phoneNumber: to } = recipient
    const at = states?.[state] ?? new Date(clock.now()).toISOString()
    const report = { reference: id, unique: true, to, at } as const
    if (state === 'Delivered') await keeper.delivery({ ...report, state: 'delivered' })
    else if (state === 'Failed' && NOT_DELIVERED.test(error ?? '')) {
      await keeper.delivery({ ...report, state: 'undelivered', detail: error! })
    } else return state === 'Failed'
    return true
  }

  function expect(id: string): void {
    expected.set(id, { since: clock.uptime(), next_look: clock.uptime() })
  }

  return { expect, poll }
}
