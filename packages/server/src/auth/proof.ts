import { type Clock } from '#server/core/clock.ts'
import type { Caller } from '#server/core/context.ts'
import { Refusal } from '#server/core/refusal.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import { passwordHashOf } from '#server/users/users.ts'
import { passSecondFactor } from './codes.ts'
import { forgive, noteTry, subjectsOf } from './failures.ts'
import { isPassword } from './passwords.ts'

/** What a caller gives to show that it is the user, and not somebody at the user's open browser. */
type Proof = { password?: string; code?: string; address: string }

/**
 * Does `work`, in one transaction, for a caller who proves to be the user. Wrong ones count by user and, with failed
 * logins, by address. `invalid` with the field that is wrong; `second_factor_off` where a code is given and none is
 * asked for; `too_many_attempts`. `work` may find a code wrong by itself; then nothing of it stays.
 */
export async function prove<Done>(
  { db, clock }: { db: Database; clock: Clock },
  { user_id }: Pick<Caller, 'user_id'>,
  { password, code, address }: Proof,
  work: (tx: Tx, now: number) => Promise<Done | 'wrong code'>,
): Promise<Done> {
  const tries = await db.write((tx) => noteTry(tx, subjectsOf(`user ${user_id}`, address), clock.now()))
  const password_hash = await passwordHashOf(db.read, user_id)
  if (password !== undefined && !(await isPassword(password, password_hash))) throw wrong('password')
  const forgiveTries = () => db.write((tx) => forgive(tx, tries))
  const done = await db
    .write(async (tx) => {
      // While the password was looked at, it may have been changed.
      if ((await passwordHashOf(tx, user_id)) !== password_hash) throw wrong('password')
      if (code !== undefined) {
        const passed = await passSecondFactor(tx, user_id, code, clock.now())
        if (passed === 'none asked') throw secondFactorOff()
        if (passed !== 'passed') return 'wrong code'
      }
      return work(tx, clock.now())
    })
    .catch(async (error: unknown) => {
      if (error instanceof Refusal) await forgiveTries()
      throw error
    })
  if (done === 'wrong code') throw wrong('code')
  await forgiveTries()
  return done
}

export function secondFactorOff(): Refusal {
  return new Refusal('second_factor_off', 'There is no second factor that is on. Begin with one first.')
}

function wrong(field: 'password' | 'code'): Refusal {
  const why = { password: 'is not right', code: 'is not right, or was used before' }[field]
  return new Refusal('invalid', `The ${field} ${why}.`, { fields: { [field]: why } })
}
