import { instant } from '#server/core/clock.ts'
import type { Tx } from '#server/database/schema.ts'
import { countInOwnLane, countQueued } from '#server/fleet/devices/capacity.ts'
import {
  capacityStore,
  type HeldDevice,
  simsByDevice,
  tagsByDevice,
} from '#server/fleet/devices/capacity.store.ts'
import type { RouteRules } from '#server/fleet/routes/deciding.ts'
import type { SimRooms } from '#server/fleet/sims/rooms.ts'
import { classOf } from '#server/messages/messages/classes.ts'
import { closedUntil } from '#server/messages/hours/closed.ts'
import {
  ANY_DEVICE,
  deviceOf,
  devicesOfLane,
  type Lane,
  type LaneDevices,
  LATER,
  serves,
  tagsOfLane,
} from './lane-names.ts'
import { groupOfRule, otherPlace, type Place, type Routable, ruleFor } from './routed.ts'
import { laneStore, laneWalk, queueHeads, recipientStore, type WaitingMessage } from './store.ts'

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
  const lanes = laneStore(tx, company_id)
  for (const [lane, tasks] of changes) {
    if (tasks === 0) continue
    const device_id = deviceOf(lane)
    if (device_id !== undefined) await countInOwnLane(tx, device_id, tasks)
    else await lanes.add(lane, tasks)
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

/** A number prefers the device that last wrote to it, for this long. */
export const REMEMBER_MS = 30 * 86_400_000
/** A task waits for that device for this long. Then any device may take it. */
export const PATIENCE_MS = 10 * 60_000
/** A one-time code expires after ten minutes, so other devices must have time to send it. */
const CODE_PATIENCE_MS = 60_000

export function patienceOf(task: { priority: number }): number {
  return classOf(task) === 'code' ? CODE_PATIENCE_MS : PATIENCE_MS
}

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
    if (found)
      places.set(task, { lane: `device:${device_id}`, lane_until: instant(now_ms + patienceOf(task)) })
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

/** A device's turn to be given messages: its remaining room, and the messages it was given. */
export type Turn = {
  readonly device: HeldDevice
  /** Whether the company has tasks for any device, or for those with a SIM or a tag. */
  readonly work: { any: 0 | 1; some: 0 | 1 } | undefined
  /** Room for messages and SMS parts; `tasks` is how many of the messages may be tasks that any device could take. */
  messages: number
  parts: number
  tasks: number
  readonly given: { messages: number; own: number; parts: number }
}

/**
 * The heads of all queues that one round of the dispatcher reads. Each is read once. If one device takes a message from
 * a shared lane, the other devices no longer see it. At most `most` messages of each shared lane are read. `device_ids`
 * are all devices of the round, and `routes` are those of their companies that have any.
 */
export function openQueues(
  tx: Tx,
  { now, now_ms, day }: { now: string; now_ms: number; day: string },
  {
    most,
    device_ids,
    routes,
    rooms,
  }: {
    most: number
    device_ids: readonly number[]
    routes: ReadonlyMap<number, RouteRules>
    rooms: Pick<SimRooms, 'choose'>
  },
) {
  const heads = new Map<string, Promise<Head>>()
  const shared = new Map<number, Promise<SharedLanes>>()
  const others = new Map<string, Promise<boolean>>()
  let tags: Promise<Map<number, Set<string>>> | undefined
  let sims: Promise<Map<number, Set<string>>> | undefined
  const moves: LaneMove[] = []
  /** What the present turn has met: a message that waits for its hours, or for devices that come first. */
  let closed = false
  let reserved = false

  /**
   * Takes the first message from the device's queues that it may be given and that fits. Without one, returns `held`
   * if some of them wait for their hours, `reserved` if the first devices of a route could take them now, `unfit` if
   * others wait there, else `nothing`.
   */
  async function take(turn: Turn): Promise<WaitingMessage | 'held' | 'reserved' | 'unfit' | 'nothing'> {
    let empty = true
    closed = reserved = false
    let found: { rows: WaitingMessage[]; place: number; message: WaitingMessage } | undefined
    for (const head of await queuesOf(turn)) {
      const { rows } = head
      const place = await firstThatFits(head, turn)
      empty &&= rows.length === 0
      const message = rows[place]
      if (message && (found === undefined || goesBefore(message, found.message)))
        found = { rows, place, message }
    }
    found?.rows.splice(found.place, 1)
    if (found) return found.message
    if (closed) return 'held'
    return reserved ? 'reserved' : empty ? 'nothing' : 'unfit'
  }

  async function queuesOf({ device, work, tasks }: Turn): Promise<Head[]> {
    const { id, company_id, queued, sticky } = device
    const queues: Promise<Head>[] = []
    const store = queueHeads(tx, company_id, now)
    if (queued > 0) queues.push(once(heads, `own ${id}`, async () => whole(null, await store.ofDevice(id))))
    if (tasks > 0 && sticky > 0) {
      const own: Lane = `device:${id}`
      queues.push(once(heads, `${company_id} ${own}`, async () => whole(own, await store.ofDeviceLane(own))))
    }
    if (tasks > 0 && work?.any)
      queues.push(
        once(heads, `${company_id} `, async () =>
          whole(ANY_DEVICE, await store.ofSharedLane(ANY_DEVICE, most)),
        ),
      )
    if (tasks > 0 && work?.some) queues.push(...(await lanesOf(device)).map(headOf))
    return Promise.all(queues)
  }

  /** The first rows of a lane. There may be many lanes, and each has few devices in this round. */
  function headOf({ lane, company_id, devices }: SharedLane): Promise<Head> {
    return once(heads, `${company_id} ${lane}`, async () => {
      const rows = await queueHeads(tx, company_id, now).ofSharedLane(lane, FEW)
      return { lane, devices, rows, last: rows.length === FEW ? rows.at(-1) : undefined }
    })
  }

  async function readOn(head: Head & { last: WaitingMessage }): Promise<void> {
    const { company_id, priority, id } = head.last
    const rows = await queueHeads(tx, company_id, now).ofSharedLane(head.lane!, most, { priority, id })
    head.rows.push(...rows)
    head.last = undefined as never
  }

  /** The lanes for some of the company's devices that this device serves. */
  async function lanesOf({ id, company_id }: HeldDevice): Promise<SharedLane[]> {
    const { first, open } = await once(shared, company_id, () => lanesOfCompany(company_id))
    const its = { tags: await tagsOf(id), sims: await simsOf(id) }
    const found: SharedLane[] = []
    for (const name of its.tags)
      for (const lane of first.get(name) ?? []) if (serves(lane.devices, its)) found.push(lane)
    for (const name of its.sims) found.push(...(first.get(`sim ${name}`) ?? []))
    for (const lane of open)
      if (!its.tags.has(lane.devices.via!) && serves(lane.devices, its)) {
        if (await isReserved(lane)) reserved = true
        else found.push(lane)
      }
    return found
  }

  /** By their tag or SIM, and those that other devices may serve after the devices with that tag. */
  async function lanesOfCompany(company_id: number): Promise<SharedLanes> {
    const first = new Map<string, SharedLane[]>()
    const open: SharedLane[] = []
    for (const lane of await laneStore(tx, company_id).forSome()) {
      const devices = devicesOfLane(lane)
      const one = { lane, company_id, devices }
      first.getOrInsertComputed(devices.via ?? `sim ${devices.sim}`, () => []).push(one)
      if (devices.or !== undefined) open.push(one)
    }
    return { first, open }
  }

  async function tagsOf(id: number): Promise<ReadonlySet<string>> {
    return (await (tags ??= tagsByDevice(tx, device_ids))).get(id) ?? NONE
  }

  async function simsOf(id: number): Promise<ReadonlySet<string>> {
    return (await (sims ??= simsByDevice(tx, device_ids))).get(id) ?? NONE
  }

  async function firstThatFits(head: Head, { device, parts }: Turn): Promise<number> {
    const { rows, devices } = head
    const rules = routes.get(device.company_id)
    for (let place = 0; ; place++) {
      if (place === rows.length) {
        if (head.last === undefined) return -1
        await readOn(head as Head & { last: WaitingMessage })
        if (place === rows.length) return -1
      }
      const message = rows[place]!
      const until_ms = closedUntil(device, message, now_ms)
      if (until_ms !== undefined) closed = true
      // A message for one device stays in its queue. A lane must not be blocked for other recipients.
      if (until_ms !== undefined && message.lane === null) continue
      const elsewhere =
        until_ms !== undefined ? laterLane(until_ms) : await movedBy(message, { head, rules, id: device.id })
      if (elsewhere !== undefined) {
        moves.push({ message, place: elsewhere })
        rows.splice(place--, 1)
        continue
      }
      if (message.parts > parts) continue
      if (!(await hasSimFor(message, device))) continue
      if (device.names_sims === 1 && (await rooms.choose(device.id, message)) === undefined) continue
      // It failed on this device, so another one takes it if possible.
      if (message.avoid_device_id === device.id && (await anotherCould(message, head, device))) continue
      if (devices.or !== undefined && !(await tagsOf(device.id)).has(devices.via!)) {
        if (await firstCould(head, message)) {
          reserved = true
          continue
        }
      }
      return place
    }
  }

  /** Where the company's present routes want a message that was stored before they were saved. */
  async function movedBy(
    message: WaitingMessage,
    { head, rules, id }: { head: Head; rules: RouteRules | undefined; id: number },
  ): Promise<Place | undefined> {
    const { lane, via } = message
    if (lane === null || via !== null) return undefined
    const isOld = rules === undefined ? head.devices.via !== undefined : message.id <= rules.since_message
    if (!isOld) return undefined
    return otherPlace(message, rules, now_ms, deviceOf(lane) === undefined ? NONE : await tagsOf(id))
  }

  /** A task in the device's own lane may ask for a SIM that the device no longer has. */
  async function hasSimFor({ lane, from_number }: WaitingMessage, { id }: HeldDevice): Promise<boolean> {
    if (from_number === null || deviceOf(lane) === undefined) return true
    return (await simsOf(id)).has(from_number)
  }

  function anotherCould(
    { lane, parts }: WaitingMessage,
    { devices }: Head,
    device: HeldDevice,
  ): Promise<boolean> {
    const task = { parts, sim: devices.sim, tags: tagsOfLane(devices) }
    return once(others, `${device.id} ${lane} ${parts}`, () =>
      capacityStore(tx).otherCould(device, { now, day }, task),
    )
  }

  /** Whether a device with the tag of the route could be given the message now. */
  function firstCould(
    { lane, devices: { sim, via } }: Pick<Head, 'lane' | 'devices'>,
    { company_id, parts, avoid_device_id }: Pick<WaitingMessage, 'company_id' | 'parts' | 'avoid_device_id'>,
  ): Promise<boolean> {
    const but = avoid_device_id ?? 0
    return once(others, `first ${company_id} ${but} ${lane} ${parts}`, () =>
      capacityStore(tx).couldNow({ but, company_id, parts, sim, tag: via!, now, day }),
    )
  }

  /** Whether the devices with the tag of the route could take all of its first messages now. */
  function isReserved(lane: SharedLane): Promise<boolean> {
    const { company_id } = lane
    return once(others, `all ${company_id} ${lane.lane}`, async () => {
      if (!(await firstCould(lane, { company_id, parts: 1, avoid_device_id: null }))) return false
      for (const message of (await headOf(lane)).rows) if (!(await firstCould(lane, message))) return false
      return true
    })
  }

  return { take, moves: moves as readonly LaneMove[] }
}

const NONE: ReadonlySet<string> = new Set()
const NO_DEVICES = devicesOfLane(null)
/** Messages read first from a lane for some devices. */
const FEW = 8

/** The first messages of a lane. With `last`, more may follow that one. */
type Head = {
  lane: Lane | null
  devices: LaneDevices
  rows: WaitingMessage[]
  last: WaitingMessage | undefined
}
type SharedLane = { lane: Lane; company_id: number; devices: LaneDevices }
type SharedLanes = { first: Map<string, SharedLane[]>; open: SharedLane[] }

function whole(lane: Lane | null, rows: WaitingMessage[]): Head {
  return { lane, devices: NO_DEVICES, rows, last: undefined }
}

/** A task that is in another lane than it should be, such as one outside its hours. */
type LaneMove = { message: Pick<WaitingMessage, 'id' | 'company_id' | 'lane'>; place: Place }

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
