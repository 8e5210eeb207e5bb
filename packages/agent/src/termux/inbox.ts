import { type Clock } from '#agent/clock.ts'
import type { Keeper } from '#agent/driver.ts'
import type { Termux } from './commands.ts'
import { listSms, type PhoneSms } from './sms.ts'

type Inbox = {
  /** Hands on the new SMS since the device was linked, oldest first. */
  poll: () => Promise<void>
}

const PAGE = 30
/** An earlier run handed on older SMS, or they are too old to matter. */
const LOOK_BACK_MS = 14 * 86_400_000

export function openInbox(needs: {
  termux: Pick<Termux, 'ask'>
  keeper: Pick<Keeper, 'received'>
  clock: Pick<Clock, 'now'>
  since: string
}): Inbox {
  const { termux, keeper, clock, since } = needs
  const handed_on = new Set<string>()

  async function poll(): Promise<void> {
    const from_ms = Math.max(Date.parse(since), clock.now() - LOOK_BACK_MS)
    const fresh: PhoneSms[] = []
    for (let offset = 0; ; offset += PAGE) {
      const page = await listSms(termux, 'inbox', PAGE, offset)
      const unseen = page.filter((sms) => !(sms.at_ms < from_ms) && !handed_on.has(idOf(sms)))
      fresh.push(...unseen)
      if (unseen.length === 0 || page.length < PAGE) break
    }
    for (const sms of fresh.toReversed()) {
      const { number: from, body: text, at_ms } = sms
      // If the time cannot be read, the keeper uses the current time.
      const at = Number.isNaN(at_ms) ? sms.received : new Date(at_ms).toISOString()
      await keeper.received({ id: idOf(sms), from, text, at })
      handed_on.add(idOf(sms))
    }
  }

  return { poll }
}

/** With the time, because Android counts from 1 again when its store is emptied. */
function idOf({ id, received }: PhoneSms): string {
  return `android-${id}-${received.replaceAll(/[ :-]/g, '')}`
}
