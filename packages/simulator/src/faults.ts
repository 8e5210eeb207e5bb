import type { Random, Range } from '#simulator/random.ts'
import type { Timers } from '#simulator/timers.ts'

/** Transport faults. Chances are 0..1 per event; `every` is a mean time between events, 0: never. */
export type Faults = {
  /** Chance that a command's PUBACK is never sent. */
  drop_puback: number
  /** Chance that a report is not sent before the next connection. */
  drop_report: number
  delay_report: number
  delay_ms: Range
  /** Chance that a batch of reports is published twice. */
  repeat_report: number
  /** Chance that a report waits until a later one has overtaken it. */
  reorder_report: number
  /** Loses its memory but keeps its ledger. */
  crash_every_secs: number
  /** Loses its connection. */
  cut_every_secs: number
  /** Loses its connection, and the server's end stays open. */
  vanish_every_secs: number
  /** Publishes `disconnected`, sends a DISCONNECT, and comes back. */
  leave_every_secs: number
  /** Stops reading. */
  stall_every_secs: number
  stall_ms: Range
  /** How long a device stays away after a crash or a goodbye. */
  away_ms: Range
}

export const NO_FAULTS: Faults = {
  drop_puback: 0,
  drop_report: 0,
  delay_report: 0,
  delay_ms: [200, 5_000],
  repeat_report: 0,
  reorder_report: 0,
  crash_every_secs: 0,
  cut_every_secs: 0,
  vanish_every_secs: 0,
  leave_every_secs: 0,
  stall_every_secs: 0,
  stall_ms: [1_000, 10_000],
  away_ms: [200, 3_000],
}

export type Victim = {
  crash: () => void
  cut: () => void
  vanish: () => void
  leave: () => void
  stall: (ms: number) => void
}

/** Runs the random mishaps of a device, until its timers are cleared. */
export function startMishaps(victim: Victim, faults: Faults, random: Random, timers: Timers): void {
  function recur(every_secs: number, happen: () => void): void {
    if (every_secs === 0) return
    timers.after(random.interval(every_secs * 1_000), () => {
      happen()
      recur(every_secs, happen)
    })
  }
  recur(faults.crash_every_secs, victim.crash)
  recur(faults.cut_every_secs, victim.cut)
  recur(faults.vanish_every_secs, victim.vanish)
  recur(faults.leave_every_secs, victim.leave)
  recur(faults.stall_every_secs, () => victim.stall(random.between(faults.stall_ms)))
}
