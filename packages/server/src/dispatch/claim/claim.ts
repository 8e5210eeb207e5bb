import type { Command, SendCommand } from '@sdd/contract/fleet/device-protocol.ts'
import { instant } from '#server/core/clock.ts'
import type { FeatureMetrics } from '#server/core/feature-metrics.ts'
import type { Live } from '#server/core/live.ts'
import { openYielding } from '#server/core/loop.ts'
import { crashPoint } from '#server/core/crash-points.ts'
import type { Replica } from '#server/core/replicas/replicas.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import {
  countLanes,
  joinLane,
  type Lane,
  type LaneChanges,
  NO_LANE,
  openQueues,
  type Turn,
} from '#server/dispatch/lanes/lanes.ts'
import { LANE_HEAD, type WaitingMessage } from '#server/dispatch/lanes/store.ts'
import { capacityStore, companiesToServe, type ReadyDevice } from '#server/fleet/devices/capacity.store.ts'
import { reserve, taskCapacity, freeCapacity, skipUntil } from '#server/fleet/devices/capacity.ts'
import { type Tally, moveAndTally, type MoveNeeds, openTally } from '#server/messages/messages/moving.ts'
import { notes } from '#server/messages/outcomes/outcomes.ts'
import { note } from '#server/messages/messages/state.ts'
import { attemptStore, type MessageRow } from '#server/messages/messages/store.ts'

type Needs = MoveNeeds & {
  db: Database
  live: Live
  publish(device_uid: string, command: Command): boolean
  featureMetrics: Pick<FeatureMetrics, 'handedOver'>
  /** Its connected devices are given waiting messages. */
  replica: Pick<Replica, 'id'>
}

/** A claim ends after this long, because other writes wait for it. */
const ROUND_MS = 15
/** But not before this many devices had a turn. */
const LEAST_TURNS = 10
/** A command without any report is sent again after this long. */
export const RESEND_MS = 30_000
/** A device with room, but without a message that fits, is skipped for this long. */
export const SKIP_MS = 5_000

type Given = { turn: Turn; message: WaitingMessage }

/**
 * Claims messages for one device and tasks for any device. The device with the longest open slot takes the first
 * waiting message that fits. Then the next device takes its turn, until no message is left to give.
 * One transaction stores everything, and commands are sent after it. Returns true if there is probably more.
 */
export function openClaim(needs: Needs): () => Promise<boolean> {
  const { db, clock, live, publish, featureMetrics, replica } = needs
  // If many companies have tasks, they take turns too.
  let after_company = 0

  return async function claim() {
    // Looks without a lock first: most rounds find nothing, and then cost no write.
    if (!(await anyInTurn(db.read, replica.id(), instant(clock.now())))) return false
    // Uses the time inside the transaction: with an earlier time, a message stored while this claim was queued would
    // look not yet due, and its device would be skipped because nothing fits.
    // `ownCommit`: this transaction locks device rows that writes of other servers wait for. In a commit with other
    // writes it could also wait for rows that those servers have locked, and deadlock.
    const { given, more, last_company } = await db.write(
      (tx) => give(tx, needs, { replica: replica.id(), now_ms: clock.now(), after_company }),
      { ownCommit: true },
    )
    after_company = last_company
    for (const { turn, message } of given) {
      publish(turn.device.uid, sendCommand(message, message.attempt + 1))
      featureMetrics.handedOver.observe((clock.now() - Date.parse(message.due_at)) / 1000)
    }
    announce(live, given)
    return more
  }
}

async function give(
  tx: Tx,
  moving: MoveNeeds,
  { replica, now_ms, after_company }: { replica: string; now_ms: number; after_company: number },
) {
  const began = performance.now()
  const [now, day] = [instant(now_ms), moving.clock.day(now_ms)]
  const { turns, truncated, last_company } = await devicesInTurn(tx, { replica, now, day, after_company })
  const queues = openQueues(tx, now)
  const touched = [...turns]
  const given: Given[] = []
  const tally = openTally(moving)
  const inTime = () => looked < LEAST_TURNS || performance.now() - began < ROUND_MS
  let [looked, skipped] = [0, 0]
  const yieldToEventLoop = openYielding()
  while (turns.length > 0 && given.length < LANE_HEAD && inTime()) {
    await yieldToEventLoop()
    looked++
    const turn = turns.shift()!
    const { device } = turn
    const message = await queues.take(turn)
    if (typeof message === 'string') {
      const hasOwn = device.queued + device.sticky > 0
      if (turn.given.messages > 0 || (message === 'nothing' && !hasOwn)) continue
      await skipUntil(tx, device, instant(now_ms + SKIP_MS))
      skipped++
      continue
    }
    await hand(tx, tally, turn, message, { now, day, resend_at: instant(now_ms + RESEND_MS) })
    given.push({ turn, message })
    // If there are more devices than this round holds, each gets only one message: the next round serves those that
    // have waited longer.
    if (turn.messages > 0 && turn.parts > 0 && !truncated) turns.push(turn)
  }
  for (const { device, given } of touched)
    if (given.messages > 0) await reserve(tx, device, { ...given, day, at: now })
  await tally.write(tx)
  for (const [company_id, changes] of leftLanes(given)) await countLanes(tx, company_id, changes)
  if (given.length > 0) crashPoint('claimed')
  return { given, more: turns.length > 0 || (truncated && given.length + skipped > 0), last_company }
}

