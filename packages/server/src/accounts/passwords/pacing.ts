import { setTimeout as sleep } from 'node:timers/promises'

/** Refusals per second, and the longest delay of one refusal. */
const PER_SEC = 100
const MOST_MS = 5_000

/** A clock in ms, and a wait on that clock. */
type Time = { now(): number; wait(ms: number): Promise<unknown> }

const MACHINE: Time = { now: () => performance.now(), wait: sleep }

/**
 * Resolves when the next refusal may be sent. Otherwise a program that retries as soon as it is refused would keep the
 * server busy. With pacing, more connections of such a program mean fewer retries on each.
 */
export function openPacing({ now, wait }: Time = MACHINE): () => Promise<void> {
  let next_ms = 0
  return async () => {
    const now_ms = now()
    next_ms = Math.min(Math.max(next_ms, now_ms) + 1_000 / PER_SEC, now_ms + MOST_MS)
    await wait(next_ms - now_ms)
  }
}
