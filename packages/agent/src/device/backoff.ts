export type Backoff = {
  /** How long to wait before the next try, in ms. */
  next: () => number
  /** A connection held for so long: one that ended at once is no success. */
  held: (ms: number) => void
}

const LEAST_MS = 1_000
const FIRST_MS = 5_000
const MOST_MS = 60_000
const STEADY_MS = 60_000

/**
 * Any time between one second and a limit that doubles from 5 to 60 s. All of the span is drawn from, for the first try
 * too: a fleet that loses its server at one moment comes back spread out.
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