/** Gives the message to the device as a new attempt. */
async function hand(
  tx: Tx,
  tally: Tally,
  turn: Turn,
  message: WaitingMessage,
  { now, day, resend_at }: { now: string; day: string; resend_at: string },
): Promise<void> {
  const { device } = turn
  const { parts } = message
  const attempt = message.attempt + 1
  await moveAndTally(tx, tally, message, {
    device_id: device.id,
    device_guid: device.uid,
    attempt,
    step: 'given',
    notes: note(message.notes, notes.given.write({ attempt, device: device.uid }), now),
    assigned_at: now,
    ...NO_LANE,
  })
  const booked = { device_id: device.id, device_uid: device.uid, parts, day, given_at: now, resend_at }
  await attemptStore(tx).insert({ message_id: message.id, attempt, ...booked, state: 'given' })
  turn.messages--
  turn.parts -= parts
  turn.given.messages++
  turn.given.parts += parts
  if (message.lane === null) turn.given.own++
  else turn.tasks--
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

type Turns = {
  /** The device with the longest open slot comes first. */
  turns: Turn[]
  /** Whether the limit was reached, so that more devices may be ready. */
  truncated: boolean
  /** The last company that had its turn; 0 if no other is waiting for one. */
  last_company: number
}

/** Devices per round, and companies whose tasks a round gives out. This limits how long one transaction takes. */
const DEVICES = 100
const COMPANIES = 10
/** Devices for a company with fewer tasks than this, since some devices may have no room left today. */
const LEAST_DEVICES = 10

/** Whether any device could be given anything. A round without one costs no more than this. */
async function anyInTurn(tx: Tx, replica: string, now: string): Promise<boolean> {
  if ((await capacityStore(tx).ownReady({ replica, now, limit: 1 })).length > 0) return true
  return (await companiesToServe(tx, { replica, now, after: 0, limit: 1 })).length > 0
}

/** The devices that may be given something now. */
async function devicesInTurn(
  tx: Tx,
  { replica, now, day, after_company }: { replica: string; now: string; day: string; after_company: number },
): Promise<Turns> {
  // Other work in this transaction may have added to the queues and windows.
  await tx.writeTotals()
  const ready = await capacityStore(tx).ownReady({ replica, now, limit: DEVICES })
  const companies = await companiesToServe(tx, { replica, now, after: after_company, limit: COMPANIES })
  const each = Math.ceil(DEVICES / Math.max(1, companies.length))
  let truncated = ready.length === DEVICES || companies.length === COMPANIES
  const devices = new Map(ready.map((device) => [device.id, device]))
  for (const company of companies) {
    const limit = Math.min(each, Math.max(company.waiting, LEAST_DEVICES))
    const sharing = await capacityStore(tx).sharing(company, { replica, now, limit })
    truncated ||= sharing.length === limit
    for (const device of sharing) devices.set(device.id, device)
  }
  const work = new Map(companies.map((company) => [company.company_id, company]))
  return {
    turns: [...devices.values()].sort(bySlot).map((device) => ({
      device,
      work: work.get(device.company_id),
      ...freeCapacity(device, day),
      tasks: taskCapacity(device, now),
      given: { messages: 0, own: 0, parts: 0 },
    })),
    truncated,
    last_company: companies.length === COMPANIES ? companies.at(-1)!.company_id : 0,
  }
}

function bySlot(one: ReadyDevice, other: ReadyDevice): number {
  if (one.next_slot_at === other.next_slot_at) return one.id - other.id
  return one.next_slot_at < other.next_slot_at ? -1 : 1
}

type Sendable = Pick<MessageRow, 'guid' | 'message' | 'message_to' | 'silent' | 'expires_at' | 'from_number'>

/** The `send` command of a message: the same each time it is sent, except for the number of the attempt. */
export function sendCommand(message: Sendable, attempt: number): SendCommand {
  const { guid, message_to: to, message: text, silent, expires_at, from_number } = message
  return {
    type: 'send',
    guid,
    attempt,
    to,
    text,
    ...(from_number !== null && { from: from_number }),
    ...(silent === 1 && { silent: true }),
    expires_at,
  }
}
