import type { LinkCode, MadeLinkCode, NewLinkCode } from '@sdd/contract/fleet/devices.ts'
import { requireProof } from '#server/accounts/auth/proof.ts'
import { recordChange } from '#server/accounts/audit/audit.ts'
import { type Clock, instant } from '#server/core/clock.ts'
import type { Caller, Scope } from '#server/core/context.ts'
import { Refusal } from '#server/core/refusal.ts'
import { hashSecret, randomText } from '#server/core/secrets.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import type { Live } from '#server/core/live.ts'
import { requireQuota } from '#server/accounts/quotas/enforcing.ts'
import { settingsOf } from '#server/accounts/settings/settings.ts'
import { requireSameAccess } from '#server/accounts/users/users.ts'
import { linkCodeStore } from './store.ts'

type Needs = { db: Database; clock: Clock; live: Live }

/** Without characters that look alike. Ten of them are 50 bits. */
export const CLEAR_CHARACTERS = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'
/** The length of the visible part of a code, by which people tell codes apart. */
const HINT = 4

/**
 * Makes a code with which devices join the caller's company, or another company that a superadmin names. The code is
 * shown only this once. `unknown_company`, `forbidden`, `proof_required`, `quota_reached`.
 */
export async function createLinkCode(
  { db, clock, live }: Needs,
  caller: Caller,
  { uses, expires_in_secs }: NewLinkCode,
  company_id: number = caller.company_id,
): Promise<MadeLinkCode> {
  const letters = randomText(CLEAR_CHARACTERS, 10)
  const code = `${letters.slice(0, 5)}-${letters.slice(5)}`
  const hint = code.slice(0, HINT)
  const now = clock.now()
  const expires_at = instant(now + expires_in_secs * 1000)
  const id = await db.write(async (tx) => {
    await settingsOf(tx, caller.scope, company_id)
    await requireSameAccess(tx, caller)
    requireProof(caller, now)
    const codes = linkCodeStore(tx, { company_id })
    await codes.removeExpired(instant(now))
    await requireQuota(tx, company_id, 'link_codes', instant(now))
    const id = await codes.insert({
      company_id,
      code_hash: hashOfCode(code),
      hint,
      uses,
      uses_left: uses,
      created_by: caller.user_id,
      created_at: instant(now),
      expires_at,
    })
    const name = nameOf({ hint, uses, expires_at })
    await recordChange(tx, clock, caller, { company_id, action: 'link_code.created', name })
    return id
  })
  live.changed(company_id, 'devices', 'audit')
  return { id, code, uses, expires_at }
}

/** The codes of the scope that still work, newest first. With `maker`, only the codes that this user made. */
export function listLinkCodes(
  { db, clock }: Pick<Needs, 'db' | 'clock'>,
  scope: Scope,
  maker?: number,
): Promise<LinkCode[]> {
  return linkCodeStore(db.read, scope).list(instant(clock.now()), maker)
}

/** Stops the code from linking devices. `unknown_link_code` if it is outside the scope or no longer works. */
export async function revokeLinkCode({ db, clock, live }: Needs, caller: Caller, id: number): Promise<void> {
  const company_id = await db.write(async (tx) => {
    const codes = linkCodeStore(tx, caller.scope)
    const code = await codes.byId(id, instant(clock.now()))
    if (code === undefined) throw new Refusal('unknown_link_code', `There is no link code ${id} that works.`)
    await codes.remove(id)
    const { company_id } = code
    await recordChange(tx, clock, caller, { company_id, action: 'link_code.revoked', name: nameOf(code) })
    return company_id
  })
  live.changed(company_id, 'devices', 'audit')
}

/** Ends all codes of a user who may no longer make them. They stay dead if the user regains the right. */
export async function endLinkCodesOf(tx: Tx, user_id: number): Promise<void> {
  await linkCodeStore(tx, 'all').removeOf(user_id)
}

/** The stored hash of a code. People type codes in lower case, with spaces, or without the dash. */
export function hashOfCode(code: string): string {
  return hashSecret(code.toUpperCase().replace(/[\s-]/g, ''))
}

/** The code's name in the audit log, which must not contain the whole code. */
function nameOf({ hint, uses, expires_at }: { hint: string; uses: number; expires_at: string }): string {
  return `${hint}… for ${uses} ${uses === 1 ? 'device' : 'devices'} until ${expires_at}`
}
