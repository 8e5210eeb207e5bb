import { createHash } from 'node:crypto'
import type { Clock } from '#agent/clock.ts'
import type { Keeper } from '#agent/driver.ts'
import type { Api, Incoming } from './api.ts'

type Inbox = {
  /** Hands on the SMS that arrived since the device was linked, oldest first. False if the app cannot list them. */
  poll: () => Promise<boolean>
  /** Hands on one SMS from a webhook. */
  take: (sms: Incoming) => Promise<void>
}

const PAGE = 50
const LOOK_BACK_MS = 7 * 86_400_000
/**
 * Interval of a poll of all pages. A delayed SMS bears the time at which it was sent, and may appear below newer ones.
 */
const ALL_EVERY_MS = 10 * 60_000

export function openInbox(needs: {
  api: Pick<Api, 'inbox'>
  keeper: Pick<Keeper, 'received'>
  clock: Pick<Clock, 'now' | 'uptime'>
  since: string
}): Inbox {
  const { api, keeper, clock, since } = needs
  const handed_on = new Set<string>()
  let looked_at_all = Number.NEGATIVE_INFINITY

  async function poll(): Promise<boolean> {
    const whole = clock.uptime() - looked_at_all >= ALL_EVERY_MS
    const from = new Date(Math.max(Date.parse(since), clock.now() - LOOK_BACK_MS)).toISOString()
    const fresh: Incoming[] = []
    for (let offset = 0; ; offset += PAGE) {
      const page = await api.inbox(from, PAGE, offset)
      if (page === undefined) return false
      const unseen = page.filter((sms) => !handed_on.has(idOf(sms)))
      fresh.push(...unseen)
      if (page.length < PAGE || (unseen.length === 0 && !whole)) break
    }
    for (const sms of fresh.toSorted((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt)))
      await take(sms)
    if (whole) looked_at_all = clock.uptime()
    return true
  }

  async function take(sms: Incoming): Promise<void> {
    const { sender: from, contentPreview: text, createdAt: at, simNumber } = sms
    const sim = typeof simNumber === 'number' ? { sim: String(simNumber) } : {}
    await keeper.received({ id: idOf(sms), from, text, at, ...sim })
    handed_on.add(idOf(sms))
  }

  return { poll, take }
}

/** A hash of the SMS itself, since a webhook uses another id than the list. */
function idOf({ sender, contentPreview, createdAt }: Incoming): string {
  const content = [sender, String(Date.parse(createdAt)), contentPreview].join('\n')
  return `gateway-${createHash('sha256').update(content).digest('hex')}`
}
