import { settingsOf } from '#server/accounts/settings/settings.ts'
import { type Clock, HOUR_MS, instant, MINUTE_MS } from '#server/core/clock.ts'
import type { Caller } from '#server/core/context.ts'
import { Refusal } from '#server/core/refusal.ts'
import type { Live } from '#server/core/live.ts'
import type { Database } from '#server/database/open.ts'
import { giveOrder, type OrderedBy, type OrderListener } from '#server/fleet/orders/orders.ts'
import { readAmount } from './balance-pattern.ts'
import { requireSim } from './saving.ts'
import { queryOf } from './sims.ts'
import { type SimRow, simStore } from './store.ts'

type Needs = { db: Database; clock: Clock; live: Live; broker: Parameters<typeof giveOrder>[0]['broker'] }

/** An answer takes at most this long. */
const ANSWER_SECS = 120
/** How long after a device was away or busy it is asked again. */
const AGAIN_MS = 10 * MINUTE_MS

/** Asks the device of a SIM for its balance. `unknown_sim`, `no_balance_query`, `sim_away`, or as `giveOrder`. */
export async function askBalance(
  needs: Needs,
  caller: Caller,
  iccid: string,
  company_id: number = caller.company_id,
): Promise<{ order: number }> {
  await settingsOf(needs.db.read, caller.scope, company_id)
  return ask(needs, caller, await requireSim(needs.db.read, caller, company_id, iccid))
}

async function ask(needs: Needs, by: OrderedBy, sim: SimRow): Promise<{ order: number }> {
  const query = queryOf(sim)
  if (query === null)
    throw new Refusal('no_balance_query', `It is not set how to ask for the balance of the SIM ${sim.iccid}.`)
  if (sim.device_uid === null) throw new Refusal('sim_away', `No device names the SIM ${sim.iccid} any more.`)
  const { code } = query
  const order = { what: 'ussd', with: { code }, confirm: code, expires_in_secs: ANSWER_SECS } as const
  return giveOrder(needs, by, sim.device_uid, order, (tx, balance_order) =>
    simStore(tx, 'all').update(sim.id, { balance_order }),
  )
}

/** Stores the balance from the answer to such an order. An answer that does not fit the pattern changes nothing. */
export const noteBalance: OrderListener = async (tx, { id, device_id, what, at }, { ok, output }) => {
  if (what !== 'ussd') return []
  const sims = await simStore(tx, 'all').ofDevices([device_id])
  const sim = sims.find(({ balance_order }) => balance_order === id)
  if (sim === undefined) return []
  const query = queryOf(sim)
  const amount = query && ok && output ? readAmount(query.pattern, output) : undefined
  await simStore(tx, 'all').update(sim.id, {
    balance_order: null,
    ...(amount !== undefined && {
      balance_amount: amount,
      balance_currency: query!.currency,
      balance_at: at,
      credit_gone_at: null,
    }),
  })
  return amount === undefined ? [] : ['sims']
}

/** The server itself gives these orders. */
const NOBODY: OrderedBy = { name: null, address: null, scope: 'all' }

/** Asks for balances that are due. A device that is away or busy is asked again soon. */
export async function askDueBalances(needs: Needs): Promise<void> {
  const { db, clock } = needs
  const now_ms = clock.now()
  for (const sim of await simStore(db.read, 'all').due(instant(now_ms))) {
    const next = (await isAsked(needs, sim)) ? (queryOf(sim)?.every_hours ?? 1) * HOUR_MS : AGAIN_MS
    await db.write((tx) => simStore(tx, 'all').update(sim.id, { balance_due_at: instant(now_ms + next) }))
  }
}

/** False if it is worth trying again soon. */
async function isAsked(needs: Needs, sim: SimRow): Promise<boolean> {
  try {
    await ask(needs, NOBODY, sim)
    return true
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return !['device_disconnected', 'order_under_way', 'sim_away'].includes(error.code)
  }
}
