import type { NetworkSim } from '@sdd/contract/fleet/devices.ts'
import {
  type BalanceQuery,
  type DeviceSim,
  keptIccid,
  type Sim,
  type SimPlan,
  type SimUse,
} from '@sdd/contract/fleet/sims.ts'
import type { Numbers } from '#server/accounts/settings/numbers.ts'
import { type Clock, instant } from '#server/core/clock.ts'
import type { Scope } from '#server/core/context.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import { usesSince } from './history.ts'
import { shownNumber, stillIn } from './naming.ts'
import { periodOf } from './period.ts'
import { usedOfPlan } from './plans.ts'
import { type SimRow, simStore } from './store.ts'

type Needs = { db: Pick<Database, 'readInWorker'>; clock: Clock }

/** Without a plan the month is the calendar's. */
const FIRST_DAY = 1

/** The SIMs of the scope, by ICCID. */
export async function listSims({ db, clock }: Needs, scope: Scope): Promise<{ sims: Sim[] }> {
  const rows = await simStore(db.readInWorker, scope).list()
  return { sims: await asSims(db.readInWorker, clock, rows) }
}

/** The SIMs that a device names, by slot. */
export async function simsOfDevice(
  { db, clock, numbers }: Needs & { numbers: Pick<Numbers, 'kept'> },
  device: { id: number; uid: string; company_id: number },
  named: readonly NetworkSim[],
): Promise<DeviceSim[]> {
  const rows = await simStore(db.readInWorker, device).ofDevices([device.id])
  const sims = new Map((await asSims(db.readInWorker, clock, rows)).map((sim) => [sim.iccid, sim]))
  const unknown = { plan: null, balance: null, balance_query: null, note: null }
  const nothing = { parts: 0, recipients: 0, ...periodOf(clock, FIRST_DAY, clock.now()) }
  return stillIn(rows, named)
    .toSorted((a, b) => Number(a.slot) - Number(b.slot))
    .map(({ slot, iccid, phone_number, operator_name, carrier }) => {
      const known = sims.get(keptIccid(iccid ?? '') ?? '')
      if (known) return { ...known, slot }
      const { company_id, uid: device_uid } = device
      const number = shownNumber(numbers, company_id, phone_number)
      const said = { number, operator: operator_name ?? carrier }
      return { company_id, slot, iccid: null, ...said, device_uid, used: nothing, ...unknown }
    })
}

/** These rows as the API answers them. */
export async function asSims(tx: Tx, clock: Clock, rows: readonly SimRow[]): Promise<Sim[]> {
  const sims: Sim[] = []
  for (const row of rows) {
    const { company_id, iccid, operator, device_uid, note } = row
    sims.push({
      company_id,
      iccid,
      number: row.number ?? row.said_number,
      operator,
      device_uid,
      plan: planOf(row),
      used: await usedOf(tx, clock, row),
      balance: balanceOf(row),
      balance_query: queryOf(row),
      note,
    })
  }
  return sims
}

export function planOf(
  row: Pick<SimRow, 'parts_per_month' | 'recipients_per_month' | 'renews_on_day' | 'valid_until'>,
): SimPlan | null {
  const { parts_per_month, recipients_per_month, renews_on_day, valid_until } = row
  return renews_on_day === null ? null : { parts_per_month, recipients_per_month, renews_on_day, valid_until }
}

/** The count of its plan; without a plan, from the messages of this month. */
async function usedOf(tx: Tx, clock: Clock, row: SimRow): Promise<SimUse> {
  const period = periodOf(clock, row.renews_on_day ?? FIRST_DAY, clock.now())
  if (row.renews_on_day === null) {
    const { parts, recipients } = await usesSince(tx, row.id, period.since)
    return { parts, recipients: recipients.size, ...period }
  }
  return { ...usedOfPlan(row, instant(clock.now())), ...period }
}

function balanceOf(row: SimRow): Sim['balance'] {
  const { balance_amount: amount, balance_currency: currency, balance_at: asked_at } = row
  return amount === null || currency === null || asked_at === null ? null : { amount, currency, asked_at }
}

export function queryOf({ balance_query }: Pick<SimRow, 'balance_query'>): BalanceQuery | null {
  return JSON.parse(balance_query ?? 'null') as BalanceQuery | null
}
