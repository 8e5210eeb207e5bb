import type {
  CallbackFormat,
  CallbackType,
  MadeWebhook,
  NewWebhook,
  Webhook,
} from '@sdd/contract/outward/callbacks.ts'
import { keyHolderById } from '#server/accounts/api-keys/authenticating.ts'
import { recordChange, SECRET_CHANGED } from '#server/accounts/audit/audit.ts'
import { requireProof } from '#server/accounts/auth/proof.ts'
import { type Clock, DAY_MS, instant } from '#server/core/clock.ts'
import type { Caller, Scope } from '#server/core/context.ts'
import { overlapEnd, activeOverlap } from '#server/core/rotation-overlap.ts'
import { fault, invalidField } from '#server/core/field-faults.ts'
import { Refusal } from '#server/core/refusal.ts'
import { newWebhookSecret } from '#server/core/secrets.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import type { Live } from '#server/core/live.ts'
import { quotaOf, quotaLeft } from '#server/accounts/quotas/enforcing.ts'
import { lockedSettings } from '#server/accounts/settings/settings.ts'
import { requireSameAccess } from '#server/accounts/users/users.ts'
import { type Addresses, refuseCallbackUrl } from './addresses.ts'
import { WEBHOOK_REMOVED } from './outcome.ts'
import { callbackStore, type WebhookRow, webhookStore } from './store.ts'

type Needs = { db: Database; clock: Clock; live: Live; addresses: Addresses }

/** The period for which given-up callbacks are counted. */
const DEAD_MS = 7 * DAY_MS
/** Rows to give up in one transaction. */
const STEP = 500

/**
 * The webhooks of the scope, and how many callbacks of each were given up in the last 7 days. With `maker`, only the
 * webhooks that this user made.
 */
export async function listWebhooks(
  { db, clock }: Pick<Needs, 'db' | 'clock'>,
  scope: Scope,
  maker?: number,
): Promise<Webhook[]> {
  return withDead(db.read, await webhookStore(db.read, scope).list(maker), clock.now())
}

/**
 * Adds a URL that receives callbacks about the company's tasks from now on. Only this answer contains its secret.
 * `invalid` if callbacks may not go there, or if the company has used up its quota; `unknown_company` outside the
 * scope; `proof_required`.
 */
export async function createWebhook(
  { db, clock, live, addresses }: Needs,
  caller: Caller,
  { url, types, format = null, api_key_id = null }: NewWebhook,
  company_id: number = caller.company_id,
): Promise<MadeWebhook> {
  await refuseCallbackUrl({ addresses }, company_id, url, 'url')
  const webhook_secret = newWebhookSecret()
  const subscribed = [...new Set(types)]
  refuseTypesOf(format, subscribed)
  const row = await db.write(async (tx) => {
    await lockedSettings(tx, caller.scope, company_id)
    await requireSameAccess(tx, caller)
    const webhooks = webhookStore(tx, { company_id })
    if ((await quotaLeft(tx, company_id, 'webhooks', instant(clock.now()))) < 1) {
      throw tooMany(await quotaOf(tx, company_id, 'webhooks'))
    }
    const now = instant(clock.now())
    await refuseKeyOf(tx, company_id, { format, api_key_id }, now)
    requireProof(caller, clock.now())
    const types = JSON.stringify(subscribed)
    const created = { company_id, url, types, created_at: now, format, api_key_id }
    const id = await webhooks.insert({ ...created, secret: webhook_secret, created_by: caller.user_id })
    await recordChange(tx, clock, caller, {
      company_id,
      action: 'webhook.created',
      name: withoutQuery(url),
      changes: {
        types: { from: null, to: subscribed },
        ...(format && { format: { from: null, to: format } }),
      },
    })
    return { id, ...created, by: caller.name, previous_until: null }
  })
  live.changed(company_id, 'callbacks', 'audit')
  return { ...row, types: subscribed, dead: 0, webhook_secret }
}

/** Only received SMS have a form of other gateways. */
function refuseTypesOf(format: CallbackFormat | null, types: readonly CallbackType[]): void {
  if (format === null || types.join() === 'sms.received') return
  const why = `must be ["sms.received"] with the format ${format}`
  throw invalidField('types', why, 'not_one_of', { values: ['sms.received'] })
}

/** The format `twilio` needs a key that may read received SMS, and `kannel` may name one. */
async function refuseKeyOf(
  tx: Tx,
  company_id: number,
  { format, api_key_id }: Required<Pick<NewWebhook, 'format' | 'api_key_id'>>,
  now: string,
): Promise<void> {
  if (api_key_id === null) {
    if (format !== 'twilio') return
    throw invalidField('api_key_id', 'is required', 'required', {})
  }
  if (format === null) throw invalidField('api_key_id', 'belongs to a format', 'unknown_field', {})
  const key = await keyHolderById(tx, company_id, api_key_id!, now)
  if (key?.may.includes('inbox:read')) return
  throw invalidField('api_key_id', 'must be a key of the company with inbox:read', 'bad_format', {})
}

