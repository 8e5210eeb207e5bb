import type { Command } from '@sdd/contract/fleet/device-protocol.ts'
import { instant, nowOf } from '#server/core/clock.ts'
import type { FeatureMetrics } from '#server/core/feature-metrics.ts'
import type { Live } from '#server/core/live.ts'
import { openYielding } from '#server/core/loop.ts'
import { crashPoint } from '#server/core/crash-points.ts'
import type { Replica } from '#server/core/replicas/replicas.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import { openQueues, type Turn } from './queues.ts'
import { countLanes, joinLane, type LaneChanges, moveLanes } from '#server/dispatch/lanes/lanes.ts'
import type { Lane } from '#server/dispatch/lanes/lane-names.ts'
import { LANE_HEAD, type WaitingMessage } from '#server/dispatch/lanes/store.ts'
import { capacityStore, type HeldDevice } from '#server/fleet/devices/capacity.store.ts'
import { freeCapacity, reserve, skipUntil, taskCapacity } from '#server/fleet/devices/capacity.ts'
import type { CompanyRoutes } from '#server/fleet/routes/company-routes.ts'
import type { RouteRules } from '#server/fleet/routes/deciding.ts'
import type { Candidates } from '#server/dispatch/candidates.ts'
import { RESEND_MS, sendCommand } from '#server/dispatch/send-command.ts'
import { openAskedSims } from '#server/fleet/sims/plans.ts'
import { type Chosen, openSimRooms } from '#server/fleet/sims/rooms.ts'
import { LEAST_DEVICES, openChoosing } from './choosing.ts'
import { bySlot, freeAfter, freeFrom } from './free-from.ts'
import { type CompanyWork, lookAround, type Looked } from './looking.ts'
import type { MoveNeeds } from '#server/messages/messages/moving.ts'
import { notes } from '#server/messages/outcomes/outcomes.ts'
import { note } from '#server/messages/messages/state.ts'
import { type GivenMessage, giveMessages } from '#server/messages/messages/store.ts'
import type { KeptMessages } from '#server/messages/messages/kept-messages.ts'

type Needs = Pick<MoveNeeds, 'clock'> & {
  db: Database
  live: Live
  publish(device_uid: string, command: Command): boolean
  featureMetrics: Pick<FeatureMetrics, 'handedOver'>
  /** Its connected devices are given waiting messages. */
  replica: Pick<Replica, 'id'>
  candidates: Candidates
  companyRoutes: Pick<CompanyRoutes, 'of'>
  keptMessages: KeptMessages
}

/** A claim ends after this long, because other writes wait for it. */
const ROUND_MS = 15
/** But not before this many devices had a turn. */
const LEAST_TURNS = 10
/** The time that a device has for a message of a campaign. */
const CAMPAIGN_MS = 24 * 3_600_000
/** A device with room, but without a message that fits, is skipped for this long. */
export const SKIP_MS = 5_000
/** It is shorter if a few wait for a plan, because a message for a SIM must not hold up those with room. */
const UNPLANNED_MS = 500

/** `sim` is the SIM that the command names. */
type Given = { turn: Turn; message: WaitingMessage; sim?: Chosen }

/**
 * Claims messages for one device and tasks for any device. The device with the longest open slot takes the first
 * waiting message that fits. Then the next device takes its turn, until no message is left to give.
 * One transaction stores everything, and commands are sent after it. Returns true if there is probably more. `refill`: tags
 * may have changed.
 */
