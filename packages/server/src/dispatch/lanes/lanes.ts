import { instant } from '#server/core/clock.ts'
import { numberKey } from '#server/core/number-key.ts'
import type { Tx } from '#server/database/schema.ts'
import { queueFor, stickTo } from '#server/fleet/devices/capacity.ts'
import { laneStore } from './store.ts'

/**
 * Where a task without a device waits. A device serves the lane of its company that is for any, those of its SIMs, and
 * its own: of each it looks at the head alone, so what cannot go costs nothing, however much of it there is.
 */
export type Lane = typeof ANY_DEVICE | `sim:${string}` | `device:${number}` | typeof LATER

/** Any device of the company may take it. */
export const ANY_DEVICE = ''
/** Nobody may take it before its `lane_until`. */
export const LATER = 'later'

/** Which lane a task waits in, and when it leaves it for the next; null: it stays until a device takes it. */
export type Place = { lane: Lane; lane_until: string | null }

/** Of a task that waits no more. */
export const NO_LANE = { lane: null, lane_until: null } as const

/** How many of the tasks in a lane become more or fewer. */
export type LaneChanges = Map<Lane, number>

/** The lane of a task that may go at once, to whichever device can send it. */
export function homeLane(task: { from_number: string | null }): Lane {
  return task.from_number === null ? ANY_DEVICE : `sim:${numberKey(task.from_number)}`
}

/** Where it waits until then. */
export function laterLane(until_ms: number): Place {
  return { lane: LATER, lane_until: instant(until_ms) }
}

/** Notes that one task has joined this lane. */
export function joinLane(changes: LaneChanges, lane: Lane, tasks = 1): void {
  changes.set(lane, (changes.get(lane) ?? 0) + tasks)
}

/** Counts what has joined and left the lanes of a company, in the transaction in which it did. */
export async function countLanes(tx: Tx, company_id: number, changes: LaneChanges): Promise<void> {
  const lanes = laneStore(tx, company_id)
  for (const [lane, tasks] of changes) {
    if (tasks === 0) continue
    const device_id = deviceOf(lane)
    if (device_id !== undefined) await stickTo(tx, device_id, tasks)
    else await lanes.add(lane, tasks)
  }
}

/** The lanes of the device's SIMs in which tasks wait. */
export async function simLanes(tx: Tx, device: { id: number; company_id: number }): Promise<Lane[]> {
  return (await laneStore(tx, device.company_id).ofSims(device.id)) as Lane[]
}

/** The SIM that a lane is for, as `numberKey` has its number. */
export function simOf(lane: string | null): string | undefined {
  return lane?.startsWith('sim:') ? lane.slice('sim:'.length) : undefined
}

/** The device that a lane is for. */
export function deviceOf(lane: string | null): number | undefined {
  return lane?.startsWith('device:') ? Number(lane.slice('device:'.length)) : undefined
}

/** A message that waited has been given or has ended: its device, or its lane, has one fewer. */
export async function leaveQueue(
  tx: Tx,
  message: { company_id: number; device_id: number | null; lane: string | null },
): Promise<void> {
  if (message.lane !== null) await countLanes(tx, message.company_id, new Map([[message.lane as Lane, -1]]))
  else if (message.device_id !== null) await queueFor(tx, message.device_id, -1)
}
