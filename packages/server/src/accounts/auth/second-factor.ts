import { randomBytes } from 'node:crypto'
import type { Enrolment, RecoveryCodes, SecondFactor } from '@sdd/contract/accounts/second-factor.ts'
import { recordChange } from '#server/accounts/audit/audit.ts'
import { type Clock, instant } from '#server/core/clock.ts'
import type { Caller } from '#server/core/context.ts'
import { Refusal } from '#server/core/refusal.ts'
import { hashSecret } from '#server/core/secrets.ts'
import type { SecurityLog } from '#server/core/security-log.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import type { Live } from '#server/core/live.ts'
import { requireManaged } from '#server/accounts/users/users.ts'
import { endOtherSessions } from './auth.ts'
import { makeRecoveryCodes, normalisedRecoveryCode, takeAppCode } from './codes.ts'
import type { Hashing } from '#server/accounts/passwords/hashing.ts'
import type { Passwords } from '#server/accounts/passwords/passwords.ts'
import { prove, requireProof, secondFactorOff } from './proof.ts'
import { secondFactorStore } from './second-factor.store.ts'
import { base32, otpauthUri } from './totp.ts'

type Needs = {
  db: Database
  clock: Clock
  live: Live
  hashing: Hashing
  passwords: Passwords
  securityLog: SecurityLog
}
type Links = { broker: { disconnectBrowsers(session_id: number): void } }

const ISSUER = 'SMS DRONE DASH'
/** The length that RFC 4226, section 4, recommends for SHA-1. */
const SECRET_BYTES = 20

export async function readSecondFactor({ db }: Pick<Needs, 'db'>, caller: Caller): Promise<SecondFactor> {
  const store = secondFactorStore(db.read, caller.user_id)
  const since = (await store.find())?.enabled_at ?? null
  return { enabled: since !== null, since, recovery_codes_left: await store.countRecoveryCodes() }
}

/** Makes a secret that has no effect until `confirmSecondFactor`. `host` is how the caller reached the server. */
export async function enrolSecondFactor(
  needs: Needs,
  caller: Caller,
  proof: { password: string },
  host: string,
  address: string,
): Promise<Enrolment> {
  const secret = randomBytes(SECRET_BYTES)
  await prove(needs, caller, { ...proof, address }, async (tx) => {
    const now = instant(needs.clock.now())
    if (await secondFactorStore(tx, caller.user_id).begin(secret.toString('base64url'), now)) return
    throw new Refusal('second_factor_on', 'The second factor is on already. Turn it off first.')
  })
  return { secret: base32(secret), uri: otpauthUri(secret, ISSUER, `${caller.name} (${host})`) }
}

/** Turns the factor on if the code fits the secret, and ends the user's other sessions: they were opened without it. */
export async function confirmSecondFactor(
  needs: Needs & Links,
  caller: Caller,
  code: string,
  address: string,
): Promise<RecoveryCodes> {
  const { codes, ended } = await prove(needs, caller, { address }, async (tx, now) => {
    const store = secondFactorStore(tx, caller.user_id)
    const factor = await store.find()
    if (factor === undefined) throw secondFactorOff()
    if (factor.enabled_at) throw new Refusal('second_factor_on', 'The second factor is on already.')
    if (!(await takeAppCode(store, factor.secret, code, now))) return 'wrong code'
    await store.enable(instant(now))
    const { company_id, name } = caller
    await recordChange(tx, needs.clock, caller, { company_id, name, action: 'user.second_factor_enabled' })
    const ended = await endOtherSessions(tx, caller.user_id, caller.session_id)
    return { codes: await renew(tx, caller), ended }
  })
  for (const session_id of ended) needs.broker.disconnectBrowsers(session_id)
  needs.live.changed(caller.company_id, 'users', 'audit')
  return { recovery_codes: codes }
}

export async function renewRecoveryCodes(
  needs: Needs,
  caller: Caller,
  proof: { password: string; code: string },
  address: string,
): Promise<RecoveryCodes> {
  const codes = await prove(needs, caller, { ...proof, address }, async (tx) => {
    const { company_id, name } = caller
    await recordChange(tx, needs.clock, caller, { company_id, name, action: 'user.recovery_codes_renewed' })
    return renew(tx, caller)
  })
  needs.live.changed(caller.company_id, 'users', 'audit')
  return { recovery_codes: codes }
}

/** Turns the second factor off; `second_factor_enforced` if the company requires it of the caller. */
export async function disableSecondFactor(
  needs: Needs,
  caller: Caller,
  proof: { password: string; code: string },
  address: string,
): Promise<void> {
  // Checked first, so that no code is used up in vain.
  if (await secondFactorStore(needs.db.read, caller.user_id).isEnforced()) {
    throw new Refusal(
      'second_factor_enforced',
      'Your company requires a second factor. An admin can change that in the global settings.',
    )
  }
  await prove(needs, caller, { ...proof, address }, async (tx) => {
    await secondFactorStore(tx, caller.user_id).remove()
    const { company_id, name } = caller
    await recordChange(tx, needs.clock, caller, { company_id, name, action: 'user.second_factor_disabled' })
  })
  needs.live.changed(caller.company_id, 'users', 'audit')
}

/**
 * Turns off another user's second factor, for example after a lost phone. `unknown_user`; `forbidden` if the caller may
 * not change that user, and for the caller's own factor, which takes a password and a code; `proof_required`.
 */
export async function removeSecondFactor(needs: Needs, caller: Caller, id: number): Promise<void> {
  const company_id = await needs.db.write(async (tx) => {
    const user = await requireManaged(tx, caller, id)
    if (id === caller.user_id) {
      throw new Refusal('forbidden', 'Turn your own second factor off with your password and a code.', {
        params: { reason: 'own_second_factor' },
      })
    }
    requireProof(caller, needs.clock.now())
    if (!(await secondFactorStore(tx, id).remove())) throw secondFactorOff()
    const { companyId: company_id, name } = user
    await recordChange(tx, needs.clock, caller, { company_id, name, action: 'user.second_factor_removed' })
    return company_id
  })
  needs.live.changed(company_id, 'users', 'audit')
}

async function renew(tx: Tx, { user_id }: Caller): Promise<string[]> {
  const codes = makeRecoveryCodes()
  const hashes = codes.map((code) => hashSecret(normalisedRecoveryCode(code)))
  await secondFactorStore(tx, user_id).replaceRecoveryCodes(hashes)
  return codes
}
