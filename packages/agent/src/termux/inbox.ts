import { createHash } from 'node:crypto'
import { type Clock } from '#agent/clock.ts'
import type { Keeper } from '#agent/driver.ts'
import type { Termux } from './commands.ts'
import { listSms, type PhoneSms } from './sms.ts'

type Inbox = {
  /** Hands on the new SMS since the device was linked, oldest first: the received ones, and those typed on the phone. */
  poll: () => Promise<void>
}

const PAGE = 30
/** An earlier run handed on older SMS, or they are too old to matter. */
const LOOK_BACK_MS = 14 * 86_400_000

type Needs = {
  termux: Pick<Termux, 'ask'>
  keeper: Pick<Keeper, 'received' | 'typedSince' | 'typed'>
  clock: Pick<Clock, 'now'>
  since: string
}

export function openInbox({ termux, keeper, clock, since }: Needs): Inbox {
  const inbox = openList(termux, 'inbox')
  const sent = openList(termux, 'sent')
  let typed_since: string | undefined

  function from(...times: string[]): number {
    return Math.max(clock.now() - LOOK_BACK_MS, ...times.map((time) => Date.parse(time)))
  }

  return {
    async poll() {
      for (const sms of await inbox.fresh(from(since))) {
        // If the time cannot be read, the keeper uses the current time.
        const at = Number.isNaN(sms.at_ms) ? sms.received : new Date(sms.at_ms).toISOString()
        await keeper.received({ ...idsOf(sms), from: sms.number, text: sms.body, at })
        inbox.handedOn([sms])
      }
      typed_since ??= await keeper.typedSince()
      const fresh = await sent.fresh(from(since, typed_since))
      // Without its time, the agent could not tell that it sent it itself.
      const timed = fresh.filter(({ at_ms }) => !Number.isNaN(at_ms))
      if (timed.length > 0) await keeper.typed(timed.map(asTyped))
      sent.handedOn(fresh)
    },
  }
}

function openList(termux: Pick<Termux, 'ask'>, which: 'inbox' | 'sent') {
  /** Their times, by their ids. */
  const handed_on = new Map<string, number>()
  return {
    /** The SMS since then that were not handed on, oldest first. */
    async fresh(from_ms: number): Promise<PhoneSms[]> {
      for (const [id, at_ms] of handed_on) if (at_ms < from_ms) handed_on.delete(id)
      const fresh: PhoneSms[] = []
      for (let offset = 0; ; offset += PAGE) {
        const page = await listSms(termux, which, PAGE, offset)
        const unseen = page.filter((sms) => !(sms.at_ms < from_ms) && !handed_on.has(idOf(sms)))
        fresh.push(...unseen)
        if (unseen.length === 0 || page.length < PAGE) return fresh.reverse()
      }
    },
    handedOn(list: readonly PhoneSms[]): void {
      for (const sms of list) handed_on.set(idOf(sms), sms.at_ms)
    },
  }
}

function asTyped(sms: PhoneSms) {
  return { ...idsOf(sms), to: sms.number, text: sms.body, at: new Date(sms.at_ms).toISOString() }
}

/** `former_id`: of the first versions. Its time is printed differently in another time zone or language. */
function idsOf(sms: PhoneSms): { id: string; former_id: string } {
  return { id: idOf(sms), former_id: `android-${sms.id}-${sms.received.replaceAll(/[ :-]/g, '')}` }
}

/** With a hash of the SMS, because Android counts from 1 again when its store is emptied. */
function idOf({ id, number, body }: PhoneSms): string {
  const hash = createHash('sha256').update(`${number}\n${body}`).digest('hex')
  return `android-${id}-${hash.slice(0, 16)}`
}
