import type { ApiKey, CreatedApiKey, NewApiKey, RotatedApiKey } from '@sdd/contract/accounts/api-keys.ts'
import { messageClasses } from '@sdd/contract/core/fields.ts'
import { recordChange, SECRET_CHANGED } from '#server/accounts/audit/audit.ts'
import { requireProof } from '#server/accounts/auth/proof.ts'
import { type Clock, instant, utc } from '#server/core/clock.ts'
import type { Caller, Scope } from '#server/core/context.ts'
import { overlapEnd, activeOverlap } from '#server/core/rotation-overlap.ts'
import { invalidField } from '#server/core/field-faults.ts'
import { Refusal } from '#server/core/refusal.ts'
import { hashSecret, newSecret, newWebhookSecret } from '#server/core/secrets.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import type { Live } from '#server/core/live.ts'
import { hashForOther } from '#server/accounts/passwords/trying.ts'
import { requireQuota } from '#server/accounts/quotas/enforcing.ts'
import { settingsOf } from '#server/accounts/settings/settings.ts'
import { requireSameAccess } from '#server/accounts/users/users.ts'
import { hasExpired, type Keys, readClasses, readMay } from './authenticating.ts'
import { newSmppLogin } from './smpp-login.ts'
import { type ApiKeyRow, apiKeyStore } from './store.ts'

type Needs = { db: Database; clock: Clock; live: Live; keys: Pick<Keys, 'forget'> }

/** The length of the visible part of a key, by which people tell keys apart. */
const HINT = 'sdk_'.length + 4

/** The usable keys of the scope, newest first. With `maker`, only the keys that this user made. */
export async function listApiKeys(
  { db, clock }: Pick<Needs, 'db' | 'clock'>,
  scope: Scope,
  maker?: number,
): Promise<ApiKey[]> {
  const now_ms = clock.now()
  const rows = await apiKeyStore(db.read, scope).usable(instant(now_ms), maker)
  return rows.map((row) => asApiKey(row, now_ms))
}

/**
 * Makes a key for the caller's company, or for another company that a superadmin names. The key and its webhook secret
 * are shown only this once. `unknown_company`; `invalid` if `expires_at` has passed already; `proof_required`;
 * `quota_reached`. With a login for SMPP also `busy` and `too_many_attempts`: see `hashForOther`.
 */
export async function createApiKey(
  needs: Omit<Needs, 'keys'> & Parameters<typeof hashForOther>[0],
  caller: Caller,
  { name, may, classes, expires_at, smpp: wanted }: NewApiKey,
  company_id: number = caller.company_id,
): Promise<CreatedApiKey> {
  const { db, clock, live } = needs
  const now = instant(clock.now())
  const key = newSecret('sdk_')
  const made = {
    name,
    may: [...new Set(may)],
    classes: messageClasses.filter((each) => classes.includes(each)),
    expires_at: utc(expires_at),
    webhook_secret: newWebhookSecret(),
  }
  if (made.expires_at !== null && made.expires_at <= now)
    throw invalidField('expires_at', 'has passed already', 'out_of_range', { min: now, max: null })
  const requireReady = async (tx: Tx) => {
    await settingsOf(tx, caller.scope, company_id)
    requireProof(caller, clock.now())
    await requireQuota(tx, company_id, 'api_keys', now)
  }
  const smpp = wanted ? newSmppLogin() : undefined
  // All of it costs less than a hash.
  if (smpp) await requireReady(db.read)
  const smpp_password_hash = smpp && (await hashForOther(needs, caller, smpp.password))
  const id = await db.write(async (tx) => {
    await requireSameAccess(tx, caller)
    await requireReady(tx)
    const id = await apiKeyStore(tx, { company_id }).insert({
      ...made,
      company_id,
      may: JSON.stringify(made.may),
      classes: made.classes.length === messageClasses.length ? null : JSON.stringify(made.classes),
      key_hash: hashSecret(key),
      hint: key.slice(0, HINT),
      created_at: now,
      created_by: caller.user_id,
      smpp_system_id: smpp?.system_id ?? null,
      smpp_password_hash: smpp_password_hash ?? null,
    })
    await recordChange(tx, clock, caller, {
      company_id,
      action: 'api_key.created',
      name,
      changes: {
        may: { from: null, to: made.may },
        classes: { from: null, to: made.classes },
        expires_at: { from: null, to: made.expires_at },
      },
    })
    return id
  })
  live.changed(company_id, 'api_keys', 'audit')
  return { id, key, ...made, ...(smpp && { smpp }) }
}

