import type { Clock } from '#server/core/clock.ts'
import type { Caller } from '#server/core/context.ts'
import { Refusal } from '#server/core/refusal.ts'
import type { Database } from '#server/database/open.ts'
import { countTry, refuseThrottled, type Subject } from './failures.ts'
import type { Hashing } from './hashing.ts'
import type { Passwords } from './passwords.ts'

type Needs = { db: Database; clock: Clock; hashing: Hashing }
type TryNeeds = Pick<Needs, 'db' | 'clock'> & { hashing: Pick<Hashing, 'pace'> }
type Asker = { user: string; address: string; subjects: readonly Subject[] }

/**
 * Runs `work`, which computes a password hash, in turn (`busy`) and only if no subject has used up its failures
 * (`too_many_attempts`). Both refusals are paced. The try counts as failed until `work` forgives it. Tries of one user
 * run one after the other, or tries that will succeed would lock each other out.
 */
export function hashInTurn<T>(needs: Needs, asker: Asker, work: (tries: number[]) => Promise<T>): Promise<T> {
  return paceRefusals(needs, () => inTurn(needs, asker, work))
}

/** Enough for an import in one go, and far too few to keep a processor busy. */
const MOST_PASSWORDS = 300

/**
 * The hash of a password that the caller sets for another user or for a key, in the caller's turn. `busy`, or
 * `too_many_attempts` if the caller has set 300 within 15 minutes; both are paced.
 */
export function hashForOther(
  needs: Needs & { passwords: Pick<Passwords, 'hash'> },
  { user_id, address }: Pick<Caller, 'user_id' | 'address'>,
  password: string,
): Promise<string> {
  const user = `user ${user_id}`
  const subjects = [{ name: `passwords by ${user}`, most: MOST_PASSWORDS, said: 'passwords were set' }]
  return hashInTurn(needs, { user, address, subjects }, () => needs.passwords.hash(password))
}

/**
 * Runs `work`, which counts a try, only if no subject has used up its failures. Otherwise `too_many_attempts`, paced.
 * The write that counts the try would refuse it too, but rolls back the work that shares its commit.
 */
export function unlessThrottled<T>(
  needs: TryNeeds,
  subjects: readonly Subject[],
  work: () => Promise<T>,
): Promise<T> {
  return paceRefusals(needs, async () => {
    await refuseThrottled(needs.db.read, subjects, needs.clock.now())
    return work()
  })
}

/** Counts a try in a write of its own, if no subject has used up its failures. `too_many_attempts`, paced. */
export function tryCounted(needs: TryNeeds, subjects: readonly Subject[]): Promise<number[]> {
  return unlessThrottled(needs, subjects, () => writeTry(needs, subjects))
}

function writeTry({ db, clock }: Pick<Needs, 'db' | 'clock'>, subjects: readonly Subject[]) {
  return db.write((tx) => countTry(tx, subjects, clock.now()))
}

async function paceRefusals<T>({ hashing }: Pick<TryNeeds, 'hashing'>, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Refusal && PACED.has(error.code)) await hashing.pace()
    throw error
  }
}

const PACED: ReadonlySet<string> = new Set(['busy', 'too_many_attempts'])

async function inTurn<T>(
  needs: Needs,
  { user, address, subjects }: Asker,
  work: (tries: number[]) => Promise<T>,
): Promise<T> {
  const { db, clock, hashing } = needs
  // A throttled try takes no place in the queue. A running try may still be forgiven, so that is decided at its turn.
  const settled = subjects.filter(({ name }) => !hashing.isTried(name))
  await refuseThrottled(db.read, settled, clock.now())
  const counts_for = subjects.map(({ name }) => name)
  return hashing.inTurn({ user, address, counts_for }, async () => {
    await refuseThrottled(db.read, subjects, clock.now())
    return work(await writeTry(needs, subjects))
  })
}
