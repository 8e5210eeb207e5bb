import type { SkipReason } from '@sdd/contract/people/campaign-rows.ts'
import type { CountedState } from '@sdd/contract/people/campaigns.ts'
import type { Logger } from 'pino'
import type { Numbers } from '#server/accounts/settings/numbers.ts'
import { shareSettingsLock } from '#server/accounts/settings/settings.ts'
import { DAY_MS, instant } from '#server/core/clock.ts'
import { crashPoint } from '#server/core/crash-points.ts'
import type { DiskSpace } from '#server/core/disk-space.ts'
import type { FeatureMetrics } from '#server/core/feature-metrics.ts'
import { type Loop, startLoop } from '#server/core/loop.ts'
import { Refusal } from '#server/core/refusal.ts'
import type { Replica } from '#server/core/replicas/replicas.ts'
import type { Tx } from '#server/database/schema.ts'
import { countLanes, joinLane, type LaneChanges } from '#server/dispatch/lanes/lanes.ts'
import { homePlace } from '#server/dispatch/lanes/routed.ts'
import type { CompanyRoutes } from '#server/fleet/routes/company-routes.ts'
import { countRecipients, isCapped } from '#server/messages/destinations/counting.ts'
import type { DestinationRules } from '#server/messages/destinations/rules.ts'
import { closedUntil } from '#server/messages/hours/closed.ts'
import { CLASS_PRIORITY } from '#server/messages/messages/classes.ts'
import { addMessages, type MoveNeeds } from '#server/messages/messages/moving.ts'
import type { WakeFor } from '#server/messages/messages/queued.ts'
import { newIds } from '#server/messages/messages/store.ts'
import { optedOut } from '#server/messages/opt-outs/opt-outs.ts'
import type { CampaignNeeds } from './campaigns.ts'
import { endPending } from './ending.ts'
import { fleetOf } from './fleet.store.ts'
import { forgetCampaigns } from './forgetting.ts'
import { unreachable } from './judging.ts'
import { campaignMessages } from './messages.store.ts'
import { removeRows } from './removing.ts'
import { refusedNumbers, routableRow } from './route-check.ts'
import { openRendering } from './rendering.ts'
import { contactsOf, type PendingRow, pendingStore, type SkippedRow } from './rows.store.ts'
import { discardRest, hasRest } from './discarding.ts'
import { type CampaignRecord, campaignStore, countStore, isOngoing } from './store.ts'

type FeedNeeds = CampaignNeeds &
  MoveNeeds & {
    numbers: Pick<Numbers, 'rulesIn'>
    destinations: Pick<DestinationRules, 'of'>
    companyRoutes: Pick<CompanyRoutes, 'of'>
    diskSpace: Pick<DiskSpace, 'shortage'>
    featureMetrics: Pick<FeatureMetrics, 'messages'>
    /** Companies whose campaigns have changed with their messages. */
    news: Set<number>
    wakeFor: WakeFor
    log: Pick<Logger, 'error'>
  }

/** The interval of the loop without a wake-up. A pause must hold within a second, and takes no part in it. */
const LOOK_MS = 250
/** After a round that made messages. */
const NEXT_MS = 20
/** A campaign that failed is left out for this long, so that it delays no other and is not logged in every round. */
const REST_MS = 1_000
/** Rows of one transaction. */
const BATCH = 200
/** Rows that a device may have ahead of it, without pacing and with it. */
const AHEAD = { unpaced: 40, paced: 3 }
/** The fewest, so that a campaign without devices shows why it waits. */
const LEAST_AHEAD = 10
const MOST_AHEAD = 2_000
/** The counts of rows that have no outcome. */
const UNENDED = ['pending', 'queued', 'handed'] as const satisfies readonly CountedState[]
/** A row without an end waits this long at most. */
const NEVER_MS = 366 * DAY_MS

/** Makes the messages of running campaigns, a little ahead of the devices. One of several servers does it. */
export function startFeeding(
  needs: FeedNeeds & { replica: Pick<Replica, 'leads'> },
): Loop & { feed(): void } {
  const { live, news, replica, log } = needs
  const forget = forgetCampaigns(needs)
  const feed = openRounds(needs)
  const loop = startLoop({
    name: 'campaigns',
    every_ms: LOOK_MS,
    log,
    async work() {
      for (const company_id of news) live.changed(company_id, 'campaigns')
      news.clear()
      if (!replica.leads()) return undefined
      await forget()
      return (await feed()) ? NEXT_MS : undefined
    },
  })
  return { ...loop, feed: loop.wake }
}