/**
 * Replaces a key and its webhook secret, which are shown only this once. Name, rights and expiry stay the same. The
 * previous secrets keep working for `overlap_hours`; older ones stop at once. `unknown_api_key` if the key is outside
 * the scope, revoked or expired; `proof_required`.
 */
export async function rotateApiKey(
  { db, clock, live, keys: known }: Needs,
  caller: Caller,
  id: number,
  overlap_hours: number,
): Promise<RotatedApiKey> {
  const key = newSecret('sdk_')
  const webhook_secret = newWebhookSecret()
  const hint = key.slice(0, HINT)
  const now_ms = clock.now()
  const rotated = await db.write(async (tx) => {
    const before = await requireKey(tx, caller.scope, id)
    const { company_id, name, expires_at } = before
    if (hasExpired(before, instant(now_ms))) throw unknownKey(id)
    requireProof(caller, now_ms)
    const end = overlapEnd(overlap_hours, now_ms)
    const previous_until = end !== null && expires_at !== null && expires_at < end ? expires_at : end
    const secrets = { key_hash: hashSecret(key), hint, webhook_secret }
    await apiKeyStore(tx, caller.scope).rotate(id, secrets, previous_until)
    await recordChange(tx, clock, caller, {
      company_id,
      action: 'api_key.rotated',
      name,
      changes: {
        key: SECRET_CHANGED,
        previous_until: { from: activeOverlap(before.previous_until, now_ms), to: previous_until },
      },
    })
    return { ...before, hint, previous_until }
  })
  known.forget()
  live.changed(rotated.company_id, 'api_keys', 'audit')
  return { ...asApiKey(rotated, now_ms), key, webhook_secret }
}

/** Ends the overlap of a rotation, if there is one. `unknown_api_key` as in `revokeApiKey`. */
export async function endPreviousKey(
  { db, clock, live, keys: known }: Needs,
  caller: Caller,
  id: number,
): Promise<void> {
  const company_id = await db.write(async (tx) => {
    const { company_id, name, previous_until } = await requireKey(tx, caller.scope, id)
    await apiKeyStore(tx, caller.scope).endPrevious(id)
    const from = activeOverlap(previous_until, clock.now())
    const changes = { previous_until: { from, to: null } }
    await recordChange(tx, clock, caller, { company_id, action: 'api_key.previous_ended', name, changes })
    return company_id
  })
  known.forget()
  live.changed(company_id, 'api_keys', 'audit')
}

/** Disables the key, and the previous key of a rotation. `unknown_api_key` outside the scope or if already revoked. */
export async function revokeApiKey(
  { db, clock, live, keys: known }: Needs,
  caller: Caller,
  id: number,
): Promise<void> {
  const company_id = await db.write(async (tx) => {
    const { company_id, name } = await requireKey(tx, caller.scope, id)
    await apiKeyStore(tx, caller.scope).update(id, { revoked_at: instant(clock.now()) })
    await recordChange(tx, clock, caller, { company_id, action: 'api_key.revoked', name })
    return company_id
  })
  known.forget()
  live.changed(company_id, 'api_keys', 'audit')
}

async function requireKey(tx: Tx, scope: Scope, id: number) {
  const key = await apiKeyStore(tx, scope).byId(id)
  if (key === undefined) throw unknownKey(id)
  return key
}

function unknownKey(id: number): Refusal {
  return new Refusal('unknown_api_key', `There is no API key ${id}.`)
}

function asApiKey({ may, classes, previous_until, ...row }: ApiKeyRow, now_ms: number): ApiKey {
  return {
    ...row,
    created_by: row.by,
    may: readMay(may),
    classes: [...readClasses(classes)],
    previous_until: activeOverlap(previous_until, now_ms),
  }
}
