import { instant } from '#server/core/clock.ts'
import type { Tx } from '#server/database/schema.ts'
import { countInOwnLane, countQueued } from '#server/fleet/devices/capacity.ts'
import { deviceOf, type Lane, LATER } from './lane-names.ts'
import type { Place } from './routed.ts'
import { countInLane, laneWalk, type WaitingMessage } from './store.ts'

/** The columns of a task that no longer waits. */
export const NO_LANE = { lane: null, lane_until: null } as const

/** The change in the number of tasks, by lane. */
export type LaneChanges = Map<Lane, number>

/** The place of a task that waits until then. */
export function laterLane(until_ms: number): Place {
  return { lane: LATER, lane_until: instant(until_ms) }
}

/** Notes that one task has joined this lane. */
export function joinLane(changes: LaneChanges, lane: Lane, tasks = 1): void {
  changes.set(lane, (changes.get(lane) ?? 0) + tasks)
}

/** Counts the tasks that joined and left the lanes of a company, in the transaction that moved them. */
export async function countLanes(tx: Tx, company_id: number, changes: LaneChanges): Promise<void> {
  for (const [lane, tasks] of changes) {
    if (tasks === 0) continue
    const device_id = deviceOf(lane)
    if (device_id !== undefined) await countInOwnLane(tx, device_id, tasks)
    else await countInLane(tx, company_id, lane, tasks)
  }
}

/** The devices whose own lane has grown. */
export function devicesOf(changes: LaneChanges): number[] {
  return [...changes].flatMap(([lane, tasks]) => (tasks > 0 ? (deviceOf(lane) ?? []) : []))
}

/** Subtracts a message from the count of its device's queue or of its lane, when it is given out or has ended. */
export async function leaveQueue(
  tx: Tx,
  message: { company_id: number; device_id: number | null; lane: string | null },
): Promise<void> {
  if (message.lane !== null) await countLanes(tx, message.company_id, new Map([[message.lane as Lane, -1]]))
  else if (message.device_id !== null) await countQueued(tx, message.device_id, -1)
}

/** Any device that the routes allow may take this message of a conversation, which waited for one. */
export async function freeFromDevice(
  tx: Tx,
  message: { id: number; company_id: number; device_id: number | null; from_number: string | null },
  now: string,
): Promise<void> {
  await leaveQueue(tx, { ...message, lane: null })
  await tx.update('queue', { id: message.id }, { device_id: null, lane: LATER, lane_until: now })
  // The number of the SIM that is gone: an exception to the rule that a message never changes.
  if (message.from_number !== null) await tx.update('messages', { id: message.id }, { from_number: null })
  await countLanes(tx, message.company_id, new Map([[LATER, 1]]))
}

/** A task that is in another lane than it should be, such as one outside its hours. */
export type LaneMove = { message: Pick<WaitingMessage, 'id' | 'company_id' | 'lane'>; place: Place }

/** Moves tasks to other lanes. */
export async function moveLanes(tx: Tx, moves: readonly LaneMove[]): Promise<void> {
  for (const [company_id, ours] of Map.groupBy(moves, ({ message }) => message.company_id)) {
    const changes: LaneChanges = new Map()
    const places = Map.groupBy(ours, ({ place }) => `${place.lane} ${place.lane_until}`)
    for (const some of places.values()) {
      const { place } = some[0]!
      for (const { message } of some) joinLane(changes, message.lane as Lane, -1)
      joinLane(changes, place.lane, some.length)
      const ids = some.map(({ message }) => message.id)
      await laneWalk(tx).move(ids, place)
    }
    await countLanes(tx, company_id, changes)
  }
}
