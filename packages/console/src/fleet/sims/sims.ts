import {
  askBalance,
  BalanceQuery,
  type DeviceSim,
  saveSim,
  type SimChange,
} from '@sdd/contract/fleet/sims.ts'
import type * as z from 'zod/mini'
import { callApi } from '#console/core/api.ts'

/** A SIM that is known by its ICCID. */
export type KnownSim = DeviceSim & { iccid: string }

export function isKnown(sim: DeviceSim): sim is KnownSim {
  return sim.iccid !== null
}

export function changeSim({ iccid, company_id }: KnownSim, body: z.input<typeof SimChange>) {
  return callApi(saveSim, { params: { iccid }, query: { company: String(company_id) }, body })
}

/** Resolves to the order's id. */
export function askForBalance({ iccid, company_id }: KnownSim): Promise<number> {
  return callApi(askBalance, { params: { iccid }, query: { company: String(company_id) } }).then(
    ({ order }) => order,
  )
}

/** From this share of a limit on, and from so many days before the end, a SIM needs attention. */
const NEAR = 0.8
const NEAR_DAYS = 10

export function isNear(used: number, most: number): boolean {
  return used >= most * NEAR
}

/** How many days a SIM is still valid after today; negative once it is over. */
export function daysUntil(day: string, now = new Date()): number {
  const today = Date.UTC(now.getFullYear(), now.getMonth(), now.getDate())
  return Math.round((Date.parse(`${day}T00:00:00Z`) - today) / 86_400_000)
}

export function endsSoon(days: number): boolean {
  return days <= NEAR_DAYS
}

export function isPattern(pattern: string): boolean {
  return BalanceQuery.shape.pattern.safeParse(pattern).success
}
