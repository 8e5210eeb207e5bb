import { type Proof, PROOF_SECS } from '@sdd/contract/accounts/auth.ts'
import { type Clock, instant } from '#server/core/clock.ts'
import type { Caller } from '#server/core/context.ts'
import { fault } from '#server/core/field-faults.ts'
import { Refusal } from '#server/core/refusal.ts'
import type { SecurityLog } from '#server/core/security-log.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import { passwordHashOf } from '#server/accounts/users/users.ts'
import { passSecondFactor } from './codes.ts'
import { forgetTries, subjectsOf } from '#server/accounts/passwords/failures.ts'
import type { Hashing } from '#server/accounts/passwords/hashing.ts'
import type { Passwords } from '#server/accounts/passwords/passwords.ts'
import { sessionStore } from './store.ts'
import { hashInTurn, tryCounted } from '#server/accounts/passwords/trying.ts'

/** The proof that the caller is the user, and not somebody else at the user's open browser. */
type Given = {
  password?: string
  code?: string
  address: string
  /** Runs once the password is right, before the transaction, because a transaction may await only the database. */
  onceRight?: () => Promise<void>
}

type Needs = {
  db: Database
  clock: Clock
  hashing: Hashing
  passwords: Passwords
  securityLog: SecurityLog
}

/**
 * Stores in the caller's session that its holder proved their identity: `requireProof` then passes for 5 minutes, at
 * every server. `invalid` with the wrong field, or with both fields if neither is given; `too_many_attempts`; `busy`.
 */
export async function proveSession(
  needs: Needs,
  caller: Caller,
  { password, code }: Proof,
  address: string,
): Promise<void> {
  if (!password && !code) {
    const why = 'is required: the password, or a code of the second factor'
    throw new Refusal('invalid', 'Give your password, or a code of your second factor.', {
      fields: { password: fault(why, 'required', {}), code: fault(why, 'required', {}) },
    })
  }
  await prove(needs, caller, { ...(password && { password }), address }, async (tx, now) => {
    if (code && (await passSecondFactor(tx, caller.user_id, code, now)) !== 'passed') return 'wrong code'
    await sessionStore(tx).noteProof(caller.session_id, instant(now))
  })
}

/**
 * For calls that give somebody access: `proof_required` unless the caller's session proved its holder's identity within
 * the last 5 minutes. Call this after all other checks of the request.
 */
export function requireProof({ proved_at }: Pick<Caller, 'proved_at'>, now: number): void {
  // Clocks of servers may differ a little, so a proof may seem to lie in the future.
  if (proved_at !== null && Math.abs(now - Date.parse(proved_at)) < PROOF_SECS * 1000) return
  throw new Refusal(
    'proof_required',
    'This gives somebody access: first prove your identity with your password or a code (POST /api/proof).',
  )
}

/**
 * Runs `then` in one transaction if the caller proves their identity. Failures count by user and, together with failed
 * logins, by address. `invalid` with the wrong field; `second_factor_off` if a code is given but the user has no second
 * factor; `too_many_attempts`; `busy`. `then` may return `wrong code` too, but must not have written anything in that
 * case.
 */
export async function prove<Done>(
  needs: Needs,
  { user_id }: Pick<Caller, 'user_id'>,
  proof: Given,
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
  if (password !== undefined) return hashInTurn(needs, { user, address, subjects }, work)
  return work(await tryCounted(needs, subjects))
}

async function proveOnce<Done>(
  { db, clock, passwords }: Needs,
  user_id: number,
  { password, code, onceRight }: Given,
  tries: readonly number[],
  then: (tx: Tx, now: number) => Promise<Done | 'wrong code'>,
): Promise<Done> {
  const password_hash = await passwordHashOf(db.read, user_id)
  if (password !== undefined && !(await passwords.isRight(password, password_hash))) throw wrong('password')
  await onceRight?.()
  const forgiveTries = () => db.write((tx) => forgetTries(tx, tries))
  const done = await db
    .write(async (tx) => {
      // During the password check, the password may have changed.
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
  return new Refusal('second_factor_off', 'No second factor is on. Set one up first.')
}

function isWrong(error: unknown): boolean {
  return error instanceof Refusal && ['password', 'code'].some((field) => field in (error.fields ?? {}))
}

function wrong(field: 'password' | 'code'): Refusal {
  const why = { password: 'is not right', code: 'is not right, or was used before' }[field]
  return new Refusal('invalid', `The ${field} ${why}.`, { fields: { [field]: fault(why, 'wrong', {}) } })
}
