import type { Now } from '#server/core/clock.ts'
import type { Tx } from '#server/database/schema.ts'
import { capacityStore, type HeldDevice } from '#server/fleet/devices/capacity.store.ts'
import type { RouteRules } from '#server/fleet/routes/deciding.ts'
import type { SimRooms } from '#server/fleet/sims/rooms.ts'
import { closedUntil } from '#server/messages/hours/closed.ts'
import {
  ANY_DEVICE,
  deviceOf,
  devicesOfLane,
  type Lane,
  type LaneDevices,
  NO_NAMES,
  tagsOfLane,
} from '#server/dispatch/lanes/lane-names.ts'
import { patientUntil } from '#server/dispatch/lanes/last-device.ts'
import { type LaneMove, laterLane } from '#server/dispatch/lanes/lanes.ts'
import { homePlace, otherPlace, type Place } from '#server/dispatch/lanes/routed.ts'
import { LANE_HEAD, OWN_HEAD, queueHeads, type WaitingMessage } from '#server/dispatch/lanes/store.ts'
import type { CompanyWork } from './looking.ts'
import { openServing, type ServedLane } from './serving.ts'

/** A device's turn to be given messages: its remaining room, and the messages that it has taken. */
export type Turn = {
  readonly device: HeldDevice
  /** The lanes of its company, if it may be given tasks. */
  readonly work: CompanyWork | undefined
  /** Room for messages and SMS parts; `tasks` is how many of the messages may be tasks that any device could take. */
  messages: number
  parts: number
  tasks: number
  readonly taken: { messages: number; own: number; parts: number }
}

/**
 * The heads of all queues that one round of the dispatcher reads. Each is read once. If one device takes a message from
 * a shared lane, the other devices no longer see it. At most `most` messages of each shared lane are read, and more only
 * behind messages that this device cannot take, though others may. `held` are all devices of the round, and `routes` are
 * those of their companies that have any.
 */
