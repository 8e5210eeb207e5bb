import { type Clock } from '#server/core/clock.ts'
import type { Caller } from '#server/core/context.ts'
import { Refusal } from '#server/core/refusal.ts'
import type { SecurityLog } from '#server/core/security-log.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import { passwordHashOf } from '#server/users/users.ts'
import { passSecondFactor } from './codes.ts'
import { forgive, noteTry, subjectsOf } from './failures.ts'
import type { Hashing } from './hashing.ts'
import { isPassword } from './passwords.ts'
import { tryInTurn } from './trying.ts'

/** What a caller gives to show that it is the user, and not somebody at the user's open browser. */
type Proof = {
  password?: string
  code?: string
  address: string
  /** Runs once the password is right, before the transaction, which may await the database only. */
  onceRight?: () => Promise<void>
}

type Needs = { db: Database; clock: Clock; hashing: Hashing; securityLog: SecurityLog }

/**
 * Does `then`, in one transaction, for a caller who proves to be the user. Wrong ones count by user and, with failed
 * logins, by address. `invalid` with the field that is wrong; `second_factor_off` where a code is given and none is
 * asked for; `too_many_attempts`; `busy`. `then` may find a code wrong by itself; then nothing of it stays.
 */
export async function prove<Done>(
  needs: Needs,
  { user_id }: Pick<Caller, 'user_id'>,
  proof: Proof,
  then: (tx: Tx, now: number) => Promise<Done | 'wrong code'>,
): Promise<Done> {
  const { password, address } = proof
  const user = `user ${user_id}`
  const subjects = subjectsOf(user, address)
  const work = (tries: readonly number[]) =>
    proveOnce(needs, user_id, proof, tries, then).catch((error: unknown) => {
      if (isWrong(error)) needs.securityLog('proof.failed', { address, user_id })
      throw error
    })
  if (password !== undefined) return tryInTurn(needs, { user, address, subjects }, work)
  return work(await needs.db.write((tx) => noteTry(tx, subjects, needs.clock.now())))
}

async function proveOnce<Done>(
  { db, clock }: Needs,
  user_id: number,
  { password, code, onceRight }: Proof,
  tries: readonly number[],
  then: (tx: Tx, now: number) => Promise<Done | 'wrong code'>,
): Promise<Done> {
  const password_hash = await passwordHashOf(db.read, user_id)
  if (password !== undefined && !(await isPassword(password, password_hash))) throw wrong('password')
  await onceRight?.()
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
      return then(tx, clock.now())
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

function isWrong(error: unknown): boolean {
  return error instanceof Refusal && ['password', 'code'].some((field) => field in (error.fields ?? {}))
}

function wrong(field: 'password' | 'code'): Refusal {
  const why = { password: 'is not right', code: 'is not right, or was used before' }[field]
  return new Refusal('invalid', `The ${field} ${why}.`, { fields: { [field]: why } })
}
