type Backoff = {
  /** How long to wait before the next try, in ms. */
  next: () => number
  /** Reports how long a connection held: one that ended at once is not a success. */
  held: (ms: number) => void
}

const LEAST_MS = 1_000
const FIRST_MS = 5_000
const MOST_MS = 60_000
const STEADY_MS = 60_000

/**
 * A random delay between one second and a limit that doubles from 5 to 60 s. The first delay is random too, so that a
 * fleet that loses its server at one moment reconnects spread out.
 */
export function openBackoff(random: () => number): Backoff {
  let most_ms = FIRST_MS
  return {
    next() {
      const wait_ms = LEAST_MS + random() * (most_ms - LEAST_MS)
      most_ms = Math.min(MOST_MS, most_ms * 2)
      return Math.round(wait_ms)
    },
    held(ms) {
      if (ms >= STEADY_MS) most_ms = FIRST_MS
    },
  }
}