export function openQueues(
  tx: Tx,
  { now, now_ms, day }: Now,
  {
    most,
    held,
    routes,
    rooms,
  }: {
    most: number
    held: readonly HeldDevice[]
    routes: ReadonlyMap<number, RouteRules>
    rooms: Pick<SimRooms, 'choose' | 'lookUp'>
  },
) {
  const heads = new Map<string, Promise<Head>>()
  const others = new Map<string, Promise<boolean>>()
  const inTurn = new Map<number, Promise<unknown>>()
  const serving = openServing(tx, { now, day }, { held, headOf })
  const { tagsOf, simsOf, firstCould } = serving
  const moves: LaneMove[] = []
  /** What the present turn has met: a message that waits for its hours, or for devices that come first. */
  let closed = false
  let reserved = false
  /** How many messages it has met that no plan has room for. */
  let withoutPlan = 0

  /**
   * Takes the first message from the device's queues that it may be given and that fits. Without one, returns `held`
   * if some of them wait for their hours, `reserved` if the first devices of a route could take them now, `unplanned`
   * if a few wait for a plan to renew, `unfit` if others wait there, else `nothing`.
   */
  async function take(
    turn: Turn,
  ): Promise<WaitingMessage | 'held' | 'reserved' | 'unplanned' | 'unfit' | 'nothing'> {
    let empty = true
    closed = reserved = false
    withoutPlan = 0
    let found: { rows: WaitingMessage[]; index: number; message: WaitingMessage } | undefined
    for (const head of await queuesOf(turn)) {
      const { rows } = head
      const index = await firstThatFits(head, turn)
      empty &&= rows.length === 0
      const message = rows[index]
      if (message && (found === undefined || goesBefore(message, found.message)))
        found = { rows, index, message }
    }
    found?.rows.splice(found.index, 1)
    if (found) return found.message
    if (closed) return 'held'
    if (reserved || (await serving.hasReserved(turn))) return 'reserved'
    if (withoutPlan > 0 && withoutPlan <= FEW_WITHOUT_PLAN) return 'unplanned'
    return empty ? 'nothing' : 'unfit'
  }

  async function queuesOf({ device, work, tasks }: Turn): Promise<Head[]> {
    const { id, company_id, queued, sticky } = device
    const queues: Promise<Head>[] = []
    const store = queueHeads(tx, company_id, now)
    if (queued > 0)
      queues.push(
        heads.getOrInsertComputed(`own ${id}`, () =>
          openHead(null, OWN_HEAD, (limit, after) => store.ofDevice(id, limit, after)),
        ),
      )
    if (tasks > 0 && sticky > 0) {
      const own: Lane = `device:${id}`
      queues.push(
        heads.getOrInsertComputed(`${company_id} ${own}`, () =>
          openHead(own, OWN_HEAD, (limit, after) => store.ofLane(own, limit, after)),
        ),
      )
    }
    if (tasks > 0 && work !== undefined) {
      const [lanes] = await Promise.all([serving.lanesOf(device, work), readInTurn(work)])
      queues.push(...lanes.map(headOf))
    }
    return Promise.all(queues)
  }

  /** Reads all lanes that have their turn. PostgreSQL answers them together. */
  function readInTurn(work: CompanyWork): Promise<unknown> {
    return inTurn.getOrInsertComputed(work.company_id, () =>
      Promise.all(serving.lanesInTurn(work).map(headOf)),
    )
  }

  /** The first rows of a lane. There may be many lanes for some devices, and each has few devices in this round. */
  function headOf({ lane, company_id, devices, share }: ServedLane): Promise<Head> {
    const store = queueHeads(tx, company_id, now)
    const some = lane !== ANY_DEVICE
    return heads.getOrInsertComputed(`${company_id} ${lane}`, async () => ({
      ...(await openHead(lane, some ? Math.max(FEW, share) : most, (limit, after) =>
        store.ofLane(lane, limit, after),
      )),
      devices,
      usual: some ? FEW + most : most,
    }))
  }

  async function firstThatFits(head: Head, { device, parts }: Turn): Promise<number> {
    const { rows, devices } = head
    if (parts <= head.longer_than) return -1
    const rules = routes.get(device.company_id)
    const namesSims = device.names_sims === 1
    if (namesSims) await rooms.lookUp(device.id, rows)
    let [readsOn, areLong] = [false, true]
    const none = () => {
      if (areLong) head.longer_than = parts
      return -1
    }
    for (let index = 0; ; index++) {
      if (index === rows.length) {
        const most = readsOn ? MOST_PASSED_OVER : head.usual
        if (head.last === undefined || head.read >= most) return none()
        await readOn(head, head.read < head.usual ? head.usual : most)
        if (index === rows.length) return none()
        if (namesSims) await rooms.lookUp(device.id, rows.slice(index))
      }
      const message = rows[index]!
      const until_ms = closedUntil(device, message, now_ms)
      if (until_ms !== undefined) closed = true
      // A message for one device stays in its queue. A lane must not be blocked for other recipients.
      if (until_ms !== undefined && message.lane === null) {
        readsOn = true
        areLong = false
        continue
      }
      const elsewhere =
        until_ms !== undefined ? laterLane(until_ms) : await movedBy(message, { head, rules, id: device.id })
      if (elsewhere !== undefined) {
        moves.push({ message, place: elsewhere })
        rows.splice(index--, 1)
        continue
      }
      if (message.parts > parts) {
        readsOn = true
        continue
      }
      areLong = false
      if (!(await hasSimFor(message, device))) continue
      if (namesSims && (await rooms.choose(device.id, message)) === undefined) {
        readsOn = true
        withoutPlan++
        // Another device may have room for it.
        if (deviceOf(message.lane) !== undefined) {
          const ready_ms = Date.parse(message.due_at)
          moves.push({ message, place: homePlace(message, rules, { ready_ms, now_ms }) })
          rows.splice(index--, 1)
        }
        continue
      }
      // It failed on this device, so another one takes it if possible.
      if (message.avoid_device_id === device.id && (await anotherCould(message, head, device))) {
        readsOn = true
        continue
      }
      if (devices.or !== undefined && !(await tagsOf(device.id)).has(devices.via!)) {
        if (await firstCould(head, message)) {
          reserved = true
          continue
        }
      }
      return index
    }
  }

  /** Where the company's present routes want a message that was stored before they were saved, or waits for a device. */
  async function movedBy(
    message: WaitingMessage,
    { head, rules, id }: { head: Head; rules: RouteRules | undefined; id: number },
  ): Promise<Place | undefined> {
    const { lane, via } = message
    if (lane === null || via !== null) return undefined
    const isOwn = deviceOf(lane) !== undefined
    // The device may have lost its tag since then.
    const mayDiffer =
      rules === undefined ? head.devices.via !== undefined : isOwn || message.id <= rules.since_message
    if (!mayDiffer) return undefined
    return otherPlace(message, rules, now_ms, isOwn ? await tagsOf(id) : NO_NAMES)
  }

  /** A task in the device's own lane may ask for a SIM that the device no longer has. */
  async function hasSimFor({ lane, from_number }: WaitingMessage, { id }: HeldDevice): Promise<boolean> {
    if (from_number === null || deviceOf(lane) === undefined) return true
    return (await simsOf(id)).has(from_number)
  }

  /** A full window soon has room, unless its device does not get its messages out. So it is not waited for too long. */
  function anotherCould(message: WaitingMessage, { devices }: Head, device: HeldDevice): Promise<boolean> {
    const { lane, parts } = message
    const free = now_ms >= patientUntil(message, Date.parse(message.due_at))
    const task = { parts, sim: devices.sim, tags: tagsOfLane(devices), free }
    return others.getOrInsertComputed(`${device.id} ${lane} ${parts} ${free}`, () =>
      capacityStore(tx).otherCould(device, { now, day }, task),
    )
  }

  return { take, moves: moves as readonly LaneMove[] }
}

const NO_DEVICES = devicesOfLane(null)
/** Messages read first from a lane for some devices. */
const FEW = 8
/** So many messages that wait for a plan are soon looked at again. */
const FEW_WITHOUT_PLAN = 20
/** Messages of one queue that a round reads at most, if the first are not for the device that looks. */
export const MOST_PASSED_OVER = 1_000

/**
 * The first messages of a lane. With `last`, more may follow that one. `read` of them were read, and up to `usual` are
 * read whatever holds them up. All of them have more SMS parts than `longer_than`.
 */
type Head = {
  lane: Lane | null
  devices: LaneDevices
  rows: WaitingMessage[]
  last: WaitingMessage | undefined
  read: number
  usual: number
  longer_than: number
  more: (limit: number, after?: WaitingMessage) => Promise<WaitingMessage[]>
}
async function openHead(lane: Lane | null, usual: number, more: Head['more']): Promise<Head> {
  const head: Head = {
    lane,
    devices: NO_DEVICES,
    rows: [],
    last: undefined,
    read: 0,
    usual,
    longer_than: 0,
    more,
  }
  await readOn(head, usual)
  return head
}

/** Reads the next messages, at most a page, so that `most` were read. */
async function readOn(head: Head, most: number): Promise<void> {
  const limit = Math.min(most - head.read, LANE_HEAD)
  const rows = await head.more(limit, head.last)
  head.rows.push(...rows)
  head.read += rows.length
  head.last = rows.length === limit ? rows.at(-1) : undefined
}

function goesBefore(one: WaitingMessage, other: WaitingMessage): boolean {
  return one.priority === other.priority ? one.id < other.id : one.priority < other.priority
}
