import type { ApiKey, MadeApiKey, NewApiKey } from '@sdd/contract/api-keys.ts'
import { recordChange } from '#server/audit/audit.ts'
import { requireProof } from '#server/auth/proof.ts'
import { newWebhookSecret } from '#server/callbacks/signature.ts'
import { type Clock, instant } from '#server/core/clock.ts'
import type { Caller, Scope } from '#server/core/context.ts'
import { Refusal } from '#server/core/refusal.ts'
import { hashSecret, newSecret } from '#server/core/secrets.ts'
import type { Database } from '#server/database/open.ts'
import type { Live } from '#server/live/live.ts'
import { requireRoom } from '#server/quotas/room.ts'
import { settingsOf } from '#server/settings/settings.ts'
import { type Keys, readMay } from './authenticating.ts'
import { apiKeyStore } from './store.ts'

type Needs = { db: Database; clock: Clock; live: Live; keys: Pick<Keys, 'forget'> }

/** Of a key that is shown, to tell keys apart. */
const HINT = 'sdk_'.length + 4

/** The keys of the scope that may still be used, newest first; with `maker` those that this user made. */
export async function listApiKeys(
  { db, clock }: Pick<Needs, 'db' | 'clock'>,
  scope: Scope,
  maker?: number,
): Promise<ApiKey[]> {
  const rows = await apiKeyStore(db.read, scope).usable(instant(clock.now()), maker)
  return rows.map((row) => ({ ...row, created_by: row.by, may: readMay(row.may) }))
}

/**
 * Makes a key for the caller's company; for another, where a superadmin names one. It and its webhook secret are shown
 * this once. `unknown_company`; `invalid` where it would have expired already; `proof_required`.
 */
export async function createApiKey(
  { db, clock, live }: Omit<Needs, 'keys'>,
  caller: Caller,
  { name, may, expires_at }: NewApiKey,
  company_id: number = caller.company_id,
): Promise<MadeApiKey> {
  const now = instant(clock.now())
  const key = newSecret('sdk_')
  const made = {
    name,
    may: [...new Set(may)],
    expires_at: expires_at ? instant(Date.parse(expires_at)) : null,
    webhook_secret: newWebhookSecret(),
  }
  if (made.expires_at !== null && made.expires_at <= now) {
    const why = 'has passed already'
    throw new Refusal('invalid', `expires_at ${why}.`, { fields: { expires_at: why } })
  }
  const id = await db.write(async (tx) => {
    await settingsOf(tx, caller.scope, company_id)
    requireProof(caller, clock.now())
    await requireRoom(tx, company_id, 'api_keys', now)
    const { id } = await apiKeyStore(tx, { company_id }).insert({
      ...made,
      company_id,
      may: JSON.stringify(made.may),
      key_hash: hashSecret(key),
      hint: key.slice(0, HINT),
      created_at: now,
      created_by: caller.user_id,
    })
    await recordChange(tx, clock, caller, {
      company_id,
      action: 'api_key.created',
      name,
      changes: {
        may: { from: null, to: made.may },
        expires_at: { from: null, to: made.expires_at },
      },
    })
    return id
  })
  live.changed(company_id, 'api_keys', 'audit')
  return { id, key, ...made }
}

/** From now on the key opens nothing. `unknown_api_key` outside the scope, and where it is revoked already. */
export async function revokeApiKey(
  { db, clock, live, keys: known }: Needs,
  caller: Caller,
  id: number,
): Promise<void> {
  const company_id = await db.write(async (tx) => {
    const keys = apiKeyStore(tx, caller.scope)
    const key = await keys.byId(id)
    if (key === undefined) throw new Refusal('unknown_api_key', `There is no API key ${id}.`)
    await keys.update(id, { revoked_at: instant(clock.now()) })
    const { company_id, name } = key
    await recordChange(tx, clock, caller, { company_id, action: 'api_key.revoked', name })
    return company_id
  })
  known.forget()
  live.changed(company_id, 'api_keys', 'audit')
}
