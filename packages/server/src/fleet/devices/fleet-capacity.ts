import type { Now } from '#server/core/clock.ts'
import type { Tx } from '#server/database/schema.ts'
import { type FleetCapacity, fleetCapacities } from './fleet-capacity.store.ts'

export type { FleetCapacity }

/** The capacity of each of these companies' devices; with `some`, of those with that SIM and one of those tags. */
export async function capacityOfCompanies(
  tx: Tx,
  companies: readonly number[],
  at: Now,
  some: { sim?: string | undefined; of_tags?: readonly string[] | undefined } = {},
): Promise<(company_id: number) => FleetCapacity> {
  const rows = companies.length === 0 ? [] : await fleetCapacities(tx, companies, at, some)
  const byCompany = new Map(rows.map((row) => [row.company_id, row]))
  return (company_id) => byCompany.get(company_id) ?? NOBODY
}

/** The same for each of these SIMs or tags, counting the devices that have it. */
export async function capacityOfNamed(
  tx: Tx,
  companies: readonly number[],
  kind: 'sims' | 'tags',
  names: readonly string[],
  at: Now,
): Promise<(company_id: number, name: string) => FleetCapacity> {
  const rows = names.length === 0 ? [] : await fleetCapacities(tx, companies, at, { [kind]: names })
  const byName = new Map(rows.map((row) => [`${row.company_id} ${row.sim ?? row.tag}`, row]))
  return (company_id, name) => byName.get(`${company_id} ${name}`) ?? NOBODY
}

const NOBODY: FleetCapacity = {
  total: 0,
  connected: 0,
  enabled: 0,
  within: 0,
  planned: 0,
  trusted: 0,
  open: 0,
  maintained: 0,
  room: 0,
  most: 0,
  plan_room: 0,
  plan_renewal: null,
  uid: '',
  maintained_first: null,
  left_at: null,
  trusted_at: null,
  open_at: null,
}
