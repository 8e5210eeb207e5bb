import { type Clock, sleep } from '#agent/clock.ts'
import type { RadioState } from '#agent/driver.ts'
import type { Signal } from './facts.ts'
import type { Profile } from './setup.ts'

/** The state of the radio: the first problem that matters, else the network. */
export function describeRadio(facts: {
  /** Why the modem is not set up. */
  trouble: string
  profile: Profile | undefined
  signal: Signal | undefined
  power: string | undefined
  pause: { says: string } | undefined
  alarm: string | undefined
  last_sent_at: string | null
}): RadioState {
  const { trouble, profile, signal, power, pause, alarm, last_sent_at } = facts
  const not = (says: string): RadioState => ({ ready: false, says, last_sent_at })
  if (power !== undefined) return not(power)
  if (!profile) return not(trouble)
  const registration = signal?.registration
  if (!registration?.sms) return not(withoutNetwork(registration?.meaning))
  if (profile.smsc === null) return not('the SIM has no SMS centre number: ask its operator, and set `smsc`')
  if (pause) return not(pause.says)
  const where = registration.roaming ? 'abroad' : 'at home'
  const on = signal?.operator ? ` on ${signal.operator}` : ''
  const more = [profile.reports === true ? undefined : profile.reports, alarm].filter(
    (sentence) => sentence !== undefined,
  )
  return { ready: true, says: [`registered ${where}${on}`, ...more].join('; '), last_sent_at }
}

function withoutNetwork(meaning = 'unknown'): string {
  if (meaning === 'denied') return 'the network denies this SIM: is it active, and the modem allowed?'
  if (meaning === 'searching') return 'searching for a network'
  return `no network (${meaning}): check the antenna and its position`
}

/** A smaller change of the signal is not reported. */
const SIGNAL_STEP_DBM = 6

type Watchers = {
  /** Call it after any change. It notifies the keeper and the callers of `ready` if the radio's state differs. */
  update: () => void
  /** Waits until the radio is ready; false if that takes longer. */
  ready: (within_ms: number) => Promise<boolean>
}

export function openWatchers(needs: {
  clock: Clock
  stopping: AbortSignal
  radio: () => RadioState
  signal: () => Signal | undefined
  changed: () => void
}): Watchers {
  const { clock, stopping, radio, signal, changed } = needs
  let notified = ''
  let waiting = new Set<() => void>()

  return {
    update() {
      const { ready, says } = radio()
      const { operator, access, signal: dbm } = signal() ?? {}
      const summary = [says, operator, access, Math.round((dbm ?? 0) / SIGNAL_STEP_DBM)].join()
      if (summary === notified) return
      notified = summary
      changed()
      if (!ready) return
      const woken = waiting
      waiting = new Set()
      for (const wake of woken) wake()
    },
    async ready(within_ms) {
      const until = clock.uptime() + within_ms
      while (!radio().ready && !stopping.aborted && clock.uptime() < until) {
        const rested = new AbortController()
        const wake = (): void => rested.abort()
        waiting.add(wake)
        stopping.addEventListener('abort', wake, { once: true })
        await sleep(clock, until - clock.uptime(), rested.signal)
        stopping.removeEventListener('abort', wake)
        waiting.delete(wake)
      }
      return radio().ready
    },
  }
}
