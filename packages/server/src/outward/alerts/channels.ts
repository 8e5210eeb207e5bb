import {
  type AlertChannel,
  type AlertChannelChange,
  type ChannelKind,
} from '@sdd/contract/outward/alert-channels.ts'
import { MAX_ALERT_CHANNELS } from '@sdd/contract/outward/alerts.ts'
import { recordChange, SECRET_CHANGED } from '#server/accounts/audit/audit.ts'
import { requireProof } from '#server/accounts/auth/proof.ts'
import { lockedSettings } from '#server/accounts/settings/settings.ts'
import { type Clock, instant } from '#server/core/clock.ts'
import type { Caller } from '#server/core/context.ts'
import type { Live } from '#server/core/live.ts'
import { invalidField } from '#server/core/field-faults.ts'
import { Refusal } from '#server/core/refusal.ts'
import { newWebhookSecret } from '#server/core/secrets.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import { type Addresses, openUrlCheck } from '#server/outward/callbacks/addresses.ts'
import type { Posting } from '#server/outward/callbacks/posting.ts'
import { newWebhookId } from '#server/outward/callbacks/signature.ts'
import { withoutQuery } from '#server/outward/callbacks/webhooks.ts'
import { type AlertChannelRow, alertChannelStore } from './channels.store.ts'
import { sendToChannel } from './sending.ts'
import { alertRuleStore } from './store.ts'

type Needs = { db: Database; clock: Clock; live: Pick<Live, 'changed'>; addresses: Addresses }

type Columns = Omit<AlertChannelRow, 'id' | 'company_id' | 'last_at' | 'last_delivered' | 'last_detail'>

const DEFAULT_URLS: Record<ChannelKind, string | undefined> = {
  webhook: undefined,
  telegram: 'https://api.telegram.org',
  ntfy: 'https://ntfy.sh',
}
const RECIPIENTS = { webhook: undefined, telegram: 'chat_id', ntfy: 'topic' } as const
const TESTS_A_MINUTE = 10
const MINUTE_MS = 60_000

export async function listAlertChannels(
  { db }: Pick<Needs, 'db'>,
  { scope }: Pick<Caller, 'scope'>,
): Promise<{ alert_channels: AlertChannel[] }> {
  return { alert_channels: (await alertChannelStore(db.read, scope).list()).map(asChannel) }
}

/**
 * Creates a channel, or changes the one with this id. `invalid`, `unknown_alert_channel`, and `proof_required` for a new
 * channel and another address. Only the answer that makes a webhook has its secret.
 */
export async function saveAlertChannel(
  { db, clock, live, addresses }: Needs,
  caller: Caller,
  change: AlertChannelChange,
  company?: number,
): Promise<{ channel: AlertChannel; made: boolean }> {
  const id = change.id ?? undefined
  const known = id === undefined ? undefined : await requireChannel(db.read, caller, id)
  const url = change.settings?.url
  if (url !== undefined) {
    const why = await openUrlCheck({ addresses }, known?.company_id ?? company ?? caller.company_id)(url)
    if (why !== undefined) throw invalidField('settings.url', why, 'address_refused', {})
  }
  const saved = await db.write(async (tx) => {
    const store = alertChannelStore(tx, caller.scope)
    const before = id === undefined ? undefined : await requireChannel(tx, caller, id)
    const company_id = before?.company_id ?? company ?? caller.company_id
    await lockedSettings(tx, caller.scope, company_id)
    const columns = channelColumns(before, change)
    if (
      before === undefined &&
      (await alertChannelStore(tx, { company_id }).list()).length >= MAX_ALERT_CHANNELS
    )
      throw invalidField('name', 'is of one channel too many: remove another', 'too_many', {
        max: MAX_ALERT_CHANNELS,
      })
    if (columns.url !== before?.url) requireProof(caller, clock.now())
    const row_id = before?.id ?? (await store.insert({ company_id, ...columns }))
    if (before !== undefined) await store.update(before.id, columns)
    const field = (name: 'name' | 'recipient') => ({ from: before?.[name] ?? null, to: columns[name] })
    await recordChange(tx, clock, caller, {
      company_id,
      action: 'alert_channel.saved',
      name: columns.name,
      changes: {
        name: field('name'),
        recipient: field('recipient'),
        url: { from: before ? withoutQuery(before.url) : null, to: withoutQuery(columns.url) },
        ...(columns.token !== (before?.token ?? null) && { token: SECRET_CHANGED }),
      },
    })
    const nothing = { last_at: null, last_delivered: null, last_detail: null }
    return { row: { ...nothing, ...before, ...columns, id: row_id, company_id }, made: before === undefined }
  })
  live.changed(saved.row.company_id, 'alerts', 'audit')
  const { webhook_secret } = saved.row
  const shown = saved.made && webhook_secret !== null ? { webhook_secret } : {}
  return { channel: { ...asChannel(saved.row), ...shown }, made: saved.made }
}

