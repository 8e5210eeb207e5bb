import type { Clock } from './clock.ts'

/** One reading of a clock as plain values: a moment and its day. */
export type Moment = { now_ms: number; day: string; day_ends_ms: number }

export function momentOf(clock: Clock): Moment {
  const now_ms = clock.now()
  return { now_ms, day: clock.day(now_ms), day_ends_ms: clock.midnightAfter(now_ms) }
}

/** A clock that always shows this moment. It knows no other day. */
export function clockAt({ now_ms, day, day_ends_ms }: Moment): Clock {
  return { now: () => now_ms, day: () => day, midnightAfter: () => day_ends_ms }
}
