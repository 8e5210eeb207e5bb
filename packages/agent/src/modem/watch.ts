import type { Channel } from '#agent/at/channel.ts'
import { type Clock, isoNow } from '#agent/clock.ts'
import { readSignalFacts, type Signal } from './facts.ts'
import type { Inbox } from './inbox.ts'
import { type Profile, readSettings } from './setup.ts'

/** What is looked at again and again: modems do not tell everything, and forget without a word. */
export type Watch = {
  /** News say that there is something to see; it is looked at soon. */
  about: (what: 'signal' | 'inbox') => void
  /** It was set up just now. */
  begun: () => void
  /** Looks at what is due. False where the modem has lost its settings. */
  look: (on: Pick<Channel, 'ask'>, profile: Profile) => Promise<boolean>
  /** How long nothing is due, in ms. */
  next: () => number
}

const EVERY_MS = 60_000
/** However many news come, messages get their turn too. */
const SOON_MS = 1_000

export function openWatch(needs: {
  clock: Clock
  inbox: Pick<Inbox, 'tend'>
  onSignal: (signal: Signal) => void
}): Watch {
  const { clock, inbox, onSignal } = needs
  const due = { signal: false, inbox: false }
  let all_at = -Infinity
  let some_at = -Infinity

  return {
    about(what) {
      due[what] = true
    },
    begun() {
      all_at = clock.uptime()
      some_at = -Infinity
      due.signal = false
      due.inbox = true
    },
    async look(on, profile) {
      const line = { channel: on, profile }
      const all = clock.uptime() >= all_at + EVERY_MS
      const soon = clock.uptime() >= some_at + SOON_MS
      // Not awaited: the disk may take its time, and the modem has other news.
      void inbox.tend(line, all || (soon && due.inbox))
      if (!all && !soon) return true
      const wanted = { signal: due.signal }
      due.signal = due.inbox = false
      try {
        if (all && (await hasForgotten(on, profile))) return false
        if (all || wanted.signal) onSignal(await readSignalFacts(on, isoNow(clock)))
      } catch (error) {
        // What was not seen is still due.
        due.signal ||= wanted.signal
        throw error
      }
      some_at = clock.uptime()
      if (all) all_at = clock.uptime()
      return true
    },
    next() {
      const soon = due.signal || due.inbox ? some_at + SOON_MS : Infinity
      return Math.max(0, Math.min(all_at + EVERY_MS, soon) - clock.uptime())
    },
  }
}

async function hasForgotten(on: Pick<Channel, 'ask'>, { settings }: Profile): Promise<boolean> {
  const now = await readSettings(on)
  return now !== undefined && settings !== undefined && now !== settings
}
