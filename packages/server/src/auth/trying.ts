import type { Clock } from '#server/core/clock.ts'
import type { Database } from '#server/database/open.ts'
import { noteTry, refuseThrottled, type Subject } from './failures.ts'
import type { Hashing } from './hashing.ts'

/**
 * Has a password computed by `work`: in turn (`busy`), and only where none of the subjects has used up its failures
 * (`too_many_attempts`). The try counts as failed until `work` forgives it. Tries of one user come one after the other:
 * at once, those that will succeed would lock each other out.
 */
export async function tryInTurn<T>(
  { db, clock, hashing }: { db: Database; clock: Clock; hashing: Hashing },
  { user, address, subjects }: { user: string; address: string; subjects: readonly Subject[] },
  work: (tries: number[]) => Promise<T>,
): Promise<T> {
  // Whoever is throttled takes no place in the queue. A try under way may yet be forgiven: then its turn decides.
  const settled = subjects.filter(({ name }) => !hashing.isTried(name))
  await refuseThrottled(db.read, settled, clock.now())
  const counts_for = subjects.map(({ name }) => name)
  return hashing.inTurn({ user, address, counts_for }, async () =>
    work(await db.write((tx) => noteTry(tx, subjects, clock.now()))),
  )
}
