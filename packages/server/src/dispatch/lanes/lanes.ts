import { instant } from '#server/core/clock.ts'
import { numberKey } from '#server/core/number-key.ts'
import type { Tx } from '#server/database/schema.ts'
import { queueFor, stickTo } from '#server/fleet/devices/capacity.ts'
import { capacityStore, type ReadyDevice, simsOf } from '#server/fleet/devices/capacity.store.ts'
import { laneStore, queueHeads, recipientStore, type WaitingMessage } from './store.ts'

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
async function simLanes(tx: Tx, device: { id: number; company_id: number }): Promise<Lane[]> {
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

/** A number hears from the device that wrote to it last for this long. */
export const REMEMBER_MS = 30 * 86_400_000
/** A task waits for that device for this long. Then any device may take it. */
export const PATIENCE_MS = 10 * 60_000

type Asking = { message_to: string; from_number: string | null }

/**
 * The places of those tasks whose recipient hears from a device that is connected and may send. They wait in its lane for
 * a while, unless they ask for a SIM that it does not have.
 */
export async function usualPlaces<Task extends Asking>(
  tx: Tx,
  company_id: number,
  tasks: readonly Task[],
  now_ms: number,
): Promise<Map<Task, Place>> {
  const places = new Map<Task, Place>()
  if (tasks.length === 0) return places
  const recipients = recipientStore(tx, company_id)
  const numbers = tasks.map(({ message_to }) => numberKey(message_to))
  const usual = await recipients.devicesOf(numbers, instant(now_ms - REMEMBER_MS))
  if (usual.size === 0) return places
  const sims = new Map<string, Promise<boolean>>()
  for (const task of tasks) {
    const device_id = usual.get(numberKey(task.message_to))
    if (device_id === undefined) continue
    const sim = simOf(homeLane(task))
    const found =
      sim === undefined ||
      (await sims.getOrInsertComputed(`${device_id} ${sim}`, () => recipients.hasSim(device_id, sim)))
    if (found) places.set(task, { lane: `device:${device_id}`, lane_until: instant(now_ms + PATIENCE_MS) })
  }
  return places
}

/** The device has written to this number: the next tasks for it wait for this device. */
export function rememberSender(
  tx: Tx,
  { company_id, device_id, message_to }: { company_id: number; device_id: number; message_to: string },
  now: string,
) {
  return recipientStore(tx, company_id).remember(numberKey(message_to), device_id, now)
}

/** A device's turn to be given something: what it still may be given, and what it was given. */
export type Turn = {
  readonly device: ReadyDevice
  /** Which lanes of its company, except those of single devices, have tasks for a device. */
  readonly work: { any: 0 | 1; sims: 0 | 1 } | undefined
  /** Room for messages and SMS parts; how many of the messages may be tasks that any device could take. */
  messages: number
  parts: number
  tasks: number
  readonly given: { messages: number; own: number; parts: number }
}

/**
 * The heads of all queues that one round of the dispatcher looks at. Each is read once. A message that one device takes
 * from a shared lane is gone for the other devices.
 */
export function openQueues(tx: Tx, now: string) {
  const heads = new Map<string, Promise<WaitingMessage[]>>()
  const served = new Map<number, Promise<Lane[]>>()
  const others = new Map<string, Promise<boolean>>()
  const sims = new Map<number, Promise<Set<string>>>()

  /**
   * Takes the first message from the device's queues that it may be given and that fits. If there is none: `unfit` if
   * other messages wait there, else `nothing`.
   */
  async function take(turn: Turn): Promise<WaitingMessage | 'unfit' | 'nothing'> {
    let empty = true
    let found: { head: WaitingMessage[]; place: number; message: WaitingMessage } | undefined
    for (const head of await queuesOf(turn)) {
      empty &&= head.length === 0
      const place = await firstThatFits(head, turn)
      const message = head[place]
      if (message && (found === undefined || goesBefore(message, found.message)))
        found = { head, place, message }
    }
    found?.head.splice(found.place, 1)
    return found?.message ?? (empty ? 'nothing' : 'unfit')
  }

  async function queuesOf({ device, work, tasks }: Turn): Promise<WaitingMessage[][]> {
    const { id, company_id, queued, sticky } = device
    const queues: Promise<WaitingMessage[]>[] = []
    const store = queueHeads(tx, company_id, now)
    if (queued > 0) queues.push(once(heads, `own ${id}`, () => store.ofDevice(id)))
    if (tasks > 0 && sticky > 0) {
      const own: Lane = `device:${id}`
      queues.push(once(heads, `${company_id} ${own}`, () => store.ofDeviceLane(own)))
    }
    const shared: Lane[] = []
    if (tasks > 0 && work?.any) shared.push(ANY_DEVICE)
    if (tasks > 0 && work?.sims) shared.push(...(await once(served, id, () => simLanes(tx, device))))
    for (const lane of shared)
      queues.push(once(heads, `${company_id} ${lane}`, () => store.ofSharedLane(lane)))
    return Promise.all(queues)
  }

  async function firstThatFits(head: readonly WaitingMessage[], { device, parts }: Turn): Promise<number> {
    for (const [place, message] of head.entries()) {
      if (message.parts > parts) continue
      if (!(await hasSimFor(message, device))) continue
      // It failed on this device: another one takes it, if one could.
      if (message.avoid_device_id === device.id && (await anotherCould(message, device))) continue
      return place
    }
    return -1
  }

  /** A task in the device's own lane may ask for a SIM that the device no longer has. */
  async function hasSimFor({ lane, from_number }: WaitingMessage, { id }: ReadyDevice): Promise<boolean> {
    if (from_number === null || deviceOf(lane) === undefined) return true
    return (await once(sims, id, () => simsOf(tx, id))).has(numberKey(from_number))
  }

  function anotherCould({ lane, parts }: WaitingMessage, device: ReadyDevice): Promise<boolean> {
    const task = { parts, sim: simOf(lane) }
    return once(others, `${device.id} ${lane} ${parts}`, () =>
      capacityStore(tx).otherCould(device, now, task),
    )
  }

  return { take }
}

function goesBefore(one: WaitingMessage, other: WaitingMessage): boolean {
  return one.priority === other.priority ? one.id < other.id : one.priority < other.priority
}

function once<Key, Value>(
  known: Map<Key, Promise<Value>>,
  key: Key,
  find: () => Promise<Value>,
): Promise<Value> {
  return known.getOrInsertComputed(key, find)
}
