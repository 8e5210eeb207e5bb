import type { Tx } from '#server/database/schema.ts'
import {
  capacityStore,
  DEVICE_WINDOW,
  type HeldDevice,
  simsByDevice,
  tagsByDevice,
} from '#server/fleet/devices/capacity.store.ts'
import { freeCapacity } from '#server/fleet/devices/capacity.ts'
import { inMaintenance } from '#server/fleet/devices/maintenance.ts'
import {
  ANY_DEVICE,
  type Lane,
  type LaneDevices,
  NO_NAMES,
  serves,
} from '#server/dispatch/lanes/lane-names.ts'
import type { WaitingMessage } from '#server/dispatch/lanes/store.ts'
import type { CompanyWork } from './looking.ts'

/** A lane that several devices of a company may serve. `share` is how many devices were chosen for it. */
export type ServedLane = { lane: Lane; company_id: number; devices: LaneDevices; share: number }

/** A lane that devices may serve after those of a route, and one of its messages. */
type Behind = { lane: Lane | null; devices: Pick<LaneDevices, 'sim' | 'via'> }
type Asked = Pick<WaitingMessage, 'company_id' | 'parts' | 'avoid_device_id'>

/** The lanes of a company: for all its devices, by tag and SIM, and those that other devices may serve, too. */
type Lanes = {
  any: ServedLane[]
  first: Map<string, ServedLane[]>
  open: ServedLane[]
  inTurn: ServedLane[]
  asksSims: boolean
}

/**
 * Which lanes the devices of a round serve. All lanes for a device are read, so it takes the first message of all. Those
 * that it may only serve after others are among the lanes that have their turn.
 */
export function openServing(
  tx: Tx,
  { now, day }: { now: string; day: string },
  {
    held,
    headOf,
  }: {
    held: readonly HeldDevice[]
    headOf: (lane: ServedLane) => Promise<{ rows: readonly WaitingMessage[] }>
  },
) {
  const device_ids = held.map(({ id }) => id)
  const lanes = new Map<number, Lanes>()
  const open = new Map<number, Promise<{ free: ServedLane[]; reserved: ServedLane[] }>>()
  const could = new Map<string, Promise<boolean>>()
  let tags: Promise<Map<number, Set<string>>> | undefined
  let sims: Promise<Map<number, Set<string>>> | undefined
  let tagged: Promise<Map<string, HeldDevice[]>> | undefined

  async function tagsOf(id: number): Promise<ReadonlySet<string>> {
    return (await (tags ??= tagsByDevice(tx, device_ids))).get(id) ?? NO_NAMES
  }

  async function simsOf(id: number): Promise<ReadonlySet<string>> {
    return (await (sims ??= simsByDevice(tx, device_ids))).get(id) ?? NO_NAMES
  }

  /** Those that this device serves now. */
  async function lanesOf({ id }: HeldDevice, work: CompanyWork): Promise<ServedLane[]> {
    const { any, first, asksSims } = lanesIn(work)
    if (first.size === 0) return any
    const found = [...any]
    const its = { tags: await tagsOf(id), sims: asksSims ? await simsOf(id) : NO_NAMES }
    for (const name of its.tags)
      for (const lane of first.get(name) ?? []) if (serves(lane.devices, its)) found.push(lane)
    for (const name of its.sims) found.push(...(first.get(`sim ${name}`) ?? []))
    for (const lane of (await openOf(work)).free)
      if (!its.tags.has(lane.devices.via!) && serves(lane.devices, its)) found.push(lane)
    return found
  }

  /** Whether the device would serve a lane if no device of its route could. */
  async function hasReserved({
    device: { id },
    work,
    tasks,
  }: {
    device: HeldDevice
    work: CompanyWork | undefined
    tasks: number
  }): Promise<boolean> {
    if (work === undefined || tasks <= 0) return false
    const { reserved } = await openOf(work)
    if (reserved.length === 0) return false
    const its = { tags: await tagsOf(id), sims: await simsOf(id) }
    return reserved.some(({ devices }) => !its.tags.has(devices.via!) && serves(devices, its))
  }

  function lanesIn({ company_id, lanes: all, served }: CompanyWork): Lanes {
    return lanes.getOrInsertComputed(company_id, () => {
      const found: Lanes = { any: [], first: new Map(), open: [], inTurn: [], asksSims: false }
      for (const { lane, devices } of all) {
        const one = { lane, company_id, devices, share: served.get(lane) ?? 0 }
        found.asksSims ||= devices.sim !== undefined
        if (lane === ANY_DEVICE) found.any.push(one)
        else found.first.getOrInsertComputed(devices.via ?? `sim ${devices.sim}`, () => []).push(one)
        if (!served.has(lane)) continue
        found.inTurn.push(one)
        if (devices.or !== undefined) found.open.push(one)
      }
      return found
    })
  }

  /** The lanes that other devices may serve, by whether the devices of their route could take their first messages. */
  function openOf(work: CompanyWork): Promise<{ free: ServedLane[]; reserved: ServedLane[] }> {
    return open.getOrInsertComputed(work.company_id, async () => {
      const found: { free: ServedLane[]; reserved: ServedLane[] } = { free: [], reserved: [] }
      for (const lane of lanesIn(work).open)
        ((await isReserved(lane)) ? found.reserved : found.free).push(lane)
      return found
    })
  }

  async function isReserved(lane: ServedLane): Promise<boolean> {
    const { company_id } = lane
    if (!(await firstCould(lane, { company_id, parts: 1, avoid_device_id: null }))) return false
    for (const message of (await headOf(lane)).rows) if (!(await firstCould(lane, message))) return false
    return true
  }

  /** Whether a device with the tag of the route could be given the message now. */
  function firstCould(
    { lane, devices: { sim, via } }: Behind,
    { company_id, parts, avoid_device_id }: Asked,
  ): Promise<boolean> {
    const but = avoid_device_id ?? 0
    return could.getOrInsertComputed(`${company_id} ${but} ${lane} ${parts}`, async () => {
      // The devices that this round holds are mostly enough to know.
      for (const device of (await taggedDevices()).get(`${company_id} ${via}`) ?? []) {
        if (device.id === but || !couldTake(device, parts)) continue
        if (sim === undefined || (await simsOf(device.id)).has(sim)) return true
      }
      return capacityStore(tx).couldNow({ but, company_id, parts, sim, tag: via!, now, day })
    })
  }

  function taggedDevices(): Promise<Map<string, HeldDevice[]>> {
    return (tagged ??= (async () => {
      const found = new Map<string, HeldDevice[]>()
      for (const device of held)
        for (const tag of await tagsOf(device.id))
          found.getOrInsertComputed(`${device.company_id} ${tag}`, () => []).push(device)
      return found
    })())
  }

  /** What `couldNow` asks of a device. False if its plans decide, which the database knows. */
  function couldTake(device: HeldDevice, parts: number): boolean {
    const { names_sims, quarantined_until, unfinished, next_slot_at } = device
    return (
      names_sims === 0 &&
      unfinished < DEVICE_WINDOW &&
      next_slot_at <= now &&
      !inMaintenance(device, now) &&
      (quarantined_until === null || (quarantined_until <= now && unfinished === 0)) &&
      freeCapacity(device, day).parts >= parts
    )
  }

  return {
    lanesInTurn: (work: CompanyWork) => lanesIn(work).inTurn,
    lanesOf,
    hasReserved,
    firstCould,
    tagsOf,
    simsOf,
  }
}
