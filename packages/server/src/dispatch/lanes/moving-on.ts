import { type Clock, instant } from '#server/core/clock.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import { capacityStore } from '#server/fleet/devices/capacity.store.ts'
import type { Live } from '#server/core/live.ts'
import type { Candidates } from '#server/dispatch/candidates.ts'
import {
  countLanes,
  devicesOf,
  freeFromDevice,
  homeLane,
  joinLane,
  type Lane,
  type LaneChanges,
  LATER,
  type Place,
  placesWithLastDevice,
} from './lanes.ts'
import { type LanedTask, laneWalk } from './store.ts'

/** Tasks to move in one transaction. */
const BATCH = 500
/** Devices whose lanes one transaction reads. */
const DEVICES = 20

/**
 * Moves tasks to their next lane: tasks whose time has come, and tasks that wait for a device that is offline or may
 * send nothing now. Returns true if there are probably more.
 */
export async function moveDueTasks({
  db,
  clock,
  live,
  candidates,
}: {
  db: Database
  clock: Clock
  live: Live
  candidates: Pick<Candidates, 'add'>
}): Promise<boolean> {
  const now_ms = clock.now()
  const at = { now_ms, day: clock.day(now_ms) }
  const found = await toMove(db.read, at, 1)
  if (found.length === 0) return false
  const moved = await db.write(async (tx) => {
    const tasks = await toMove(tx, at, BATCH)
    const byCompany = Map.groupBy(tasks, (task) => task.company_id)
    const joined = new Map<number, LaneChanges>()
    for (const [company_id, ours] of byCompany) joined.set(company_id, await place(tx, company_id, ours, at))
    return { tasks: tasks.length, companies: [...byCompany.keys()], joined }
  })
  for (const [company_id, changes] of moved.joined)
    for (const id of devicesOf(changes)) candidates.add({ id, company_id }, true)
  for (const company_id of moved.companies) live.changed(company_id, 'tasks', 'logs')
  return moved.tasks >= BATCH
}

/**
 * After a change of SIMs, the device's tasks that ask for a SIM move on in the next round, to devices that have it. Any
 * device may take the messages of conversations that waited for a SIM which the device no longer has.
 */
export async function releaseFromDeviceLane(
  tx: Tx,
  { company_id, device_id }: { company_id: number; device_id: number },
  now: string,
): Promise<void> {
  await laneWalk(tx).endStay(company_id, device_id, now)
  for (const message of await laneWalk(tx).withoutSim(company_id, device_id))
    await freeFromDevice(tx, message)
}

/** After a change of the hours, the company's tasks that wait for theirs are looked at again. */
export function releaseFromHours(tx: Tx, company_id: number, now: string): Promise<void> {
  return laneWalk(tx).endHours(company_id, now)
}

type At = { now_ms: number; day: string }

async function toMove(tx: Tx, { now_ms, day }: At, limit: number): Promise<LanedTask[]> {
  const lanes = laneWalk(tx)
  const now = instant(now_ms)
  const tasks = await lanes.due(now, limit)
  for (const { id, company_id } of tasks.length < limit
    ? await capacityStore(tx).left({ now, day }, DEVICES)
    : []) {
    tasks.push(...(await lanes.ofDevice(company_id, id, limit)))
    if (tasks.length >= limit) break
  }
  return tasks
}

async function place(tx: Tx, company_id: number, tasks: readonly LanedTask[], at: At): Promise<LaneChanges> {
  // A task does not wait (again) for a device that it has waited for, or on which it failed. A tag has other devices.
  const fresh = tasks.filter(
    ({ lane, avoid_device_id, via }) => lane === LATER && avoid_device_id === null && via === null,
  )
  const usual = await placesWithLastDevice(tx, company_id, fresh, at)
  const changes: LaneChanges = new Map()
  const moves = new Map<string, { place: Place; ids: number[] }>()
  for (const task of new Map(tasks.map((task) => [task.id, task])).values()) {
    const next = usual.get(task) ?? { lane: homeLane(task), lane_until: null }
    joinLane(changes, task.lane as Lane, -1)
    joinLane(changes, next.lane)
    moves.getOrInsertComputed(next.lane, () => ({ place: next, ids: [] })).ids.push(task.id)
  }
  for (const { place, ids } of moves.values()) await laneWalk(tx).move(ids, place)
  await countLanes(tx, company_id, changes)
  return changes
}