/** Removes a channel, and what it has been told. `channel_in_use` if a rule names it. */
export async function deleteAlertChannel(
  { db, clock, live }: Omit<Needs, 'addresses'>,
  caller: Caller,
  id: number,
): Promise<void> {
  const { company_id } = await db.write(async (tx) => {
    const channel = await requireChannel(tx, caller, id)
    const { company_id, name } = channel
    await lockedSettings(tx, caller.scope, company_id)
    const rules = await alertRuleStore(tx, { company_id }).list()
    if (rules.some(({ channels }) => (JSON.parse(channels) as number[]).includes(id)))
      throw new Refusal('channel_in_use', 'A rule for alerts names this channel.')
    await alertChannelStore(tx, caller.scope).remove(id)
    await recordChange(tx, clock, caller, { company_id, action: 'alert_channel.deleted', name })
    return channel
  })
  live.changed(company_id, 'alerts', 'audit')
}

/** Returns the test of a channel: one try that says that it is a test. At most 10 a minute for a company. */
export function openChannelTests({
  db,
  clock,
  posting,
}: Pick<Needs, 'db' | 'clock'> & { posting: Pick<Posting, 'post'> }) {
  const tests = new Map<number, number[]>()

  return async (caller: Caller, id: number): Promise<{ delivered: boolean; detail: string | null }> => {
    const channel = await requireChannel(db.read, caller, id)
    const now_ms = clock.now()
    const recent = (tests.get(channel.company_id) ?? []).filter((ms) => Math.abs(now_ms - ms) < MINUTE_MS)
    if (recent.length >= TESTS_A_MINUTE) {
      const retry_after_secs = Math.ceil((recent[0]! + MINUTE_MS - now_ms) / 1_000)
      throw new Refusal('too_many_attempts', 'Too many tests. Try again in a minute.', {
        retry_after_secs,
        params: { retry_after: retry_after_secs },
      })
    }
    tests.set(channel.company_id, [...recent, now_ms])
    const text = `Test of the channel "${channel.name}" of SMS Drone Dash. No alert is open because of it.`
    const body = JSON.stringify({
      type: 'alert.test',
      at: instant(now_ms),
      text,
      count: 0,
      rule: null,
      alerts: [],
    })
    const sent = await sendToChannel({ posting }, channel, newWebhookId(), body, now_ms)
    if (sent === undefined) throw new Refusal('not_ready', 'The server is stopping. Try again in a moment.')
    return { delivered: sent.delivered, detail: sent.detail }
  }
}

async function requireChannel(tx: Tx, { scope }: Caller, id: number): Promise<AlertChannelRow> {
  const channel = await alertChannelStore(tx, scope).hold(id)
  if (channel === undefined)
    throw new Refusal('unknown_alert_channel', `There is no channel for alerts ${id}.`)
  return channel
}

/** The channel after the change. Throws `invalid` if its parts do not fit together. */
function channelColumns(before: AlertChannelRow | undefined, change: AlertChannelChange): Columns {
  const { settings = {} } = change
  const kind = before?.kind ?? change.kind
  if (kind === undefined) throw invalidField('kind', 'is required', 'required', {})
  if (change.kind !== undefined && change.kind !== kind)
    throw invalidField('kind', 'of a channel never changes', 'not_one_of', { values: [kind] })
  const name = change.name ?? before?.name
  if (name === undefined) throw invalidField('name', 'is required', 'required', {})
  const url = settings.url ?? before?.url ?? DEFAULT_URLS[kind]
  if (url === undefined) throw invalidField('settings.url', 'is required', 'required', {})
  const own = RECIPIENTS[kind]
  for (const field of ['chat_id', 'topic'] as const)
    if (field !== own && settings[field] !== undefined)
      throw invalidField(`settings.${field}`, `does not belong to ${kind}`, 'unknown_field', {})
  if (kind === 'webhook' && settings.token !== undefined)
    throw invalidField('settings.token', 'does not belong to webhook', 'unknown_field', {})
  const recipient = own === undefined ? null : (settings[own] ?? before?.recipient ?? null)
  if (own !== undefined && recipient === null)
    throw invalidField(`settings.${own}`, 'is required', 'required', {})
  return {
    kind,
    name,
    url,
    recipient,
    token: tokenOf(kind, url, before, settings.token),
    ...secretOf(kind, before),
  }
}

/** A token is for its address: another one must not get it. */
function tokenOf(
  kind: ChannelKind,
  url: string,
  before: AlertChannelRow | undefined,
  given: string | null | undefined,
): string | null {
  const known = before?.token ?? null
  const lost = given === undefined && known !== null && url !== before!.url
  const token = given === undefined ? known : given
  if (lost || (kind === 'telegram' && token === null))
    throw invalidField('settings.token', 'is required', 'required', {})
  return token
}

function secretOf(kind: ChannelKind, before: AlertChannelRow | undefined) {
  if (kind !== 'webhook') return { webhook_secret: null }
  return { webhook_secret: before?.webhook_secret ?? newWebhookSecret() }
}

function asChannel(row: AlertChannelRow): AlertChannel {
  const { id, company_id, kind, name, url, recipient, token } = row
  const own = RECIPIENTS[kind]
  return {
    id,
    company_id,
    kind,
    name,
    settings: {
      url,
      ...(own !== undefined && { [own]: recipient, token_set: token !== null }),
    },
    last:
      row.last_at === null
        ? null
        : { at: row.last_at, delivered: row.last_delivered === 1, detail: row.last_detail },
  }
}
