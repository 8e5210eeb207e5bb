import { networkOf, siteOf } from '#server/core/address.ts'
import { instant, formatDuration } from '#server/core/clock.ts'
import { Refusal } from '#server/core/refusal.ts'
import type { Tx } from '#server/database/schema.ts'
import { failureStore } from './failures.store.ts'

/** How long a failure counts. */
const WINDOW_MS = 15 * 60_000

export type Subject = {
  name: string
  most: number
  /** How long a try counts, if shorter than 15 minutes. */
  within_ms?: number
  /** The noun for the limit's message, if these are not failed attempts. */
  said?: string
}

/** A site has many networks and people, so its limit is this many times higher. */
const LOOSER = 4

/** Wrong passwords and codes count together, both for the user and for the address. */
export function subjectsOf(whose: string, address: string): Subject[] {
  return [{ name: whose, most: 10 }, ...fromAddress('login', address, 50)]
}

/** An address counts for its network (see `networkOf`) and, with a higher limit, for its /48. */
export function fromAddress(what: string, address: string, most: number): Subject[] {
  const site = siteOf(address)
  return [
    { name: `${what} from ${networkOf(address)}`, most },
    ...(site === undefined ? [] : [{ name: `${what} from ${site}`, most: most * LOOSER }]),
  ]
}

/**
 * Notes a try for each subject before its result is known, so that many parallel tries cannot slip through. Returns the
 * ids of the notes, for `forgetTries`. `too_many_attempts` if a subject has used up its failures.
 */
export async function countTry(tx: Tx, subjects: readonly Subject[], now: number): Promise<number[]> {
  await refuseThrottled(tx, subjects, now)
  const store = failureStore(tx)
  await store.removeBefore(instant(now - WINDOW_MS))
  return store.insert(
    subjects.map(({ name }) => name),
    instant(now),
  )
}

/** `too_many_attempts` if a subject has used up its failures. Call it before waiting for anything. */
export async function refuseThrottled(tx: Tx, subjects: readonly Subject[], now: number): Promise<void> {
  const store = failureStore(tx)
  for (const { name, most, said = 'failed attempts', within_ms = WINDOW_MS } of subjects) {
    const failures = await store.since(name, instant(now - within_ms))
    const oldest = failures.at(-most)
    if (oldest === undefined) continue
    const wait_secs = Math.max(1, Math.ceil((Date.parse(oldest) + within_ms - now) / 1000))
    throw new Refusal('too_many_attempts', `Too many ${said}. Try again in ${formatDuration(wait_secs)}.`, {
      params: { retry_after: wait_secs },
      retry_after_secs: wait_secs,
    })
  }
}

/** The try succeeded: it no longer counts. */
export async function forgetTries(tx: Tx, ids: readonly number[]): Promise<void> {
  await failureStore(tx).remove(ids)
}
