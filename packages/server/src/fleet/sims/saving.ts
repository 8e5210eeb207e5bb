import { asksOnly } from '@sdd/contract/fleet/orders.ts'
import type { Sim, SimChange } from '@sdd/contract/fleet/sims.ts'
import { differences, recordChange } from '#server/accounts/audit/audit.ts'
import { type Numbers, requireNumber } from '#server/accounts/settings/numbers.ts'
import { settingsOf } from '#server/accounts/settings/settings.ts'
import { type Clock, instant } from '#server/core/clock.ts'
import type { Caller } from '#server/core/context.ts'
import { unconfirmed } from '#server/core/field-faults.ts'
import { Refusal } from '#server/core/refusal.ts'
import type { Live } from '#server/core/live.ts'
import type { Database } from '#server/database/open.ts'
import type { Change, Tx } from '#server/database/schema.ts'
import type { Sims } from '#server/database/device-tables.ts'
import { holdCapacity } from '#server/fleet/devices/capacity.store.ts'
import { type NamingNeeds, noteSimsOf } from './naming.ts'
import { countAgain } from './plans.ts'
import { midnightOf } from './period.ts'
import { asSims, planOf, queryOf } from './sims.ts'
import { type SimRow, simStore } from './store.ts'

type Needs = {
  db: Database
  clock: Clock
  live: Live
  wake(): void
  numbers: Pick<Numbers, 'country' | 'kept'>
} & Pick<NamingNeeds, 'simsChanged'>

/** Changes a SIM of the caller's company, or of one that a superadmin names. `unknown_sim`, `invalid`. */
export async function saveSim(
  { db, clock, live, wake, numbers, simsChanged }: Needs,
  caller: Caller,
  iccid: string,
  change: SimChange,
  company_id: number = caller.company_id,
): Promise<Sim> {
  refuseUnconfirmed(change)
  const sim = await db.write(async (tx) => {
    await settingsOf(tx, caller.scope, company_id)
    const store = simStore(tx, caller.scope)
    const found = await requireSim(tx, caller, company_id, iccid)
    // Another server may have moved it to another device.
    const before = { ...found, ...(await store.hold(found.id)) }
    // While it is locked, no message of its device is handed over.
    if (before.device_id !== null) await holdCapacity(tx, [before.device_id])
    const columns = columnsOf(change, { numbers, clock }, company_id)
    await store.update(before.id, columns)
    const after: SimRow = { ...before, ...columns }
    if (change.plan !== undefined) await countAgain(tx, clock, after)
    if (change.balance_query !== undefined) await store.update(before.id, nextAsking(change, clock.now()))
    if (before.device_id !== null)
      await noteSimsOf(tx, { numbers, simsChanged }, { id: before.device_id, company_id })
    await recordChange(tx, clock, caller, {
      company_id,
      action: 'sim.changed',
      name: iccid,
      changes: differences(shown(before), shown(after)),
    })
    const [sim] = await asSims(tx, clock, [(await store.byIccid(company_id, iccid))!])
    return sim!
  })
  live.changed(company_id, 'sims', 'devices', 'audit')
  wake()
  return sim
}

/** A SIM that the company has seen, or `unknown_sim`. */
export async function requireSim(
  tx: Tx,
  { scope }: Caller,
  company_id: number,
  iccid: string,
): Promise<SimRow> {
  const row = await simStore(tx, scope).byIccid(company_id, iccid)
  if (row === undefined)
    throw new Refusal('unknown_sim', `No device has named a SIM ${JSON.stringify(iccid)}.`)
  return row
}

/** `confirm_required` if the code may do more than ask, and is not written twice. */
function refuseUnconfirmed({ balance_query: query }: SimChange): void {
  if (!query || asksOnly(query.code) || query.confirm === query.code) return
  throw unconfirmed('balance_query.confirm')
}

function columnsOf(
  { number, note, plan, balance_query: query }: SimChange,
  { numbers, clock }: Pick<Needs, 'numbers' | 'clock'>,
  company_id: number,
): Change<Sims> {
  const { confirm: _, ...kept } = query ?? {}
  return {
    ...(number !== undefined && {
      number: number === null ? null : requireNumber(numbers, company_id, number, 'number'),
    }),
    ...(note !== undefined && { note: note || null }),
    ...(plan !== undefined && { ...(plan ?? WITHOUT_PLAN), ends_at: endOf(clock, plan) }),
    ...(query !== undefined && { balance_query: query === null ? null : JSON.stringify(kept) }),
  }
}

const WITHOUT_PLAN = {
  parts_per_month: null,
  recipients_per_month: null,
  renews_on_day: null,
  valid_until: null,
} as const

/** When the last day of a plan is over. */
function endOf(clock: Clock, plan: SimChange['plan']): string | null {
  const last = plan?.valid_until ?? null
  return last === null ? null : instant(clock.midnightAfter(midnightOf(clock, last)))
}

/** A new query is asked at once, if it is asked by itself. */
function nextAsking({ balance_query: query }: SimChange, now_ms: number): Change<Sims> {
  return { balance_due_at: query?.every_hours ? instant(now_ms) : null }
}

/** The fields that a person can change, in the form of the API. */
function shown(row: SimRow) {
  const { number, note } = row
  return { number, note, plan: planOf(row), balance_query: queryOf(row) }
}
