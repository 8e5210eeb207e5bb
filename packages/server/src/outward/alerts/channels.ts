import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { AlertChannel, AlertChannelChange, ChannelTest } from '@sdd/contract/outward/alert-channels.ts'
import { MAX_ALERT_CHANNELS } from '@sdd/contract/outward/alerts.ts'
import { recordChange, SECRET_CHANGED } from '#server/accounts/audit/audit.ts'
import { requireProof } from '#server/accounts/auth/proof.ts'
import { tryCounted } from '#server/accounts/passwords/trying.ts'
import type { Numbers } from '#server/accounts/settings/numbers.ts'
import { lockedSettings } from '#server/accounts/settings/settings.ts'
import { type Clock, instant, MINUTE_MS } from '#server/core/clock.ts'
import type { Caller } from '#server/core/context.ts'
import type { Live } from '#server/core/live.ts'
import { invalidField } from '#server/core/field-faults.ts'
import { Refusal } from '#server/core/refusal.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import { announceQueued } from '#server/messages/messages/queued.ts'
import { type Addresses, openUrlCheck } from '#server/outward/callbacks/addresses.ts'
import type { Posting } from '#server/outward/callbacks/posting.ts'
import { newWebhookId } from '#server/outward/callbacks/signature.ts'
import { withoutQuery } from '#server/outward/callbacks/webhooks.ts'
import { channelColumns, channelSettings } from './channel-columns.ts'
import { channelFaultFieldsOf, channelFaults } from './channel-faults.ts'
import { type AlertChannelRow, alertChannelStore } from './channels.store.ts'
import type { Mailing } from './mailing.ts'
import { sendToChannel } from './sending.ts'
import { alertSmsOutcome, storeAlertSms, type TextingNeeds } from './texting.ts'
import { alertRuleStore } from './store.ts'

type Needs = {
  db: Database
  clock: Clock
  live: Pick<Live, 'changed'>
  addresses: Addresses
  numbers: Pick<Numbers, 'country' | 'kept'>
}

/** A test answers after this long at most. */
const TEST_MS = 15_000
const TEST_LOOK_MS = 200

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
  { db, clock, live, addresses, numbers }: Needs,
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
    const columns = channelColumns({ numbers, company_id }, before, change)
    if (
      before === undefined &&
      (await alertChannelStore(tx, { company_id }).list()).length >= MAX_ALERT_CHANNELS
    )
      throw invalidField('name', 'is of one channel too many: remove another', 'too_many', {
        max: MAX_ALERT_CHANNELS,
      })
    if (before === undefined || columns.url !== before.url) requireProof(caller, clock.now())
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
        url: urlChange(before, columns),
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
  { db, clock, live }: Pick<Needs, 'db' | 'clock' | 'live'>,
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

/**
 * Tests a channel: one try that says that it is a test. At most 10 a minute for a company, at all servers together.
 * `unknown_alert_channel`, `too_many_attempts`.
 */
export async function testAlertChannel(needs: TestNeeds, caller: Caller, id: number): Promise<ChannelTest> {
  const { db, clock, posting, mailing } = needs
  const channel = await requireChannel(db.read, caller, id)
  const now_ms = clock.now()
  const tests = { name: `tests of ${channel.company_id}`, most: 10, within_ms: MINUTE_MS, said: 'tests' }
  await tryCounted(needs, [tests])
  const text = `Test of the channel "${channel.name}" of SMS Drone Dash. No alert is open because of it.`
  const body = JSON.stringify({
    type: 'alert.test',
    at: instant(now_ms),
    text,
    count: 0,
    rule: null,
    alerts: [],
  })
  if (channel.kind === 'sms') return testBySms(needs, channel, text)
  const sent = await sendToChannel({ posting, mailing }, channel, newWebhookId(), body, now_ms)
  if (sent === undefined) throw new Refusal('not_ready', 'The server is stopping. Try again in a moment.')
  return { delivered: sent.delivered, ...channelFaultFieldsOf(sent.detail) }
}

type TestNeeds = Pick<Needs, 'db' | 'clock'> &
  Parameters<typeof tryCounted>[0] & {
    posting: Pick<Posting, 'post'>
    mailing: Pick<Mailing, 'send'>
  } & TextingNeeds

/** An SMS that no device has sent in time expires, so it does not come later. */
async function testBySms(
  needs: TestNeeds,
  { company_id, recipient }: AlertChannelRow,
  text: string,
): Promise<ChannelTest> {
  const { db } = needs
  const sms = { guid: randomUUID(), company_id, number: recipient!, text, lifetime_ms: TEST_MS }
  const anywhere = { but: { uids: [], iccids: [] }, failed_guid: null }
  const stored = await db.write((tx) => storeAlertSms(tx, needs, { ...sms, ...anywhere }))
  const lost = (detail: string) => ({ delivered: false, ...channelFaultFieldsOf(detail) })
  if (typeof stored === 'string') return lost(stored)
  if (stored === undefined) return lost(channelFaults.no_device.write({}))
  announceQueued(needs, stored)
  for (const end_ms = performance.now() + TEST_MS; performance.now() < end_ms; await wait(TEST_LOOK_MS)) {
    const sent = await alertSmsOutcome(db.read, company_id, stored.guid)
    if (sent) return { delivered: sent.delivered, ...channelFaultFieldsOf(sent.detail) }
  }
  return lost(channelFaults.sms_late.write({ secs: TEST_MS / 1_000 }))
}

async function requireChannel(tx: Tx, { scope }: Caller, id: number): Promise<AlertChannelRow> {
  const channel = await alertChannelStore(tx, scope).hold(id)
  if (channel === undefined)
    throw new Refusal('unknown_alert_channel', `There is no channel for alerts ${id}.`)
  return channel
}

function urlChange(before: Pick<AlertChannelRow, 'url'> | undefined, after: Pick<AlertChannelRow, 'url'>) {
  const shown = { from: before ? shownUrl(before) : null, to: shownUrl(after) }
  return before && before.url !== after.url && shown.from === shown.to ? SECRET_CHANGED : shown
}

/** An address may contain a secret. */
function shownUrl({ url }: Pick<AlertChannelRow, 'url'>): string | null {
  return url === '' ? null : withoutQuery(url)
}

function asChannel(row: AlertChannelRow): AlertChannel {
  const { id, company_id, kind, name } = row
  return {
    id,
    company_id,
    kind,
    name,
    settings: channelSettings(row),
    last:
      row.last_at === null
        ? null
        : { at: row.last_at, delivered: row.last_delivered === 1, ...channelFaultFieldsOf(row.last_detail) },
  }
}
