import type { Clock } from '#agent/clock.ts'

/**
 * A clock that stands still until a test advances it, and then jumps from timer to timer. It jumps only when the event
 * loop is idle, so that data on an in-memory stream has arrived first, however slow the machine.
 */
type Time = Clock & {
  /** Advances the clock by `ms`. */
  pass: (ms: number) => Promise<void>
  /** Advances the clock until the promise settles, and returns its result. */
  until: <T>(promise: Promise<T>) => Promise<T>
  /** How far the clock has advanced, in ms. */
  elapsed: () => number
  /** Sets the system clock forward by `ms`, or back. `uptime` and the timers go on. */
  set: (ms: number) => void
}

/** A promise that needs more than this waits for an event that will not happen. */
const LONGEST_MS = 7 * 24 * 3_600_000

export function openTime(start = Date.UTC(2026, 2, 1, 12)): Time {
  type Timer = { at: number; order: number; run: () => void }
  const timers = new Set<Timer>()
  let now = start
  let set_by = 0
  let orders = 0

  function next(): Timer | undefined {
    let first: Timer | undefined
    for (const timer of timers) {
      if (!first || timer.at < first.at || (timer.at === first.at && timer.order < first.order)) first = timer
    }
    return first
  }

  function fire(timer: Timer): void {
    timers.delete(timer)
    now = Math.max(now, timer.at)
    timer.run()
  }

  return {
    now: () => now + set_by,
    uptime: () => now,
    elapsed: () => now - start,
    set: (ms) => void (set_by += ms),
    after(ms, run) {
      const timer = { at: now + Math.max(0, ms), order: orders++, run }
      timers.add(timer)
      return () => void timers.delete(timer)
    },
    async pass(ms) {
      const end = now + ms
      for (;;) {
        await settle()
        const timer = next()
        if (!timer || timer.at > end) break
        fire(timer)
      }
      now = end
    },
    async until(promise) {
      let settled = false
      promise.then(
        () => (settled = true),
        () => (settled = true),
      )
      const limit = now + LONGEST_MS
      for (;;) {
        await settle()
        if (settled) return promise
        const timer = next()
        if (!timer) throw new Error('No timer is left that could settle the promise')
        if (timer.at > limit) throw new Error('The promise takes more than a week')
        fire(timer)
      }
    },
  }
}

/** Waits until streams and promises are idle. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve))
}
