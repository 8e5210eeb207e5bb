import type { Clock } from '#agent/clock.ts'

/**
 * When this SIM may send again. An operator that refuses one message after the other has its reasons (fair use, a plan
 * without SMS, a block against spam), and more tries make it worse.
 */
export type Pace = {
  worked: () => void
  /** The network refused for now (`CMS 38`), or refuses this SIM as such (`CMS 28`). `said`: what the modem said. */
  refused: (why: 'for_now' | 'barred', said: string) => void
  /** Why nothing is sent now; undefined where it may. */
  pause: () => { says: string } | undefined
}

/** Refusals in a row that are no accident. */
const IN_A_ROW = 3
const FIRST_PAUSE_MS = 5 * 60_000
/** Fair-use limits count by the hour. */
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
          ? `the operator refuses every SMS of this SIM (${said}): see to its plan and its SMS centre; next try at ${next}`
          : `the network refuses one SMS after the other (${said}): next try at ${next}`
      pause = { until: clock.uptime() + pause_ms, says }
    },
    pause: () => (pause && clock.uptime() < pause.until ? pause : undefined),
  }
}
