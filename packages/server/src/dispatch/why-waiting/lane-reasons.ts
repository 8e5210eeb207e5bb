import type { Waiting, WaitingReason } from '@sdd/contract/dispatch/waiting.ts'
import { type Clock, instant, type Now, nowOf } from '#server/core/clock.ts'
import type { Scope } from '#server/core/context.ts'
import type { Tx } from '#server/database/schema.ts'
import { DEVICE_WINDOW } from '#server/fleet/devices/capacity.ts'
import {
  capacityOfCompanies,
  capacityOfNamed,
  type FleetCapacity,
} from '#server/fleet/devices/fleet-capacity.ts'
import type { RouteRules } from '#server/fleet/routes/deciding.ts'
import {
  devicesOfLane,
  EVERY_DEVICE,
  type Lane,
  type LaneDevices,
  LATER,
  NO_DEVICE,
  tagsOfLane,
} from '#server/dispatch/lanes/lane-names.ts'
import { homePlace, type Routable } from '#server/dispatch/lanes/routed.ts'
import { readRenewal } from '#server/fleet/sims/plans.ts'
import type { Message } from '#server/messages/messages/rows.ts'
import { laneCounts, lanesOf } from '#server/dispatch/lanes/store.ts'

/** The columns that explain why a task without a device is waiting. */
export type LanedRow = Routable &
  Pick<
    Message,
    | 'company_id'
    | 'lane'
    | 'lane_until'
    | 'due_at'
    | 'parts'
    | 'attempt'
    | 'avoid_device_id'
    | 'queue_timestamp'
    | 'expires_at'
  >

type Settings = { send_enabled: 0 | 1; send_enabled_at: string; spoof_time_secs: number }
type Named = { uid: string } | undefined

/** The facts behind the reasons for a page of rows, from a few queries for any number of rows. */
type LaneFacts = {
  capacity(row: LanedRow): FleetCapacity
  /** The tag of the devices that its route or its campaign leaves to it. */
  tag(row: LanedRow): string | null
  /** The number of tasks in its lane, or in the lane that it will join. */
  waiting(row: LanedRow): number
}

/** Reads the facts that explain why these tasks wait. `routes` are those of the companies that have any. */
export async function laneFacts(
  tx: Tx,
  clock: Clock,
  rows: readonly LanedRow[],
  routes: ReadonlyMap<number, RouteRules>,
): Promise<LaneFacts> {
  const at = nowOf(clock)
  const companies = [...new Set(rows.map(({ company_id }) => company_id))]
  const homes = new Map(rows.map((row) => [row, sharedLane(row, routes.get(row.company_id), at.now_ms)]))
  const queueOf = (row: LanedRow) => (row.lane === LATER ? homes.get(row)! : row.lane)
  const [ofLane, counts] = await Promise.all([
    capacityByLane(tx, companies, [...homes.values()], at),
    laneCounts(tx, companies, [...new Set(rows.flatMap((row) => queueOf(row) ?? []))]),
  ])
  return {
    capacity: (row) => ofLane(row.company_id, homes.get(row)!),
    tag: (row) => devicesOfLane(homes.get(row)!).via ?? null,
    waiting: (row) => counts.get(`${row.company_id} ${queueOf(row)}`) ?? 1,
  }
}

/** The lane of the devices that could take the task once nothing else holds it. */
function sharedLane(row: LanedRow, routes: RouteRules | undefined, now_ms: number): Lane {
  const ready_ms = Date.parse(row.due_at!)
  const { lane } = homePlace(row, routes, { ready_ms, now_ms })
  // It knows better whether the fallback of its route has a turn.
  const present = devicesOfLane(row.lane).via
  return present !== undefined && present === devicesOfLane(lane).via ? (row.lane as Lane) : lane
}