/**
 * Returns one round for every campaign that has something to do, which resolves to whether messages were made. If a
 * campaign fails, those after it still have their turn.
 */
function openRounds(needs: FeedNeeds): () => Promise<boolean> {
  const { db, log, wakeFor } = needs
  /** When failed campaigns have their next turn, by `performance.now()`. */
  const resting = new Map<number, number>()

  return async () => {
    const active = await campaignStore(db.read, 'all').active()
    if (active.length === 0) return false
    const ids = active.map(({ id }) => id)
    const counts = await countStore(db.read).of(ids, UNENDED)
    let made = 0
    for (const campaign of active) {
      const { id } = campaign
      if (performance.now() < (resting.get(id) ?? 0)) continue
      resting.delete(id)
      try {
        made += await advance(needs, campaign, (figure) => counts.get(id)?.get(figure) ?? 0)
      } catch (error) {
        resting.set(id, performance.now() + REST_MS)
        const why = error instanceof Refusal ? { why: error.message } : { err: error }
        log.error({ ...why, campaign: id }, 'A campaign could not go on; it will be tried again')
      }
    }
    if (made > 0) wakeFor([])
    return made > 0
  }
}

/** Does the next step of a campaign. Returns how many messages it made. */
async function advance(
  needs: FeedNeeds,
  campaign: CampaignRecord,
  count: (state: (typeof UNENDED)[number]) => number,
): Promise<number> {
  const { state, not_before, expires_at } = campaign
  const now = instant(needs.clock.now())
  if (state === 'removed') await removeRows(needs, campaign)
  else if (state === 'stopped') {
    if (count('pending') > 0 || (await hasRest(needs, campaign))) await discardRest(needs, campaign)
  } else if (UNENDED.every((state) => count(state) === 0)) await finish(needs, campaign)
  else if (expires_at !== null && expires_at <= now && count('pending') > 0) await expire(needs, campaign)
  else if (state === 'scheduled') {
    if (not_before === null || not_before <= now) await begin(needs, campaign)
  } else if (state === 'running' && count('pending') > 0) return feedOne(needs, campaign)
  return 0
}

/**
 * How many more messages of a campaign may wait. Those that no device could take now do not count: they are with a
 * device, perhaps a lost one, or wait for their hours or another attempt.
 */
async function roomOf({ db, clock }: FeedNeeds, campaign: CampaignRecord, now: string): Promise<number> {
  const { devices, spoof_time_secs } = await fleetOf(db.read, clock, campaign)
  const each = spoof_time_secs === 0 ? AHEAD.unpaced : AHEAD.paced
  const ahead = Math.min(MOST_AHEAD, Math.max(LEAST_AHEAD, devices.length * each))
  return ahead - (await campaignMessages(db.read, campaign.id).takeable(now))
}

/** Makes messages of the rows whose turn it is, in the transaction that changes the rows. Returns how many. */
async function feedOne(needs: FeedNeeds, campaign: CampaignRecord): Promise<number> {
  const { db, clock, featureMetrics, diskSpace } = needs
  const { id, company_id } = campaign
  // The free space is reserved for reports about existing messages.
  if (diskSpace.shortage() !== undefined) return 0
  const now = instant(clock.now())
  if ((await pendingStore(db.read, id).due(now, 1)).length === 0) return 0
  const room = Math.min(BATCH, await roomOf(needs, campaign, now))
  if (room <= 0) return 0
  const made = await db.write(async (tx) => {
    // Pausing, stopping and this wait for each other.
    const held = await campaignStore(tx, 'all').hold(id)
    if (held?.state !== 'running') return 0
    return makeMessages(tx, needs, held, room)
  })
  if (made > 0) {
    crashPoint('stored')
    featureMetrics.messages.inc({ state: 'queued' }, made)
    needs.live.changed(company_id, 'logs')
  }
  needs.live.changed(company_id, 'campaigns')
  return made
}

