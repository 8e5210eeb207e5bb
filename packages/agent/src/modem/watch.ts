import type { Channel } from '#agent/at/channel.ts'
import { type Clock, isoNow } from '#agent/clock.ts'
import { readSignalFacts, type Signal } from './facts.ts'
import type { Inbox } from './inbox.ts'
import { type Profile, readSettings } from './setup.ts'

/** Polls the modem, because modems do not announce everything and lose their settings silently. */
type Watch = {
  /** Marks something to poll soon, after an unsolicited line about it. */
  markDue: (what: 'signal' | 'inbox') => void
  /** The modem has just been set up. */
  afterSetUp: () => void
  /** Polls all due items. False if the modem has lost its settings. */
  poll: (on: Pick<Channel, 'ask'>, profile: Profile) => Promise<boolean>
  /** Ms until something is due. */
  next: () => number
}

const EVERY_MS = 60_000
/** Leaves time for messages even if many unsolicited lines arrive. */
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
    markDue(what) {
      due[what] = true
    },
    afterSetUp() {
      all_at = clock.uptime()
      some_at = -Infinity
      due.signal = false
      due.inbox = true
    },
    async poll(on, profile) {
      const line = { channel: on, profile }
      const all = clock.uptime() >= all_at + EVERY_MS
      const soon = clock.uptime() >= some_at + SOON_MS
      // Not awaited: the disk may be slow, and the modem has other things to report.
      void inbox.tend(line, all || (soon && due.inbox))
      if (!all && !soon) return true
      const wanted = { signal: due.signal }
      due.signal = due.inbox = false
      try {
        if (all && (await hasForgotten(on, profile))) return false
        if (all || wanted.signal) onSignal(await readSignalFacts(on, isoNow(clock)))
      } catch (error) {
        // Still due after a failure.
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
