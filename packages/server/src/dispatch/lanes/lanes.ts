import { instant } from '#server/core/clock.ts'
import type { Tx } from '#server/database/schema.ts'
import { countInOwnLane, countQueued } from '#server/fleet/devices/capacity.ts'
import { capacityStore, type HeldDevice, simsByDevice } from '#server/fleet/devices/capacity.store.ts'
import { classOf } from '#server/messages/messages/classes.ts'
import { closedUntil } from '#server/messages/hours/closed.ts'
import { laneStore, laneWalk, queueHeads, recipientStore, type WaitingMessage } from './store.ts'

/**
 * The queue of a task without a device. A device serves its company's lane for any device, the lanes of its SIMs
 * and tags, and its own lane. It reads only the head of each lane, so tasks that cannot be sent cost nothing, however many there are.
 */
export type Lane = typeof ANY_DEVICE | `sim:${string}` | `tag:${string}` | `device:${number}` | typeof LATER

/** Any device of the company may take it. */
export const ANY_DEVICE = ''
/** Holds tasks until their `lane_until`. No device may take them before. */
export const LATER = 'later'

/** A task's lane, and when it moves to the next one. With null, it stays until a device takes it. */
export type Place = { lane: Lane; lane_until: string | null }

/** The columns of a task that no longer waits. */
export const NO_LANE = { lane: null, lane_until: null } as const

/** The change in the number of tasks, by lane. */
export type LaneChanges = Map<Lane, number>

/** The lane of a task that may be sent at once, by any device that can. */
export function homeLane(task: { from_number: string | null; via: string | null }): Lane {
  if (task.via !== null) return `tag:${task.via}`
  return task.from_number === null ? ANY_DEVICE : `sim:${task.from_number}`
}

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
  const lanes = laneStore(tx, company_id)
  for (const [lane, tasks] of changes) {
    if (tasks === 0) continue
    const device_id = deviceOf(lane)
    if (device_id !== undefined) await countInOwnLane(tx, device_id, tasks)
    else await lanes.add(lane, tasks)
  }
}

/** The lanes of the device's SIMs that contain tasks. */
async function simLanes(tx: Tx, device: { id: number; company_id: number }): Promise<Lane[]> {
  return (await laneStore(tx, device.company_id).ofSims(device.id)) as Lane[]
}

/** The lanes of the device's tags that contain tasks. */
async function tagLanes(tx: Tx, device: { id: number; company_id: number }): Promise<Lane[]> {
  return (await laneStore(tx, device.company_id).ofTags(device.id)) as Lane[]
}

/** The tag of the devices that a lane is for. */
export function tagOf(lane: string | null): string | undefined {
  return lane?.startsWith('tag:') ? lane.slice('tag:'.length) : undefined
}

/** The SIM that a lane is for, by its number. */
export function simOf(lane: string | null): string | undefined {
  return lane?.startsWith('sim:') ? lane.slice('sim:'.length) : undefined
}

