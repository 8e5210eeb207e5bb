/** Time, passed in: with one of its own a test of a three-minute time-out takes milliseconds. */
export type Clock = {
  /** Milliseconds since 1970. */
  now: () => number
  /** Milliseconds since some moment. Durations are measured by it: whoever sets the machine's clock does not move it. */
  uptime: () => number
  /** Runs it once, after so many ms; what it returns takes that back. */
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

/** Resolves after so many ms, or as soon as the signal is aborted: whoever sleeps looks at it. */
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

/** Waits for the promise, but no longer than so many ms. Rejects as it does. */
export async function within(clock: Clock, ms: number, promise: Promise<unknown>): Promise<void> {
  const over = new AbortController()
  try {
    await Promise.race([promise, sleep(clock, ms, over.signal)])
  } finally {
    over.abort()
  }
}

/** The time as reports carry it: ISO 8601 in UTC. */
export function isoNow(clock: Pick<Clock, 'now'>): string {
  return new Date(clock.now()).toISOString()
}