/** The capacity of the devices that each lane is for. */
async function capacityByLane(
  tx: Tx,
  companies: readonly number[],
  lanes: readonly string[],
  at: Now,
): Promise<(company_id: number, lane: string) => FleetCapacity> {
  const asked = new Map([...new Set(lanes)].map((lane) => [lane, devicesOfLane(lane)]))
  const only = (name: 'sim' | 'via') => {
    const others = (['sim', 'via', 'or'] as const).filter((other) => other !== name)
    return [...asked.values()].flatMap((devices) =>
      others.every((other) => devices[other] === undefined) ? (devices[name] ?? []) : [],
    )
  }
  const several = [...asked].filter(([, devices]) => isSeveral(devices))
  const [ofCompanies, ofSims, ofTags, ofSeveral] = await Promise.all([
    capacityOfCompanies(tx, companies, at),
    capacityOfNamed(tx, companies, 'sims', only('sim'), at),
    capacityOfNamed(tx, companies, 'tags', only('via'), at),
    Promise.all(several.map(([, devices]) => capacityOfCompanies(tx, companies, at, someOf(devices)))),
  ])
  return (company_id, lane) => {
    const devices = asked.get(lane)!
    if (isSeveral(devices)) return ofSeveral[several.findIndex(([name]) => name === lane)]!(company_id)
    const { sim, via } = devices
    if (via !== undefined) return ofTags(company_id, via)
    return sim === undefined ? ofCompanies(company_id) : ofSims(company_id, sim)
  }
}

function isSeveral({ sim, via, or }: LaneDevices): boolean {
  return via !== undefined && (sim !== undefined || or !== undefined)
}

function someOf(devices: LaneDevices) {
  return { sim: devices.sim, ...(devices.or !== EVERY_DEVICE && { of_tags: tagsOfLane(devices) }) }
}

/**
 * Why none of these devices is given the task now, by the obstacle that stops the best of them. `parts` is the number
 * of SMS parts of the task. One that is `held` may go to no device yet.
 */
function reasonOfLane(
  capacity: FleetCapacity,
  settings: Pick<Settings, 'send_enabled'> | undefined,
  { held, now, parts }: { held: boolean; now: string; parts: number },
): WaitingReason {
  if (settings?.send_enabled === 0) return 'sending_off'
  if (held) return 'later'
  if (capacity.total === 0) return 'no_device'
  if (capacity.enabled === 0 && capacity.maintained > 0) return 'maintenance'
  if (capacity.connected === 0) return 'device_offline'
  if (capacity.enabled === 0) return 'device_disabled'
  if (capacity.within === 0 || capacity.room < parts) return 'daily_limit'
  if (capacity.planned === 0 || capacity.plan_room < parts) return 'plan_used'
  if (capacity.trusted === 0) return 'quarantined'
  if (capacity.open === 0) return 'window_full'
  return capacity.open_at !== null && capacity.open_at > now ? 'pacing' : 'next'
}

/** The tasks in the scope's shared lanes by reason, with the number of devices that the reason is about. */
export async function lanesInWait(
  tx: Tx,
  clock: Clock,
  scope: Scope,
  settings: ReadonlyMap<number, Pick<Settings, 'send_enabled'>>,
): Promise<{ company_id: number; reason: WaitingReason; count: number; devices: number }[]> {
  const at = nowOf(clock)
  const lanes = await lanesOf(tx, scope)
  const companies = [...new Set(lanes.map(({ company_id }) => company_id))]
  const names = lanes.map(({ lane }) => lane)
  const ofLane = await capacityByLane(tx, companies, names, at)
  return lanes.map(({ company_id, lane, waiting }) => {
    const capacity = ofLane(company_id, lane)
    // Only the tasks know their length, so this assumes that one part would fit.
    const facts = { held: lane === LATER, now: at.now, parts: 1 }
    const reason = reasonOfLane(capacity, settings.get(company_id), facts)
    return { company_id, reason, count: waiting, devices: concerned(capacity, reason) }
  })
}

/** The number of devices that a reason is about. */
function concerned(capacity: FleetCapacity, reason: WaitingReason): number {
  switch (reason) {
    case 'later':
    case 'no_device':
      return 0
    case 'maintenance':
      return capacity.maintained
    case 'sending_off':
    case 'device_offline':
      return capacity.total
    case 'device_disabled':
      return capacity.connected
    case 'daily_limit':
      return capacity.enabled
    case 'plan_used':
      return capacity.within
    case 'quarantined':
      return capacity.planned
    case 'window_full':
      return capacity.trusted
    case 'pacing':
    case 'next':
      return capacity.open
  }
}

