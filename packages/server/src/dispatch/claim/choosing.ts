import type { Candidates } from '#server/dispatch/candidates.ts'
import {
  ANY_DEVICE,
  devicesOfLane,
  EVERY_DEVICE,
  type Lane,
  type LaneDevices,
  tagsOfLane,
} from '#server/dispatch/lanes/lane-names.ts'
import type { Lanes } from '#server/database/task-tables.ts'
import type { Tx } from '#server/database/schema.ts'
import { capacityStore } from '#server/fleet/devices/capacity.store.ts'
import { tagGroup, openTaggedDevices } from './tagged-devices.ts'

/** Devices for a company with fewer tasks than this, since some devices may have no room left today. */
export const LEAST_DEVICES = 10

/** A lane with tasks. */
export type CompanyLane = { lane: Lane; devices: LaneDevices; waiting: number }

export type ChosenDevices = {
  ids: Iterable<number>
  /** The lanes whose devices were looked for, and how many were chosen. Others have their turn in the next claims. */
  served: ReadonlyMap<Lane, number>
  /** Whether a limit was reached, so that more devices may be free. */
  truncated: boolean
}

/**
 * Chooses free devices for the lanes of a company. Each lane gets as many as it has tasks, so a claim reads few lanes,
 * and lanes take turns. Those that may send only if no device of a route can come after the devices of that route.
 */
export function openChoosing(candidates: Candidates) {
  const tagged = openTaggedDevices(candidates)
  /** The last lane that had its turn, by company. */
  const turns = new Map<number, Lane>()

  async function choose(
    tx: Tx,
    company_id: number,
    lanes: readonly CompanyLane[],
    { limit, now_ms }: { limit: number; now_ms: number },
  ): Promise<ChosenDevices> {
    if (lanes.length === 1 && lanes[0]!.lane === ANY_DEVICE) {
      const ids = candidates.ofCompany(company_id, now_ms, limit)
      return { ids, served: new Map([[ANY_DEVICE, ids.length]]), truncated: ids.length === limit }
    }
    await tagged.group(tx, company_id, [...new Set(lanes.flatMap(({ devices }) => allTags(devices)))])
    const withSim = await devicesWithSims(tx, company_id, lanes)
    const ids = new Set<number>()
    const served = new Map<Lane, number>()

    function add({ sim, via, or }: LaneDevices, most: number): void {
      const wanted = ids.size + Math.min(most, limit - ids.size)
      const left = () => wanted - ids.size
      const addAll = (some: readonly number[]) => {
        for (const id of some) if (left() > 0) ids.add(id)
      }
      if (via === undefined && sim !== undefined) {
        const others = (withSim.get(sim) ?? []).filter((id) => !ids.has(id))
        return addAll(candidates.among(company_id, others, now_ms))
      }
      if (via !== undefined) addAll(candidates.ofGroup(tagGroup(company_id, via), now_ms, left(), ids))
      if (or !== undefined && or !== EVERY_DEVICE)
        addAll(candidates.ofGroup(tagGroup(company_id, or), now_ms, left(), ids))
      if (via === undefined || or === EVERY_DEVICE)
        addAll(candidates.ofCompany(company_id, now_ms, left(), ids))
    }

    const inTurn = rotated(lanes, turns.get(company_id))
    for (const { lane, devices, waiting } of inTurn) {
      if (ids.size >= limit) break
      const before = ids.size
      add(devices, waiting)
      served.set(lane, ids.size - before)
    }
    for (const { devices } of inTurn) if (ids.size < LEAST_DEVICES) add(devices, LEAST_DEVICES - ids.size)
    const isWhole = served.size === lanes.length
    if (isWhole) turns.delete(company_id)
    else turns.set(company_id, inTurn[served.size - 1]!.lane)
    return { ids, served, truncated: !isWhole || ids.size === limit }
  }

  return { choose, refresh: tagged.refresh }
}

export function companyLane({ lane, waiting }: Lanes): CompanyLane {
  return { lane: lane as Lane, devices: devicesOfLane(lane), waiting }
}

function allTags(devices: LaneDevices): readonly string[] {
  return devices.or === EVERY_DEVICE ? [devices.via!] : tagsOfLane(devices)
}

/** The devices of lanes that are only for a SIM. */
async function devicesWithSims(tx: Tx, company_id: number, lanes: readonly CompanyLane[]) {
  const sims = lanes.flatMap(({ devices: { via, sim } }) =>
    via === undefined && sim !== undefined ? [sim] : [],
  )
  if (sims.length === 0) return new Map<string, number[]>()
  const found = new Map<string, number[]>()
  for (const { device_id, number } of await capacityStore(tx).withSim(company_id, sims))
    found.getOrInsertComputed(number, () => []).push(device_id)
  return found
}

/** The lanes after `last`, then the others. */
function rotated(lanes: readonly CompanyLane[], last: Lane | undefined): CompanyLane[] {
  const sorted = lanes.toSorted((one, other) => (one.lane < other.lane ? -1 : 1))
  const from = last === undefined ? 0 : sorted.findIndex(({ lane }) => lane > last)
  return from <= 0 ? sorted : [...sorted.slice(from), ...sorted.slice(0, from)]
}
