import type { Tx } from '#server/database/schema.ts'
import { standings } from './readiness/store.ts'

/** How many of some devices could take a task: each number counts those of the one before it. */
export type Standing = {
  total: number
  connected: number
  enabled: number
  /** Below their daily limit. */
  within: number
  /** Not in quarantine. */
  trusted: number
  /** With room in their window. */
  open: number
  /** The most SMS parts that one of those within may send today, and one of those enabled a day. */
  room: number
  most: number
  /** The name of one of them all. */
  uid: string
  /** When the last of those offline went. */
  left_at: string | null
  /** When the first quarantine of those within ends. */
  trusted_at: string | null
  /** When the first slot of those open opens. */
  open_at: string | null
}

type At = { now: string; day: string }

/** Of the devices of each of these companies. */
export async function standingOf(
  tx: Tx,
  companies: readonly number[],
  at: At,
): Promise<(company_id: number) => Standing> {
  const rows = companies.length === 0 ? [] : await standings(tx, companies, at)
  const byCompany = new Map(rows.map((row) => [row.company_id, row]))
  return (company_id) => byCompany.get(company_id) ?? NOBODY
}

/** Of those of their devices that have each of these SIMs. */
export async function standingOfSims(
  tx: Tx,
  companies: readonly number[],
  sims: readonly string[],
  at: At,
): Promise<(company_id: number, sim: string) => Standing> {
  const rows = sims.length === 0 ? [] : await standings(tx, companies, at, sims)
  const bySim = new Map(rows.map((row) => [`${row.company_id} ${row.sim}`, row]))
  return (company_id, sim) => bySim.get(`${company_id} ${sim}`) ?? NOBODY
}

const NOBODY: Standing = {
  total: 0,
  connected: 0,
  enabled: 0,
  within: 0,
  trusted: 0,
  open: 0,
  room: 0,
  most: 0,
  uid: '',
  left_at: null,
  trusted_at: null,
  open_at: null,
}