/** Why a task without a device is waiting, and until when if known. */
export function waitingInLane(
  row: LanedRow,
  facts: LaneFacts,
  { settings, usual, avoided, clock }: { settings: Settings; usual: Named; avoided: Named; clock: Clock },
): Waiting {
  const now_ms = clock.now()
  const capacity = facts.capacity(row)
  const now = instant(now_ms)
  const { parts, expires_at, from_number, lane_until } = row
  const via = facts.tag(row)
  const reason = reasonOfLane(capacity, settings, { held: isHeld(row, now), now, parts })
  const waiting = facts.waiting(row)
  if (usual !== undefined && reason !== 'sending_off')
    return { code: 'usual_device', params: { device: usual.uid, until: lane_until! } }
  switch (reason) {
    case 'sending_off':
      return { code: reason, params: { since: settings.send_enabled_at, expires_at } }
    case 'later': {
      // Nothing else holds tasks without an end.
      if (lane_until === null) return { code: 'campaign_paused', params: {} }
      const at = lane_until
      if (row.attempt === 0) return { code: 'not_before', params: { at } }
      return { code: 'retry', params: { attempt: row.attempt, device: avoided?.uid ?? null, at } }
    }
    case 'no_device':
      if (via === NO_DEVICE) return { code: 'route', params: { tag: null, expires_at } }
      if (via !== null)
        return {
          code: 'route',
          params: { tag: via, ...(from_number !== null && { number: from_number }), expires_at },
        }
      return from_number === null
        ? { code: 'no_device', params: { expires_at } }
        : { code: 'no_sim', params: { number: from_number, expires_at } }
    case 'maintenance': {
      const [at, device] = capacity.maintained_first!.split(' ') as [string, string]
      return { code: reason, params: { device, at } }
    }
    case 'device_offline':
      return noneCan({ ...row, via }, capacity, { since: capacity.left_at })
    case 'device_disabled':
      return noneCan({ ...row, via }, capacity)
    case 'daily_limit': {
      const at = instant(clock.midnightAfter(now_ms))
      if (parts > capacity.most) return { code: 'over_limits', params: { parts, most: capacity.most } }
      return capacity.within > 0
        ? { code: 'no_room', params: { parts, at } }
        : noneCan({ ...row, via }, capacity, { at })
    }
    case 'plan_used':
      return { code: reason, params: readRenewal(capacity.plan_renewal!) }
    case 'quarantined':
      return noneCan({ ...row, via }, capacity, { at: capacity.trusted_at })
    case 'window_full':
      return { code: 'window_full', params: { window: DEVICE_WINDOW, waiting } }
    case 'pacing':
      return {
        code: 'pacing',
        params: { every_secs: settings.spoof_time_secs, at: capacity.open_at!, waiting },
      }
    case 'next':
      return { code: 'next', params: { since: row.queue_timestamp, waiting } }
  }
}

/** A task whose time is over, such as one of a resumed campaign, moves to the lane of its devices in a moment. */
function isHeld({ lane, lane_until }: LanedRow, now: string): boolean {
  return lane === LATER && (lane_until === null || lane_until > now)
}

/** None of the devices can take it: how many have which obstacle. */
function noneCan(
  { from_number, via, expires_at }: Pick<LanedRow, 'from_number' | 'via' | 'expires_at'>,
  { total, connected, enabled, within, planned, trusted, maintained, uid }: FleetCapacity,
  { at = null, since = null }: { at?: string | null; since?: string | null } = {},
): Waiting {
  return {
    code: 'none_can',
    params: {
      devices: total,
      offline: total - connected - maintained,
      disabled: connected - enabled,
      at_limit: enabled - within,
      quarantined: planned - trusted,
      ...(within > planned && { plan_used: within - planned }),
      ...(maintained > 0 && { maintenance: maintained }),
      device: total === 1 ? uid : null,
      number: from_number,
      ...(via !== null && { tag: via }),
      at,
      since,
      expires_at,
    },
  }
}
