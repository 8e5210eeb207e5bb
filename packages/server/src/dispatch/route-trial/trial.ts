import type { CandidateReason, RouteOutcome, RouteTrial } from '@sdd/contract/fleet/routes.ts'
import { type Numbers, requireNumber } from '#server/accounts/settings/numbers.ts'
import { settingsOf } from '#server/accounts/settings/settings.ts'
import { type Clock, instant, type Now, nowOf } from '#server/core/clock.ts'
import type { Caller } from '#server/core/context.ts'
import type { Database } from '#server/database/open.ts'
import { bySlot, freeFrom } from '#server/dispatch/claim/free-from.ts'
import {
  deviceOf,
  devicesOfLane,
  EVERY_DEVICE,
  type LaneDevices,
  NO_NAMES,
  serves,
} from '#server/dispatch/lanes/lane-names.ts'
import { dropForbidden, placesWithLastDevice } from '#server/dispatch/lanes/last-device.ts'
import { openRouteCheck } from '#server/dispatch/lanes/route-check.ts'
import { asRouted, fallbackOf, homePlace, ruleFor } from '#server/dispatch/lanes/routed.ts'
import {
  capacityStore,
  type CompanyDevice,
  DEVICE_WINDOW,
  simsByDevice,
  tagsByDevice,
} from '#server/fleet/devices/capacity.store.ts'
import { inMaintenance } from '#server/fleet/devices/maintenance.ts'
import { freeCapacity, taskCapacity } from '#server/fleet/devices/capacity.ts'
import { type CompanyRoutes, viaOfCampaign } from '#server/fleet/routes/company-routes.ts'
import { countryOfNumber, explainRules, type Rule } from '#server/fleet/routes/deciding.ts'
import { planWaits } from '#server/fleet/sims/plans.ts'
import { closedUntil } from '#server/messages/hours/closed.ts'
import { campaignGuid } from '#server/messages/messages/campaign-guid.ts'
import { CLASS_PRIORITY } from '#server/messages/messages/classes.ts'

type Needs = {
  db: Pick<Database, 'read'>
  clock: Clock
  numbers: Pick<Numbers, 'country' | 'kept'>
  companyRoutes: Pick<CompanyRoutes, 'of'>
}

/**
 * Which route would decide about a task of one part that is submitted now, and which devices could get it, by the same
 * rules as a claim. Stores nothing. `unknown_company`, `invalid`.
 */
export async function tryRoutes(
  { db, clock, numbers, companyRoutes }: Needs,
  caller: Caller,
  trial: RouteTrial,
  company_id: number = caller.company_id,
): Promise<RouteOutcome> {
  const tx = db.read
  const settings = await settingsOf(tx, caller.scope, company_id)
  const number = (written: string, field: string) => requireNumber(numbers, company_id, written, field)
  const to_number = number(trial.to_number, 'to_number')
  const from_number = trial.from_number ? number(trial.from_number, 'from_number') : null
  const at = nowOf(clock)
  const { now_ms } = at
  const priority = CLASS_PRIORITY[trial.class]
  const campaign = trial.campaign ?? null
  const task = {
    message_to: to_number,
    priority,
    expires_at: null,
    from_number,
    via: campaign === null ? null : await viaOfCampaign(tx, company_id, campaign),
    api_key_id: trial.api_key_id ?? null,
    guid: campaign === null ? '' : campaignGuid(campaign, 0),
    task: campaign === null ? 1 : 3,
  } as const
  const routes = await companyRoutes.of(tx, company_id, settings.routes)
  const rule = ruleFor(routes, task)
  const refused = routes && (await openRouteCheck(tx, company_id, routes))(task)
  const usual = await placesWithLastDevice(tx, company_id, campaign === null ? [task] : [], at)
  if (routes) await dropForbidden(tx, routes, usual, () => task)
  const first = deviceOf(usual.get(task)?.lane ?? null)
  const { lane } = homePlace(task, routes, { ready_ms: now_ms, now_ms })
  const devices = (await capacityStore(tx).ofCompany(company_id, at.now)).sort(
    (one, other) => Number(other.id === first) - Number(one.id === first) || bySlot(one, other),
  )
  const ids = devices.map(({ id }) => id)
  const [tags, sims] = [await tagsByDevice(tx, ids), await simsByDevice(tx, ids)]
  const asked = { message_to: to_number, parts: 1, from_number }
  const named = devices.filter(({ names_sims }) => names_sims === 1)
  const plans = await planWaits(
    tx,
    at.now,
    named.map(({ id }) => ({ id, device_id: id, ...asked })),
  )
  const sending = settings.send_enabled === 1
  const judged = devices.map((device) => {
    const its = { tags: tags.get(device.id) ?? NO_NAMES, sims: sims.get(device.id) ?? NO_NAMES }
    const why =
      (refused && rule?.via === null ? 'not_in_route' : roleOf(rule, devicesOfLane(lane), its.tags)) ??
      obstacleOf(device, { sim: from_number, sims: its.sims, plan: plans.has(device.id), sending }, at)
    return { uid: device.uid, why, comesFirst: !rule || rule.via === null || its.tags.has(rule.via) }
  })
  const canNow = judged.some(({ why, comesFirst }) => comesFirst && (why === null || why === 'sending_off'))
  const candidates = judged.map(({ uid, why, comesFirst }) => {
    const reason = canNow && !comesFirst && why !== 'not_in_route' ? 'fallback_later' : why
    return { uid, fit: reason === null, why: reason }
  })
  candidates.sort((one, other) => Number(other.fit) - Number(one.fit))
  const held_ms = closedUntil(settings, task, now_ms)
  return {
    route: rule?.id ?? null,
    chosen: refused ? null : (candidates.find(({ fit }) => fit)?.uid ?? null),
    candidates,
    rules: routes && task.via === null ? explainRules(routes, asRouted(task)) : [],
    ...(refused && { refused: 'no_route' as const }),
    to_number,
    country: countryOfNumber(to_number, settings.default_country),
    held_until: held_ms === undefined ? null : instant(held_ms),
  }
}

/** Why the route leaves out the device, now or altogether. */
function roleOf(
  rule: Rule | undefined,
  lane: LaneDevices,
  tags: ReadonlySet<string>,
): 'not_in_route' | 'fallback_later' | undefined {
  const own = { tags, sims: NO_NAMES }
  if (serves({ ...lane, sim: undefined }, own)) return undefined
  const or = rule && fallbackOf(rule)
  const later = or !== undefined && (or === EVERY_DEVICE || tags.has(or))
  return later ? 'fallback_later' : 'not_in_route'
}

/** What keeps the device from a task of one part now. */
function obstacleOf(
  device: CompanyDevice,
  task: { sim: string | null; sims: ReadonlySet<string>; plan: boolean; sending: boolean },
  at: Now,
): CandidateReason | null {
  if (device.enabled === 0) return 'disabled'
  if (device.status !== 'connected') return 'disconnected'
  if (inMaintenance(device, at.now)) return 'maintenance'
  if (task.sim !== null && !task.sims.has(task.sim)) return 'sim'
  if (freeCapacity(device, at.day).parts < 1) return 'daily_limit'
  if (task.plan) return 'plan_used'
  if (taskCapacity(device, at.now) === 0) return 'quarantined'
  if (device.unfinished >= DEVICE_WINDOW) return 'window_full'
  if (freeFrom({ ...device, queued: 0, aside_until: '' }, at) > at.now_ms) return 'pacing'
  return task.sending ? null : 'sending_off'
}
