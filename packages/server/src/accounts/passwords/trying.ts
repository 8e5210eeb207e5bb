import type { Clock } from '#server/core/clock.ts'
import { Refusal } from '#server/core/refusal.ts'
import type { Database } from '#server/database/open.ts'
import { countTry, refuseThrottled, type Subject } from './failures.ts'
import type { Hashing } from './hashing.ts'

type Needs = { db: Database; clock: Clock; hashing: Hashing }
type Asker = { user: string; address: string; subjects: readonly Subject[] }

/**
 * Runs `work`, which computes a password hash, in turn (`busy`) and only if no subject has used up its failures
 * (`too_many_attempts`). Both refusals are paced. The try counts as failed until `work` forgives it. Tries of one user
 * run one after the other, or tries that will succeed would lock each other out.
 */
export async function hashInTurn<T>(
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
  // A throttled try takes no place in the queue. A running try may still be forgiven, so that is decided at its turn.
  const settled = subjects.filter(({ name }) => !hashing.isTried(name))
  await refuseThrottled(db.read, settled, clock.now())
  const counts_for = subjects.map(({ name }) => name)
  return hashing.inTurn({ user, address, counts_for }, async () => {
    // Checked before the write, which rolls back the work that shares its commit if it throws.
    await refuseThrottled(db.read, subjects, clock.now())
    return work(await db.write((tx) => countTry(tx, subjects, clock.now())))
  })
}
