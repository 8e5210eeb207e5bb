import type { Clock } from '#agent/clock.ts'

/**
 * When this SIM may send again. An operator that refuses one message after the other has a reason (fair use, a plan
 * without SMS, a block against spam). More tries make it worse.
 */
export type Pace = {
  worked: () => void
  /**
   * `for_now`: a temporary refusal (`CMS 38`). `barred`: the network refuses this SIM (`CMS 28`). `said`: the modem's
   * answer.
   */
  refused: (why: 'for_now' | 'barred', said: string) => void
  /** Why nothing is sent now; undefined if sending is allowed. */
  pause: () => { says: string } | undefined
}

/** Consecutive refusals that cannot be an accident. */
const IN_A_ROW = 3
const FIRST_PAUSE_MS = 5 * 60_000
/** Fair-use limits are usually per hour. */
const LONGEST_PAUSE_MS = 60 * 60_000

export function openPace(clock: Clock): Pace {
  let row = 0
  let pause_ms = 0
  let pause: { until: number; says: string } | undefined

  return {
    worked() {
      row = 0
      pause_ms = 0
      pause = undefined
    },
    refused(why, said) {
      row++
      // After a pause, one refusal is enough.
      if (row < IN_A_ROW) return
      const most_ms = why === 'barred' ? LONGEST_PAUSE_MS : Math.min(2 * pause_ms, LONGEST_PAUSE_MS)
      pause_ms = Math.max(most_ms, FIRST_PAUSE_MS)
      const next = new Date(clock.now() + pause_ms).toISOString()
      const says =
        why === 'barred'
          ? `the operator refuses every SMS of this SIM (${said}): check its plan and its SMS centre; next try at ${next}`
          : `the network refuses every SMS (${said}): next try at ${next}`
      pause = { until: clock.uptime() + pause_ms, says }
    },
    pause: () => (pause && clock.uptime() < pause.until ? pause : undefined),
  }
}
