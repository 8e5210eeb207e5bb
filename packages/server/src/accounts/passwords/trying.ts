import type { Clock } from '#server/core/clock.ts'
import { Refusal } from '#server/core/refusal.ts'
import type { Database } from '#server/database/open.ts'
import { noteTry, refuseThrottled, type Subject } from './failures.ts'
import type { Hashing } from './hashing.ts'

type Needs = { db: Database; clock: Clock; hashing: Hashing }
type Asker = { user: string; address: string; subjects: readonly Subject[] }

/**
 * Has a password computed by `work`: in turn (`busy`), and only where none of the subjects has used up its failures
 * (`too_many_attempts`); both are answered at a pace. The try counts as failed until `work` forgives it. Tries of one user
 * come one after the other: at once, those that will succeed would lock each other out.
 */
export async function tryInTurn<T>(
  needs: Needs,
  asker: Asker,
  work: (tries: number[]) => Promise<T>,
): Promise<T> {
  try {
    return await inTurn(needs, asker, work)
  } catch (error) {
    if (error instanceof Refusal && PACED.has(error.code)) await needs.hashing.pace()
    throw error
  }
}

const PACED: ReadonlySet<string> = new Set(['busy', 'too_many_attempts'])

async function inTurn<T>(
  { db, clock, hashing }: Needs,
  { user, address, subjects }: Asker,
  work: (tries: number[]) => Promise<T>,
): Promise<T> {
  // Whoever is throttled takes no place in the queue. A try under way may yet be forgiven: then its turn decides.
  const settled = subjects.filter(({ name }) => !hashing.isTried(name))
  await refuseThrottled(db.read, settled, clock.now())
  const counts_for = subjects.map(({ name }) => name)
  return hashing.inTurn({ user, address, counts_for }, async () => {
    // A work that throws undoes those it shares a commit with: nearly always it is known before.
    await refuseThrottled(db.read, subjects, clock.now())
    return work(await db.write((tx) => noteTry(tx, subjects, clock.now())))
  })
}
