/** The time, passed in: with a fake clock, a test of a three-minute time-out takes milliseconds. */
export type Clock = {
  /** Milliseconds since 1970. */
  now: () => number
  /** Milliseconds since an arbitrary moment. Used for durations, because it ignores changes to the system clock. */
  uptime: () => number
  /** Runs `run` once, after `ms`. Returns a function that cancels it. */
  after: (ms: number, run: () => void) => () => void
}

export const machineClock: Clock = {
  now: () => Date.now(),
  uptime: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
}

/** Resolves after `ms`, or as soon as the signal is aborted. The caller checks the signal. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  if (signal?.aborted) return Promise.resolve()
  const cancel = clock.after(ms, wake)
  signal?.addEventListener('abort', wake, { once: true })
  function wake(): void {
    cancel()
    signal?.removeEventListener('abort', wake)
    resolve()
  }
  return promise
}

/** Waits for the promise, but at most `ms`. Rejects if the promise rejects. */
export async function within(clock: Clock, ms: number, promise: Promise<unknown>): Promise<void> {
  const over = new AbortController()
  try {
    await Promise.race([promise, sleep(clock, ms, over.signal)])
  } finally {
    over.abort()
  }
}

/** The current time as reports carry it: ISO 8601 in UTC. */
export function isoNow(clock: Pick<Clock, 'now'>): string {
  return new Date(clock.now()).toISOString()
}
