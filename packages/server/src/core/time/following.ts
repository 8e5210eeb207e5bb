/** A clock that follows occasional readings of another clock. */
type FollowingClock = {
  /** Milliseconds since 1970. It never goes back, unless the other clock was set. */
  now(): number
  /** Call this when an answer arrives: the other clock, asked at the tick `asked_ms`, answered `time_ms`. */
  heard(asked_ms: number, time_ms: number): void
}

/**
 * A clock that is ahead by less than this stands still until it is right. If it is further ahead, the other clock was
 * set.
 */
const STILL_MS = 1_000

/**
 * The other clock was read after the question and before the arrival of the answer. So each answer gives a lower and an
 * upper bound of the time, and only a time outside them moves, to the nearer bound. Slow or late answers therefore move
 * nothing. Between answers, time advances by `ticks`, a monotonic count of milliseconds.
 */
export function openFollowingClock(ticks: () => number): FollowingClock {
  /** The difference to the ticks. */
  let offset_ms = -Infinity
  let latest_ms = -Infinity
  return {
    now() {
      const ms = Math.floor(ticks() + offset_ms)
      if (ms > latest_ms || ms < latest_ms - STILL_MS) latest_ms = ms
      return latest_ms
    },
    heard(asked_ms, time_ms) {
      offset_ms = Math.min(Math.max(offset_ms, time_ms - ticks()), time_ms - asked_ms)
    },
  }
}
