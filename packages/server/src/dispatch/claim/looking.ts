import type { Tx } from '#server/database/schema.ts'
import type { Candidates } from '#server/dispatch/candidates.ts'
import type { Lane } from '#server/dispatch/lanes/lane-names.ts'
import { lanesToServe } from '#server/fleet/devices/capacity.store.ts'
import { type CompanyLane, companyLane, LEAST_DEVICES, type openChoosing } from './choosing.ts'

/** The lanes of a company that have tasks, and those of them that have their turn. */
export type CompanyWork = {
  company_id: number
  lanes: readonly CompanyLane[]
  served: ReadonlyMap<Lane, number>
}

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

/** The devices that can probably be given something now. */
export async function lookAround(
  tx: Tx,
  { candidates, choosing }: { candidates: Candidates; choosing: ReturnType<typeof openChoosing> },
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
    const lanes = waiting.get(company_id)!.map(companyLane)
    const tasks = lanes.reduce((sum, lane) => sum + lane.waiting, 0)
    const limit = Math.min(each, Math.max(tasks, LEAST_DEVICES))
    const chosen = await choosing.choose(tx, company_id, lanes, { limit, now_ms })
    truncated ||= chosen.truncated
    companies.set(company_id, { company_id, lanes, served: chosen.served })
    for (const id of chosen.ids) company_of.set(id, company_id)
  }
  return {
    ids: [...company_of.keys()],
    company_of,
    companies,
    truncated,
    last_company: inTurn.length > COMPANIES ? served.at(-1)! : 0,
  }
}