/** The device that a lane is for. */
export function deviceOf(lane: string | null): number | undefined {
  return lane?.startsWith('device:') ? Number(lane.slice('device:'.length)) : undefined
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

/** Any device may take this message of a conversation, which waited for one. */
export async function freeFromDevice(
  tx: Tx,
  message: { id: number; company_id: number; device_id: number | null; from_number: string | null },
): Promise<void> {
  await leaveQueue(tx, { ...message, lane: null })
  await tx.update('queue', { id: message.id }, { device_id: null, lane: ANY_DEVICE })
  // The number of the SIM that is gone: an exception to the rule that a message never changes.
  if (message.from_number !== null) await tx.update('messages', { id: message.id }, { from_number: null })
  await countLanes(tx, message.company_id, new Map([[ANY_DEVICE, 1]]))
}

/** A number prefers the device that last wrote to it, for this long. */
export const REMEMBER_MS = 30 * 86_400_000
/** A task waits for that device for this long. Then any device may take it. */
export const PATIENCE_MS = 10 * 60_000
/** A one-time code expires after ten minutes, so other devices must have time to send it. */
const CODE_PATIENCE_MS = 60_000

type Asking = { message_to: string; from_number: string | null; priority: number }

/**
 * The places of tasks whose recipient usually hears from one device, if that device is connected and may send. They
 * wait in its lane for a while, unless they ask for a SIM that it does not have.
 */
export async function placesWithLastDevice<Task extends Asking>(
  tx: Tx,
  company_id: number,
  tasks: readonly Task[],
  { now_ms, day }: { now_ms: number; day: string },
): Promise<Map<Task, Place>> {
  const places = new Map<Task, Place>()
  if (tasks.length === 0) return places
  const recipients = recipientStore(tx, company_id)
  const numbers = tasks.map(({ message_to }) => message_to)
  const usual = await recipients.devicesOf(numbers, instant(now_ms - REMEMBER_MS), {
    now: instant(now_ms),
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
    const patience_ms = classOf(task) === 'code' ? CODE_PATIENCE_MS : PATIENCE_MS
    if (found) places.set(task, { lane: `device:${device_id}`, lane_until: instant(now_ms + patience_ms) })
  }
  return places
}

/** Notes that the device has written to this number: the number's next tasks wait for this device. */
export function rememberSender(
  tx: Tx,
  { company_id, device_id, message_to }: { company_id: number; device_id: number; message_to: string },
  now: string,
) {
  return recipientStore(tx, company_id).remember(message_to, device_id, now)
}

/** A device's turn to be given messages: its remaining room, and the messages it was given. */
export type Turn = {
  readonly device: HeldDevice
  /** Whether the company has tasks for any device, for a SIM, or for a tag. */
  readonly work: { any: 0 | 1; sims: 0 | 1; tags: 0 | 1 } | undefined
  /** Room for messages and SMS parts; `tasks` is how many of the messages may be tasks that any device could take. */
  messages: number
  parts: number
  tasks: number
  readonly given: { messages: number; own: number; parts: number }
}

/**
 * The heads of all queues that one round of the dispatcher reads. Each is read once. If one device takes a message from
 * a shared lane, the other devices no longer see it. At most `most` messages of each shared lane are read.
 */
export function openQueues(
  tx: Tx,
  { now, now_ms, day }: { now: string; now_ms: number; day: string },
  most: number,
) {
  const heads = new Map<string, Promise<WaitingMessage[]>>()
  const served = new Map<number, Promise<Lane[]>>()
  const tagged = new Map<number, Promise<Lane[]>>()
  const others = new Map<string, Promise<boolean>>()
  const sims = new Map<number, Promise<Set<string>>>()
  const held: HeldMessage[] = []
  /** Whether the present turn has met a message that waits for its hours. */
  let closed = false

  /**
   * Takes the first message from the device's queues that it may be given and that fits. Without one, returns `held`
   * if some of them wait for their hours, `unfit` if others wait there, else `nothing`.
   */
  async function take(turn: Turn): Promise<WaitingMessage | 'held' | 'unfit' | 'nothing'> {
    let empty = true
    closed = false
    let found: { head: WaitingMessage[]; place: number; message: WaitingMessage } | undefined
    for (const head of await queuesOf(turn)) {
      empty &&= head.length === 0
      const place = await firstThatFits(head, turn)
      const message = head[place]
      if (message && (found === undefined || goesBefore(message, found.message)))
        found = { head, place, message }
    }
    found?.head.splice(found.place, 1)
    if (found) return found.message
    return closed ? 'held' : empty ? 'nothing' : 'unfit'
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
    if (tasks > 0 && work?.tags) shared.push(...(await once(tagged, id, () => tagLanes(tx, device))))
    for (const lane of shared)
      queues.push(once(heads, `${company_id} ${lane}`, () => store.ofSharedLane(lane, most)))
    return Promise.all(queues)
  }

  async function firstThatFits(head: WaitingMessage[], { device, parts }: Turn): Promise<number> {
    for (let place = 0; place < head.length; place++) {
      const message = head[place]!
      const until_ms = closedUntil(device, message, now_ms)
      if (until_ms !== undefined) {
        closed = true
        // A message for one device stays in its queue. A lane must not be blocked for other recipients.
        if (message.lane === null) continue
        held.push({ message, until_ms })
        head.splice(place--, 1)
        continue
      }
      if (message.parts > parts) continue
      if (!(await hasSimFor(message, device))) continue
      // It failed on this device, so another one takes it if possible.
      if (message.avoid_device_id === device.id && (await anotherCould(message, device))) continue
      return place
    }
    return -1
  }

  /** A task in the device's own lane may ask for a SIM that the device no longer has. */
  async function hasSimFor({ lane, from_number }: WaitingMessage, { id }: HeldDevice): Promise<boolean> {
    if (from_number === null || deviceOf(lane) === undefined) return true
    const its = await once(sims, id, async () => (await simsByDevice(tx, [id])).get(id))
    return its?.has(from_number) === true
  }

  function anotherCould({ lane, parts }: WaitingMessage, device: HeldDevice): Promise<boolean> {
    const task = { parts, sim: simOf(lane), tag: tagOf(lane) }
    return once(others, `${device.id} ${lane} ${parts}`, () =>
      capacityStore(tx).otherCould(device, { now, day }, task),
    )
  }

  return { take, held: held as readonly HeldMessage[] }
}

/** A task outside its hours, and until when. */
type HeldMessage = { message: WaitingMessage; until_ms: number }

/** Moves tasks that wait for their hours out of their lanes until then. */
export async function holdForHours(tx: Tx, held: readonly HeldMessage[]): Promise<void> {
  for (const [company_id, ours] of Map.groupBy(held, ({ message }) => message.company_id)) {
    const changes: LaneChanges = new Map()
    for (const { message } of ours) joinLane(changes, message.lane as Lane, -1)
    joinLane(changes, LATER, ours.length)
    for (const [until_ms, some] of Map.groupBy(ours, (one) => one.until_ms)) {
      const ids = some.map(({ message }) => message.id)
      await laneWalk(tx).move(ids, laterLane(until_ms))
    }
    await countLanes(tx, company_id, changes)
  }
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
