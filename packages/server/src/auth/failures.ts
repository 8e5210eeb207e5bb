import { instant, inWords } from '#server/core/clock.ts'
import { Refusal } from '#server/core/refusal.ts'
import type { Tx } from '#server/database/schema.ts'
import { failureStore } from './store.ts'

/** How long a failure counts. */
const WINDOW_MS = 15 * 60_000

export type Subject = { name: string; most: number }

/** Passwords and codes that are wrong count together, for whose they are to be and for where they come from. */
export function subjectsOf(whose: string, address: string): Subject[] {
  return [
    { name: whose, most: 10 },
    { name: `login from ${address}`, most: 50 },
  ]
}

/**
 * Notes a try for each subject before it is known whether it fails, so that many at once cannot slip through.
 * Returns the note's ids, for `forgive`. `too_many_attempts` where a subject has used up its failures.
 */
export async function noteTry(tx: Tx, subjects: readonly Subject[], now: number): Promise<number[]> {
  const store = failureStore(tx)
  const since = instant(now - WINDOW_MS)
  for (const { name, most } of subjects) {
    const failures = await store.since(name, since)
    const oldest = failures.at(-most)
    if (oldest === undefined) continue
    const wait_secs = Math.max(1, Math.ceil((Date.parse(oldest) + WINDOW_MS - now) / 1000))
    throw new Refusal('too_many_attempts', `Too many failed attempts. Try again in ${inWords(wait_secs)}.`, {
      retry_after_secs: wait_secs,
    })
  }
  await store.removeBefore(since)
  return store.insert(
    subjects.map(({ name }) => name),
    instant(now),
  )
}

/** The try succeeded: it no longer counts. */
export async function forgive(tx: Tx, ids: readonly number[]): Promise<void> {
  await failureStore(tx).remove(ids)
}
