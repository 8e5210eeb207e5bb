import { type Clock, systemClock } from '#server/core/clock.ts'

export type TestClock = Clock & {
  /** Advances the clock by this many milliseconds. */
  advance(ms: number): void
}

export const SECOND = 1_000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE

/** A clock that stands still until a test advances it. Its days are those of Madrid, like the test server's. */
export function testClock(start: string): TestClock {
  const { day, midnightAfter } = systemClock('Europe/Madrid')
  let now_ms = Date.parse(start)
  return { now: () => now_ms, day, midnightAfter, advance: (ms) => void (now_ms += ms) }
}
