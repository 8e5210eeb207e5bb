import {
  type Campaign,
  type CampaignCounts,
  type CampaignState,
  countedStates,
} from '@sdd/contract/people/campaigns.ts'
import type { Waiting } from '@sdd/contract/dispatch/waiting.ts'
import type { Numbers } from '#server/accounts/settings/numbers.ts'
import { type Clock, instant, MINUTE_MS } from '#server/core/clock.ts'
import type { Database } from '#server/database/open.ts'
import { reasonsOf } from '#server/dispatch/why-waiting/reasons.ts'
import { waitingFieldsOf } from '#server/dispatch/why-waiting/sentences.ts'
import { CLASS_PRIORITY } from '#server/messages/messages/classes.ts'
import { type Estimate, estimate, type Fleet, type Work } from './estimate.ts'
import { fleetOf } from './fleet.store.ts'
import { CONFIRMED, minuteOf, PARTS, PLANNED } from './figures.ts'
import { campaignMessages } from './messages.store.ts'
import { pendingStore } from './rows.store.ts'
import { type CampaignRecord, campaignStore, countStore } from './store.ts'

export type ViewNeeds = { db: Pick<Database, 'read'>; clock: Clock; numbers: Pick<Numbers, 'rules'> }

export async function asCampaign(needs: ViewNeeds, row: CampaignRecord): Promise<Campaign> {
  return (await asCampaigns(needs, [row]))[0]!
}

/** These campaigns in the form of the contract. */
export async function asCampaigns(needs: ViewNeeds, rows: readonly CampaignRecord[]): Promise<Campaign[]> {
  const started = rows.filter(({ state }) => state !== 'draft').map(({ id }) => id)
  const figuresOf = await readFigures(needs, started)
  return Promise.all(
    rows.map(async (row) => {
      const figures = figuresOf(row.id)
      return view(needs, row, figures, await forecastOf(needs, row, figures))
    }),
  )
}

export type Figures = ReadonlyMap<string, number>

/** Reads what people see of these campaigns. */
export async function readFigures(
  { db, clock }: Pick<ViewNeeds, 'db' | 'clock'>,
  ids: readonly number[],
): Promise<(id: number) => Figures> {
  // The present minute may be over when the rate is computed.
  const minutes = Array.from({ length: RATE_MINUTES + 1 }, (_, ago) => minuteAgo(clock.now(), ago))
  const names = [...countedStates, CONFIRMED, PARTS, PLANNED, ...minutes]
  const figures = ids.length === 0 ? undefined : await countStore(db.read).of(ids, names)
  return (id) => figures?.get(id) ?? new Map<string, number>()
}

export async function view(
  needs: ViewNeeds,
  row: CampaignRecord,
  figures: Figures,
  forecast: Forecast | undefined,
): Promise<Campaign> {
  const { finishes_at, limited_by, waiting } = await outlook(needs, row, forecast)
  return {
    id: row.id,
    company_id: row.company_id,
    name: row.name,
    text: row.text,
    class: row.class,
    state: row.state as CampaignState,
    lists: JSON.parse(row.lists) as string[],
    via: row.via,
    not_before: row.not_before,
    expires_at: row.expires_at,
    created_at: row.created_at,
    created_by: row.created_by,
    started_at: row.started_at,
    paused_at: row.paused_at,
    paused_by: row.paused_by,
    finished_at: row.finished_at,
    rows: row.rows,
    ...waitingFieldsOf(waiting),
    limited_by,
    counts: countsOf(row, figures),
    rate_per_min: row.state === 'running' ? rateOf(row, figures, needs.clock.now()) : null,
    finishes_at,
  }
}

function countsOf({ state, rows }: CampaignRecord, figures: Figures): CampaignCounts {
  const counts = Object.fromEntries(countedStates.map((counted) => [counted, figures.get(counted) ?? 0]))
  return (state === 'draft' ? { ...counts, pending: rows } : counts) as CampaignCounts
}

const RATE_MINUTES = 5