export function openClaim(needs: Needs): (refill?: boolean) => Promise<boolean> {
  const { db, clock, live, publish, featureMetrics, replica, candidates, keptMessages } = needs
  const choosing = openChoosing(candidates)
  // If many companies have tasks, they take turns too.
  let after_company = 0

  return async function claim(refill = true) {
    if (refill) choosing.refresh()
    // Looks without a lock first: most rounds find nothing, and then cost no write.
    const looked = await lookAround(db.read, { candidates, choosing }, { now_ms: clock.now(), after_company })
    if (looked.ids.length === 0) return false
    // Uses the time inside the transaction: with an earlier time, a message stored while this claim was queued would
    // look not yet due, and its device would be skipped because nothing fits.
    // `ownCommit`: this transaction locks device rows that writes of other servers wait for. In a commit with other
    // writes it could also wait for rows that those servers have locked, and deadlock.
    candidates.take(looked.company_of)
    const { given, more, prospects } = await db
      .write((tx) => give(tx, needs, looked, replica.id()), { ownCommit: true })
      .catch((error: unknown) => {
        for (const [id, company_id] of looked.company_of) candidates.add({ id, company_id })
        throw error
      })
    after_company = looked.last_company
    for (const [id, { device, from_ms, waits_for_hours }] of prospects) {
      // It stays free for other tasks. The next refill looks at its own messages again.
      if (device.queued + device.sticky === 0 || waits_for_hours) candidates.notAwaited(id)
      candidates.postpone(device, from_ms, clock.now())
    }
    for (const { turn, message, sim } of given) {
      keptMessages.keep(message)
      publish(turn.device.uid, sendCommand({ ...message, iccid: sim?.iccid }, message.attempt + 1))
      featureMetrics.handedOver.observe((clock.now() - Date.parse(message.due_at)) / 1000)
    }
    announce(live, given)
    return more
  }
}

/** What a claim learned about a device: when it may be given something again, or never by itself. */
type Prospect = { device: HeldDevice; from_ms: number; waits_for_hours?: true }

async function give(
  tx: Tx,
  { clock, companyRoutes }: Pick<Needs, 'clock' | 'companyRoutes'>,
  { ids, companies, truncated }: Looked,
  replica: string,
) {
  const began = performance.now()
  const at = nowOf(clock)
  const { now, now_ms, day } = at
  const prospects = new Map<number, Prospect>()
  const turns: Turn[] = []
  const held = (await capacityStore(tx).hold(ids, replica, now)).sort(bySlot)
  for (const device of held) {
    const from_ms = freeFrom(device, at)
    prospects.set(device.id, { device, from_ms })
    if (from_ms <= now_ms) turns.push(turnOf(device, companies.get(device.company_id), now, day))
  }
  const routes = await routesOf(tx, companyRoutes, held)
  const naming = held.flatMap(({ id, names_sims }) => (names_sims === 1 ? [id] : []))
  const rooms = await openSimRooms(tx, clock, naming, now)
  const queues = openQueues(tx, at, { most: mostOf(turns), held, routes, rooms })
  const touched = [...turns]
  const given: Given[] = []
  const inTime = () => looked < LEAST_TURNS || performance.now() - began < ROUND_MS
  let [looked, skipped, reserved] = [0, 0, 0]
  const yieldToEventLoop = openYielding()
  while (turns.length > 0 && given.length < LANE_HEAD && inTime()) {
    if (looked++ % 10 === 9) await yieldToEventLoop()
    const turn = turns.shift()!
    const { device } = turn
    const message = await queues.take(turn)
    if (message === 'held') {
      prospects.get(device.id)!.waits_for_hours = true
      continue
    }
    if (message === 'reserved') {
      reserved++
      continue
    }
    if (typeof message === 'string') {
      const hasOwn = device.queued + device.sticky > 0
      if (turn.taken.messages > 0 || (message === 'nothing' && !hasOwn)) continue
      const until_ms = now_ms + (message === 'unplanned' ? UNPLANNED_MS : SKIP_MS)
      await skipUntil(tx, device, instant(until_ms))
      prospects.get(device.id)!.from_ms = until_ms
      skipped++
      continue
    }
    count(turn, message)
    const sim = device.names_sims === 1 ? await rooms.choose(device.id, message) : undefined
    if (sim) await rooms.take(sim, message)
    given.push({ turn, message: withEnd(message, now_ms), ...(sim !== undefined && { sim }) })
    // If there are more devices than this round holds, each gets only one message: the next round serves those that
    // have waited longer.
    if (turn.messages > 0 && turn.parts > 0 && !truncated) turns.push(turn)
  }
  await moveLanes(tx, queues.moves)
  for (const { device, taken } of touched) {
    if (taken.messages === 0) continue
    await reserve(tx, device, { ...taken, day, at: now })
    prospects.get(device.id)!.from_ms = freeAfter(device, taken, now_ms)
  }
  await rooms.write()
  await giveMessages(tx, await asGiven(tx, given, { now, resend_at: instant(now_ms + RESEND_MS) }))
  for (const [company_id, changes] of leftLanes(given)) await countLanes(tx, company_id, changes)
  if (given.length > 0) crashPoint('claimed')
  return {
    given,
    more:
      turns.length + queues.moves.length > 0 ||
      (truncated && given.length + skipped > 0) ||
      (reserved > 0 && given.length > 0),
    prospects,
  }
}