async function makeMessages(
  tx: Tx,
  needs: FeedNeeds,
  campaign: CampaignRecord,
  room: number,
): Promise<number> {
  const { clock, destinations, numbers, companyRoutes } = needs
  const { id, company_id, name } = campaign
  const now_ms = clock.now()
  const now = instant(now_ms)
  const priority = CLASS_PRIORITY[campaign.class]
  const versions = await shareSettingsLock(tx, company_id)
  const rules = await destinations.of(tx, company_id, versions.destinations)
  const routes = await companyRoutes.of(tx, company_id, versions.routes)
  const rows = await pendingStore(tx, id).due(now, room)
  const recipients = rows.map(({ number }) => number)
  const [contacts, blocked] = [
    await contactsOf(tx, company_id, recipients),
    await optedOut(tx, company_id, recipients),
  ]
  const cap =
    rules && isCapped(rules) ? await countRecipients(tx, clock, company_id, rules, recipients) : undefined
  const render = openRendering(campaign, rules, await refusedNumbers(tx, campaign, routes))
  const hours = await numbers.rulesIn(tx, company_id, versions)
  const later = new Map<number, number[]>()
  const skipped: SkippedRow[] = []
  const fresh: { row: PendingRow; text: string; parts: number }[] = []
  for (const row of rows) {
    const contact = contacts.get(row.number)
    const until_ms = closedUntil(hours, { message_to: row.number, priority }, now_ms)
    const rendered = render(row, contact)
    const barred = unreachable(campaign, contact, blocked.has(row.number))
    const skip = (reason: SkipReason, fault: string | null = null) =>
      skipped.push({ line: row.line, reason, fault })
    if (rendered.fault) skip('invalid', JSON.stringify(rendered.fault))
    else if (barred) skip(barred)
    else if (until_ms !== undefined) later.getOrInsertComputed(until_ms, () => []).push(row.line)
    else if (cap && !cap.accept(row.number)) skip('recipient_limit')
    else fresh.push({ row, text: rendered.text, parts: rendered.parts })
  }
  await cap?.write()
  const due = pendingStore(tx, id)
  for (const [until_ms, lines] of later) await due.postpone(lines, instant(until_ms))
  for (const row of skipped) await due.skip(row, now)
  const ids = await newIds(tx, fresh.length)
  const expires_at = campaign.expires_at ?? instant(now_ms + NEVER_MS)
  const joined: LaneChanges = new Map()
  await addMessages(
    tx,
    clock,
    fresh.map(({ row, text, parts }) => {
      const routable = routableRow(campaign, row)
      const place = homePlace(routable, routes, { ready_ms: now_ms, now_ms })
      joinLane(joined, place.lane)
      return {
        ...routable,
        ...place,
        company_id,
        message: text,
        parts,
        silent: 0,
        queued_by: null,
        queued_by_name: name,
        queue_timestamp: now,
        due_at: now,
        expires_at,
      }
    }),
    ids,
  )
  for (const [index, { row }] of fresh.entries())
    await due.made({ line: row.line, message_id: ids[index]!, now })
  await countLanes(tx, company_id, joined)
  const counts = countStore(tx)
  const gone = fresh.length + skipped.length
  if (gone > 0) await counts.add(id, 'pending', -gone)
  if (fresh.length > 0) await counts.add(id, 'queued', fresh.length)
  if (skipped.length > 0) await counts.add(id, 'skipped', skipped.length)
  return fresh.length
}

async function begin({ db, live }: FeedNeeds, { id, company_id }: CampaignRecord): Promise<void> {
  await db.write(async (tx) => {
    const held = await campaignStore(tx, 'all').hold(id)
    if (held?.state === 'scheduled') await campaignStore(tx, 'all').update(id, { state: 'running' })
  })
  live.changed(company_id, 'campaigns')
}

/** Ends a campaign whose rows all have their outcomes. */
async function finish({ db, live, clock }: FeedNeeds, { id, company_id }: CampaignRecord): Promise<void> {
  await db.write(async (tx) => {
    const held = await campaignStore(tx, 'all').hold(id)
    if (held === undefined || !isOngoing(held.state)) return
    const figures = (await countStore(tx).of([id], UNENDED)).get(id)
    if (UNENDED.some((state) => (figures?.get(state) ?? 0) > 0)) return
    await campaignStore(tx, 'all').update(id, { state: 'finished', finished_at: instant(clock.now()) })
  })
  live.changed(company_id, 'campaigns')
}

/** Ends pending rows of a campaign that has expired. Its messages expire by themselves. */
async function expire({ db, live, clock }: FeedNeeds, { id, company_id }: CampaignRecord): Promise<void> {
  await db.write(async (tx) => {
    const held = await campaignStore(tx, 'all').hold(id)
    if (held === undefined || !isOngoing(held.state)) return
    await endPending(tx, id, 'expired', instant(clock.now()))
  })
  live.changed(company_id, 'campaigns')
}