/** Messages that left in the last full minutes since the start, per minute. */
function rateOf({ started_at }: CampaignRecord, figures: Figures, now_ms: number): number {
  const running = Math.floor((now_ms - Date.parse(started_at ?? '')) / MINUTE_MS)
  const minutes = Math.max(1, Math.min(RATE_MINUTES, running))
  let left = 0
  for (let minute = 1; minute <= minutes; minute++) left += figures.get(minuteAgo(now_ms, minute)) ?? 0
  return Math.round((10 * left) / minutes) / 10
}

function minuteAgo(now_ms: number, minutes: number): string {
  return minuteOf(instant(now_ms - minutes * MINUTE_MS))
}

/** What a campaign that has started still has to do, and by which devices. */
export type Forecast = {
  work: Work
  fleet: Fleet
  estimated: Estimate
  /** The next row without a message, and the next message that waits. */
  next: Awaited<ReturnType<ReturnType<typeof pendingStore>['next']>>
  first: Awaited<ReturnType<ReturnType<typeof campaignMessages>['first']>>
}

/** Undefined unless the campaign runs or begins later. */
export async function forecastOf(
  { db: { read }, clock, numbers }: ViewNeeds,
  campaign: CampaignRecord,
  figures: Figures,
): Promise<Forecast | undefined> {
  const { id, company_id, state } = campaign
  if (state !== 'running' && state !== 'scheduled') return undefined
  const [next, first] = [await pendingStore(read, id).next(), await campaignMessages(read, id).first()]
  const work = await workOf({ read }, campaign, figures, next?.number ?? first?.message_to ?? '')
  const fleet = await fleetOf(read, clock, campaign)
  return { work, fleet, estimated: estimate(work, fleet, numbers.rules(company_id), clock), next, first }
}

type Outlook = Estimate & { waiting: Waiting | undefined }

/** Why the next row of a campaign waits, and when its last one will have left. */
async function outlook(
  { db, clock }: ViewNeeds,
  campaign: CampaignRecord,
  forecast: Forecast | undefined,
): Promise<Outlook> {
  const { state, not_before } = campaign
  const none = { finishes_at: null, limited_by: null }
  if (state === 'paused') return { ...none, waiting: { code: 'campaign_paused', params: {} } }
  if (forecast === undefined || forecast.work.messages === 0) return { ...none, waiting: undefined }
  const { estimated, next, first } = forecast
  if (state === 'scheduled')
    return { ...estimated, waiting: { code: 'not_before', params: { at: not_before! } } }
  if (first !== undefined) {
    const reason = (await reasonsOf(db.read, clock, [first])).get(first.id)
    return { ...estimated, waiting: reason && MOVING.has(reason.code) ? undefined : reason }
  }
  return { ...estimated, waiting: next && waitingOf(next, campaign.class, instant(clock.now())) }
}

/** The remaining work of a campaign that has started. */
async function workOf(
  db: ViewNeeds['db'],
  { id, class: its_class, state, not_before }: CampaignRecord,
  figures: Figures,
  number: string,
): Promise<Work> {
  const messages = leftOf(figures)
  const each = (figures.get(PARTS) ?? 0) / Math.max(1, figures.get(CONFIRMED) ?? 0)
  return {
    messages,
    parts: messages * Math.max(1, each),
    number,
    priority: CLASS_PRIORITY[its_class],
    not_before: state === 'scheduled' ? not_before : null,
    last_at: (await campaignStore(db.read, 'all').lastAt(id)) ?? null,
  }
}

/** Messages that no device has. */
function leftOf(figures: Figures): number {
  return (figures.get('pending') ?? 0) + (figures.get('queued') ?? 0)
}

/** Reasons for which messages wait while a campaign makes progress. */
const MOVING: ReadonlySet<Waiting['code']> = new Set(['next', 'pacing', 'window_full'])

/** A row that is due later than asked waits for its hours. */
function waitingOf(
  { due_at, at }: { due_at: string; at: string | null },
  its_class: CampaignRecord['class'],
  now: string,
): Waiting | undefined {
  if (due_at <= now) return undefined
  if (due_at === at) return { code: 'not_before', params: { at } }
  return { code: 'sending_hours', params: { until: due_at, at: due_at, class: its_class } }
}
