import type { Command } from '@sdd/contract/fleet/device-protocol.ts'
import { instant } from '#server/core/clock.ts'
import { pass } from '#server/core/points.ts'
import { openYielding } from '#server/core/fair-queue.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import { reserve, setAside } from '#server/fleet/devices/capacity.ts'
import type { Figures } from '#server/core/figures.ts'
import type { Live } from '#server/core/live.ts'
import type { Replica } from '#server/core/replicas/lease.ts'
import { countLanes, joinLane, type Lane, type LaneChanges, NO_LANE } from '#server/dispatch/lanes/lanes.ts'
import { attemptStore } from '#server/messages/messages/attempts.store.ts'
import { type Books, type MoveNeeds, openBooks } from '#server/messages/messages/books.ts'
import { moveInBooks } from '#server/messages/messages/moving.ts'
import { openQueues } from './queues.ts'
import { LANE_HEAD, type WaitingMessage } from './store.ts'
import { RESEND_MS, sendCommand } from '#server/dispatch/resending.ts'
import { note } from '#server/messages/messages/state.ts'
import { anyInTurn, devicesInTurn, type Turn } from './turns.ts'

type Needs = MoveNeeds & {
  db: Database
  live: Live
  publish(device_uid: string, command: Command): boolean
  figures: Pick<Figures, 'handedOver'>
  /** Devices that are connected here are given what waits. */
  replica: Pick<Replica, 'id'>
}

/** One transaction gives for so long, as everybody else waits meanwhile; so many devices have their turn in any case. */
const ROUND_MS = 15
const LEAST_TURNS = 10
/** A device with room into which nothing fits is looked at again after so long. */
export const ASIDE_MS = 5_000

type Given = { turn: Turn; message: WaitingMessage }

/**
 * The one claim, of what is bound to a device and of what any may take alike: the device whose slot has been open
 * longest is given the first message that waits for it and fits, then the next device has its turn, until nothing can
 * go. All is booked in one transaction, and commands leave after it. True where there is probably more.
 */
export function openClaim(needs: Needs): () => Promise<boolean> {
  const { db, clock, live, publish, figures, replica } = needs
  // Companies take turns too, where many have tasks.
  let after_company = 0

  return async function claim() {
    // A look without a lock first: most rounds find nothing, and those cost no write.
    if (!(await anyInTurn(db.read, replica.id(), instant(clock.now())))) return false
    // The time of the transaction: what was stored while this one waited its turn is due by then, and its device would
    // be set aside as one into which nothing fits.
    // Other servers add to the devices that it holds: it holds nothing else that they may hold meanwhile.
    const { given, more, last_company } = await db.write(
      (tx) => give(tx, needs, { replica: replica.id(), now_ms: clock.now(), after_company }),
      { alone: true },
    )
    after_company = last_company
    for (const { turn, message } of given) {
      publish(turn.device.uid, sendCommand(message, message.attempt + 1))
      figures.handedOver.observe((clock.now() - Date.parse(message.due_at)) / 1000)
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
  const { turns, cut, last_company } = await devicesInTurn(tx, { replica, now, day, after_company })
  const queues = openQueues(tx, now)
  const touched = [...turns]
  const given: Given[] = []
  const books = openBooks(moving)
  const inTime = () => looked < LEAST_TURNS || performance.now() - began < ROUND_MS
  let [looked, asides] = [0, 0]
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
      await setAside(tx, device, instant(now_ms + ASIDE_MS))
      asides++
      continue
    }
    await hand(tx, books, turn, message, { now, day, resend_at: instant(now_ms + RESEND_MS) })
    given.push({ turn, message })
    // Where there are more devices than these, each is given one: those that are not here have waited longer then.
    if (turn.messages > 0 && turn.parts > 0 && !cut) turns.push(turn)
  }
  for (const { device, given } of touched)
    if (given.messages > 0) await reserve(tx, device, { ...given, day, at: now })
  await books.write(tx)
  for (const [company_id, changes] of leftLanes(given)) await countLanes(tx, company_id, changes)
  if (given.length > 0) pass('claimed')
  return { given, more: turns.length > 0 || (cut && given.length + asides > 0), last_company }
}

/** The message becomes an attempt of the device. */
async function hand(
  tx: Tx,
  books: Books,
  turn: Turn,
  message: WaitingMessage,
  { now, day, resend_at }: { now: string; day: string; resend_at: string },
): Promise<void> {
  const { device } = turn
  const { parts } = message
  const attempt = message.attempt + 1
  await moveInBooks(tx, books, message, {
    device_id: device.id,
    device_guid: device.uid,
    attempt,
    step: 'given',
    notes: note(message.notes, `${attempt}: given to ${device.uid}`, now),
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