function tooMany(most: number): Refusal {
  const why = `is one too many: a company has ${most} webhooks at most`
  return new Refusal(
    'invalid',
    `This webhook ${why}. Remove one that is not needed, or ask a superadmin to raise the quota.`,
    {
      fields: { url: fault(why, 'too_many', { max: most }) },
    },
  )
}

/**
 * Gives a webhook a new secret, which only this answer contains. For `overlap_hours`, callbacks carry a signature with
 * the previous secret too. Older secrets stop at once. `unknown_webhook` outside the scope; `proof_required`.
 */
export async function rotateWebhook(
  { db, clock, live }: Omit<Needs, 'addresses'>,
  caller: Caller,
  id: number,
  overlap_hours: number,
): Promise<MadeWebhook> {
  const webhook_secret = newWebhookSecret()
  const now_ms = clock.now()
  const previous_until = overlapEnd(overlap_hours, now_ms)
  const before = await db.write(async (tx) => {
    const before = await requireWebhook(tx, caller.scope, id)
    requireProof(caller, now_ms)
    await webhookStore(tx, caller.scope).rotate(id, webhook_secret, previous_until)
    await recordChange(tx, clock, caller, {
      company_id: before.company_id,
      action: 'webhook.rotated',
      name: withoutQuery(before.url),
      changes: {
        secret: SECRET_CHANGED,
        previous_until: { from: activeOverlap(before.previous_until, now_ms), to: previous_until },
      },
    })
    return before
  })
  live.changed(before.company_id, 'callbacks', 'audit')
  const [webhook] = await withDead(db.read, [{ ...before, previous_until }], now_ms)
  return { ...webhook!, webhook_secret }
}

/** Ends the overlap of a rotation, if there is one. `unknown_webhook` outside the scope. */
export async function endPreviousSecret(
  { db, clock, live }: Omit<Needs, 'addresses'>,
  caller: Caller,
  id: number,
): Promise<void> {
  const { company_id } = await db.write(async (tx) => {
    const row = await requireWebhook(tx, caller.scope, id)
    await webhookStore(tx, caller.scope).update(id, { previous_secret: null, previous_until: null })
    await recordChange(tx, clock, caller, {
      company_id: row.company_id,
      action: 'webhook.previous_ended',
      name: withoutQuery(row.url),
      changes: { previous_until: { from: activeOverlap(row.previous_until, clock.now()), to: null } },
    })
    return row
  })
  live.changed(company_id, 'callbacks', 'audit')
}

/** Removes a webhook and gives up the callbacks waiting for it. `unknown_webhook` outside the scope. */
export async function deleteWebhook(
  { db, clock, live }: Omit<Needs, 'addresses'>,
  caller: Caller,
  id: number,
): Promise<void> {
  const { company_id } = await db.write(async (tx) => {
    const row = await requireWebhook(tx, caller.scope, id)
    await webhookStore(tx, caller.scope).update(id, { removed_at: instant(clock.now()) })
    const { company_id, url, types } = row
    await recordChange(tx, clock, caller, {
      company_id,
      action: 'webhook.removed',
      name: withoutQuery(url),
      changes: { types: { from: JSON.parse(types) as unknown, to: null } },
    })
    return row
  })
  // In steps, so that other writes get a turn. After a crash, the rest are given up when they are due.
  const giveUpSome = () =>
    db.write((tx) => callbackStore(tx, { company_id }).giveUp(id, WEBHOOK_REMOVED, STEP))
  while ((await giveUpSome()) === STEP);
  live.changed(company_id, 'callbacks', 'audit')
}

async function requireWebhook(tx: Tx, scope: Scope, id: number): Promise<WebhookRow> {
  const row = await webhookStore(tx, scope).byId(id)
  if (row === undefined) throw new Refusal('unknown_webhook', `There is no webhook ${id}.`)
  return row
}

async function withDead(tx: Tx, rows: readonly WebhookRow[], now_ms: number): Promise<Webhook[]> {
  const ids = rows.map(({ id }) => id)
  const dead = ids.length > 0 ? await webhookStore(tx, 'all').dead(ids, instant(now_ms - DEAD_MS)) : new Map()
  return rows.map(({ types, previous_until, ...row }) => ({
    ...row,
    types: JSON.parse(types) as CallbackType[],
    dead: dead.get(row.id) ?? 0,
    previous_until: activeOverlap(previous_until, now_ms),
  }))
}

/** The part of a URL that the audit log and the role `user` may see: its query may contain a secret token. */
export function withoutQuery(url: string): string {
  return url.replace(/[?#].*$/s, '')
}
