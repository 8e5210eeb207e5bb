import { setTimeout as sleep } from 'node:timers/promises'

/** Refusals in a second, and how long one waits at most. */
const PER_SEC = 100
const MOST_MS = 5_000

/**
 * Resolves when one more refusal may leave. A program that asks again as soon as it is refused would otherwise keep the
 * server busy with refusing: so it asks less often the more connections it has.
 */
export function openPacing(wait: (ms: number) => Promise<unknown> = sleep): () => Promise<void> {
  let next_ms = 0
  return async () => {
    const now_ms = performance.now()
    next_ms = Math.min(Math.max(next_ms, now_ms) + 1_000 / PER_SEC, now_ms + MOST_MS)
    await wait(next_ms - now_ms)
  }
}
