import type { Tx } from '#server/database/schema.ts'
import type { Candidates } from '#server/dispatch/candidates.ts'
import { devicesOfLane, EVERY_DEVICE, tagsOfLane } from '#server/dispatch/lanes/lane-names.ts'
import { capacityStore, lanesToServe } from '#server/fleet/devices/capacity.store.ts'
import type { openTaggedDevices } from './tagged-devices.ts'

/** The tasks of a company that any of its devices, or those with a SIM or a tag, may take. */
export type CompanyWork = { company_id: number; any: 0 | 1; some: 0 | 1 }

export type Looked = {
  /** The devices to look at. */
  ids: number[]
  company_of: Map<number, number>
  companies: Map<number, CompanyWork>
  /** Whether a limit was reached, so that more devices may be free. */
  truncated: boolean
  /** The last company that had its turn; 0 if no other is waiting for one. */
  last_company: number
}

/** Devices per round, and companies whose tasks a round gives out. This limits how long one transaction takes. */
const DEVICES = 100
const COMPANIES = 10
/** Devices for a company with fewer tasks than this, since some devices may have no room left today. */
export const LEAST_DEVICES = 10

/** The devices that can probably be given something now. */
export async function lookAround(
  tx: Tx,
  {
    candidates,
    taggedDevices,
  }: { candidates: Candidates; taggedDevices: ReturnType<typeof openTaggedDevices> },
  { now_ms, after_company }: { now_ms: number; after_company: number },
): Promise<Looked> {
  const company_of = new Map(candidates.awaited(now_ms, DEVICES))
  let truncated = company_of.size === DEVICES
  const waiting = Map.groupBy(await lanesToServe(tx), ({ company_id }) => company_id)
  const inTurn = [...waiting.keys()].filter((company_id) => candidates.has(company_id, now_ms))
  inTurn.sort((one, other) => Number(one <= after_company) - Number(other <= after_company) || one - other)
  const served = inTurn.slice(0, COMPANIES)
  truncated ||= inTurn.length > COMPANIES
  const each = Math.ceil(DEVICES / Math.max(1, served.length))
  const companies = new Map<number, CompanyWork>()
  for (const company_id of served) {
    const lanes = waiting.get(company_id)!
    const tasks = lanes.reduce((sum, { waiting }) => sum + waiting, 0)
    const limit = Math.min(each, Math.max(tasks, LEAST_DEVICES))
    const any = lanes.some(({ lane }) => lane === '')
    const some = lanes.flatMap(({ lane }) => (lane === '' ? [] : [devicesOfLane(lane)]))
    // Without their first devices, a claim could only look at others that must not take the tasks of a route yet.
    const open = some.flatMap(({ via, or }) => (via !== undefined && or === EVERY_DEVICE ? [via] : []))
    const first =
      open.length === 0
        ? []
        : candidates.ofCompany(company_id, now_ms, limit, await taggedDevices(tx, company_id, open))
    const wanted =
      any || open.length > 0 ? undefined : await taggedDevices(tx, company_id, some.flatMap(tagsOfLane))
    const sims = some.flatMap(({ via, sim }) => (via === undefined && sim !== undefined ? [sim] : []))
    if (wanted && sims.length > 0)
      for (const id of await capacityStore(tx).withSim(company_id, sims)) wanted.add(id)
    const free = candidates.ofCompany(company_id, now_ms, limit, wanted)
    truncated ||= free.length === limit
    companies.set(company_id, { company_id, any: any ? 1 : 0, some: some.length > 0 ? 1 : 0 })
    for (const id of [...new Set([...first, ...free])].slice(0, limit)) company_of.set(id, company_id)
  }
  return {
    ids: [...company_of.keys()],
    company_of,
    companies,
    truncated,
    last_company: inTurn.length > COMPANIES ? served.at(-1)! : 0,
  }
}