/** The routes of the companies that have any. */
async function routesOf(
  tx: Tx,
  companyRoutes: Pick<CompanyRoutes, 'of'>,
  devices: readonly HeldDevice[],
): Promise<Map<number, RouteRules>> {
  const found = new Map<number, RouteRules>()
  for (const { company_id, routes: version } of devices) {
    if (version === 0 || found.has(company_id)) continue
    const routes = await companyRoutes.of(tx, company_id, version)
    if (routes) found.set(company_id, routes)
  }
  return found
}

function turnOf(device: HeldDevice, work: CompanyWork | undefined, now: string, day: string): Turn {
  const aside = device.aside_until > now
  return {
    device,
    work,
    ...freeCapacity(device, day),
    tasks: aside ? 0 : taskCapacity(device, now),
    taken: { messages: 0, own: 0, parts: 0 },
  }
}

/** The most messages that these turns can take, and some that may not fit. */
function mostOf(turns: readonly Turn[]): number {
  return Math.min(LANE_HEAD, turns.reduce((sum, { messages }) => sum + messages, 0) + LEAST_DEVICES)
}

/** Counts the message as given in this turn. */
function count(turn: Turn, { parts, lane }: WaitingMessage): void {
  turn.messages--
  turn.parts -= parts
  turn.taken.messages++
  turn.taken.parts += parts
  if (lane === null) turn.taken.own++
  else turn.tasks--
}

/** A row of a campaign may wait without an end. Its device may not, or a lost report would hold up its window. */
function withEnd(message: WaitingMessage, now_ms: number): WaitingMessage {
  if (message.task !== 3) return message
  const latest = instant(now_ms + CAMPAIGN_MS)
  return message.expires_at > latest ? { ...message, expires_at: latest } : message
}

/** The new attempts. Where the command names no SIM, the message may still ask for one by its number. */
async function asGiven(
  tx: Tx,
  given: readonly Given[],
  { now, resend_at }: { now: string; resend_at: string },
): Promise<GivenMessage[]> {
  const asking = given.flatMap(({ turn: { device }, message: { from_number }, sim }) =>
    sim === undefined && device.sim_id !== null ? [{ device_id: device.id, from_number }] : [],
  )
  const askedSim = await openAskedSims(tx, asking)
  return given.map(({ turn: { device }, message, sim }) => {
    const attempt = message.attempt + 1
    const { notes: earlier, expires_at, from_number } = message
    // The note of a first attempt needs no storing.
    const isUsual = attempt === 1 && earlier === null
    const usual = from_number === null ? device.sim_id : askedSim({ device_id: device.id, from_number })
    return {
      message,
      device_id: device.id,
      attempt,
      assigned_at: now,
      look_at: resend_at < expires_at ? resend_at : expires_at,
      sim_id: (sim === undefined ? usual : sim?.id) ?? null,
      notes: isUsual ? null : note(earlier, notes.given.write({ attempt, device: device.uid }), now),
    }
  })
}

function leftLanes(given: readonly Given[]): Map<number, LaneChanges> {
  const left = new Map<number, LaneChanges>()
  for (const { message } of given) {
    if (message.lane === null) continue
    joinLane(
      left.getOrInsertComputed(message.company_id, () => new Map()),
      message.lane as Lane,
      -1,
    )
  }
  return left
}

function announce(live: Live, given: readonly Given[]): void {
  const tasks = new Map<number, boolean>()
  for (const { message } of given) {
    tasks.set(message.company_id, tasks.get(message.company_id) === true || message.task === 1)
  }
  for (const [company_id, any] of tasks)
    live.changed(company_id, 'logs', ...(any ? (['tasks'] as const) : []))
}
