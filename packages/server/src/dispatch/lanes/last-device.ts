import { DAY_MS, instant, MINUTE_MS, type Now } from '#server/core/clock.ts'
import type { Tx } from '#server/database/schema.ts'
import { tagsByDevice } from '#server/fleet/devices/capacity.store.ts'
import type { RouteRules } from '#server/fleet/routes/deciding.ts'
import { classOf } from '#server/messages/messages/classes.ts'
import { deviceOf } from './lane-names.ts'
import { groupOfRule, type Place, type Routable, ruleFor } from './routed.ts'
import { recipientStore } from './store.ts'

/** A number prefers the device that last wrote to it, for this long. */
export const REMEMBER_MS = 30 * DAY_MS
/** A task waits for that device for this long at most. */
export const PATIENCE_MS = 10 * MINUTE_MS
/** A one-time code expires after ten minutes, so other devices must have time to send it. */
const CODE_PATIENCE_MS = MINUTE_MS

/** `expires_at` is null for a task that has its class's lifetime, which is far longer than its patience. */
type Patient = { priority: number; expires_at: string | null }

/**
 * Until when a task that is ready since `from_ms` waits for that device. After a failure it waits as long for devices
 * whose window is full. At least half of the time until it expires is left for other devices.
 */
export function patientUntil(task: Patient, from_ms: number): number {
  const until_ms = from_ms + patienceOf(task)
  if (task.expires_at === null) return until_ms
  return Math.min(until_ms, Math.floor((from_ms + Date.parse(task.expires_at)) / 2))
}

/** The `from_ms` of a task that waits until this time. */
export function patientSince(task: Patient & { expires_at: string }, until_ms: number): number {
  return Math.max(until_ms - patienceOf(task), 2 * until_ms - Date.parse(task.expires_at))
}

function patienceOf(task: Patient): number {
  return classOf(task) === 'code' ? CODE_PATIENCE_MS : PATIENCE_MS
}

type Asking = Patient & { message_to: string; from_number: string | null }

/**
 * The places of tasks whose recipient usually hears from one device, if that device is connected and may send. They
 * wait in its lane for a while, unless they ask for a SIM that it does not have.
 */
export async function placesWithLastDevice<Task extends Asking>(
  tx: Tx,
  company_id: number,
  tasks: readonly Task[],
  { now_ms, now, day }: Now,
): Promise<Map<Task, Place>> {
  const places = new Map<Task, Place>()
  if (tasks.length === 0) return places
  const recipients = recipientStore(tx, company_id)
  const numbers = tasks.map(({ message_to }) => message_to)
  const usual = await recipients.devicesOf(numbers, instant(now_ms - REMEMBER_MS), {
    now,
    day,
  })
  if (usual.size === 0) return places
  const sims = new Map<string, Promise<boolean>>()
  for (const task of tasks) {
    const device_id = usual.get(task.message_to)
    if (device_id === undefined) continue
    const sim = task.from_number
    const found =
      sim === null ||
      (await sims.getOrInsertComputed(`${device_id} ${sim}`, () => recipients.hasSim(device_id, sim)))
    if (found)
      places.set(task, { lane: `device:${device_id}`, lane_until: instant(patientUntil(task, now_ms)) })
  }
  return places
}

/** Drops the places of tasks whose route leaves out that device. */
export async function dropForbidden<Task>(
  tx: Tx,
  routes: RouteRules,
  places: Map<Task, Place>,
  routable: (task: Task) => Routable,
): Promise<void> {
  const narrowed = [...places].flatMap(([task, { lane }]) => {
    const rule = ruleFor(routes, routable(task))
    const via = rule === undefined ? null : groupOfRule(rule)
    return via === null ? [] : [{ task, via, device_id: deviceOf(lane)! }]
  })
  if (narrowed.length === 0) return
  const tags = await tagsByDevice(
    tx,
    narrowed.map(({ device_id }) => device_id),
  )
  for (const { task, via, device_id } of narrowed) if (!tags.get(device_id)?.has(via)) places.delete(task)
}

/** Notes that the device has written to this number: the number's next tasks wait for this device. */
export function rememberSender(
  tx: Tx,
  { company_id, device_id, message_to }: { company_id: number; device_id: number; message_to: string },
  now: string,
) {
  return recipientStore(tx, company_id).remember(message_to, device_id, now)
}
