/** A clock that is set by what another one says now and then. */
export type Following = {
  /** Milliseconds since 1970; never less than before, unless the other clock was set. */
  now(): number
  /** The other clock, asked when the ticks were `asked_ms`, said `time_ms`. To be called when the answer comes. */
  heard(asked_ms: number, time_ms: number): void
}

/** A clock that is ahead by so little stands still until it is right; more than that, and the other one was set. */
const STILL_MS = 1_000

/**
 * An answer was given after it was asked for and before it came. So each says within what limits the time must be, and
 * only a time outside of them is moved, to the nearest: how long answers take, or how late they come, moves nothing.
 * In between, time goes on by `ticks`, milliseconds that nobody sets.
 */
export function openFollowing(ticks: () => number): Following {
  /** What is added to the ticks. */
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
