import { type Clock, type Now, nowOf } from '#server/core/clock.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import { capacityStore } from '#server/fleet/devices/capacity.store.ts'
import type { Live } from '#server/core/live.ts'
import { shareSettingsLock } from '#server/accounts/settings/settings.ts'
import type { CompanyRoutes } from '#server/fleet/routes/company-routes.ts'
import type { Candidates } from '#server/dispatch/candidates.ts'
import { deviceOf, LATER } from './lane-names.ts'
import { dropForbidden, patientSince, placesWithLastDevice } from './last-device.ts'
import { devicesOf, freeFromDevice, joinLane, type LaneChanges, moveLanes } from './lanes.ts'
import { homePlace } from './routed.ts'
import { newIds } from '#server/messages/messages/store.ts'
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
  companyRoutes,
}: {
  db: Database
  clock: Clock
  live: Live
  candidates: Pick<Candidates, 'add'>
  companyRoutes: Pick<CompanyRoutes, 'of'>
}): Promise<boolean> {
  const at = nowOf(clock)
  const found = await toMove(db.read, at, 1)
  if (found.length === 0) return false
  const moved = await db.write(async (tx) => {
    const tasks = await toMove(tx, at, BATCH)
    const byCompany = Map.groupBy(tasks, (task) => task.company_id)
    const joined = new Map<number, LaneChanges>()
    for (const [company_id, ours] of byCompany)
      joined.set(company_id, await place(tx, { company_id, companyRoutes }, ours, at))
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
    await freeFromDevice(tx, message, now)
}

/**
 * After a change of the routes, the company's tasks are looked at again. No task is handed over by the old ones. Returns
 * an id below those of messages that are stored later.
 */
export async function releaseFromRoutes(tx: Tx, company_id: number, now: string): Promise<number> {
  await laneWalk(tx).endAll(company_id, now)
  const [id] = await newIds(tx, 1)
  return id!
}

/** After a change of the hours, the company's tasks that wait for theirs are looked at again. */
export function releaseFromHours(tx: Tx, company_id: number, now: string): Promise<void> {
  return laneWalk(tx).endHours(company_id, now)
}

async function toMove(tx: Tx, at: Now, limit: number): Promise<LanedTask[]> {
  const lanes = laneWalk(tx)
  const tasks = await lanes.due(at.now, limit)
  for (const { id, company_id } of tasks.length < limit ? await capacityStore(tx).left(at, DEVICES) : []) {
    tasks.push(...(await lanes.ofDevice(company_id, id, limit)))
    if (tasks.length >= limit) break
  }
  return tasks
}

async function place(
  tx: Tx,
  { company_id, companyRoutes }: { company_id: number; companyRoutes: Pick<CompanyRoutes, 'of'> },
  tasks: readonly LanedTask[],
  at: Now,
): Promise<LaneChanges> {
  // Routes that change meanwhile wait for this, and look at the tasks again.
  const { routes: version } = await shareSettingsLock(tx, company_id)
  const routes = await companyRoutes.of(tx, company_id, version)
  // A task does not wait (again) for a device that it has waited for, or on which it failed. A tag has other devices.
  const fresh = tasks.filter(
    ({ lane, avoid_device_id, via }) => lane === LATER && avoid_device_id === null && via === null,
  )
  const usual = await placesWithLastDevice(tx, company_id, fresh, at)
  if (routes) await dropForbidden(tx, routes, usual, (task) => task)
  const joined: LaneChanges = new Map()
  const moves = [...new Map(tasks.map((task) => [task.id, task])).values()].map((message) => {
    const { now_ms } = at
    const place = usual.get(message) ?? homePlace(message, routes, { ready_ms: readySince(message), now_ms })
    joinLane(joined, place.lane)
    return { message, place }
  })
  await moveLanes(tx, moves)
  return joined
}

/** Since when the task could have been taken: by then its hours had begun, and its own time had come. */
function readySince(task: LanedTask): number {
  const { lane, lane_until, due_at } = task
  const due_ms = Date.parse(due_at)
  if (lane_until === null) return due_ms
  const until_ms = Date.parse(lane_until)
  if (lane === LATER) return Math.max(due_ms, until_ms)
  return deviceOf(lane) === undefined ? due_ms : Math.max(due_ms, patientSince(task, until_ms))
}
