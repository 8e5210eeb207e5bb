import type { Logger } from 'pino'
import { type Clock, instant } from '#server/core/clock.ts'
import { type Loop, startLoop } from '#server/core/loop.ts'
import type { Live } from '#server/core/live.ts'
import type { Replica } from '#server/core/replicas/replicas.ts'
import type { Database } from '#server/database/open.ts'
import { askDueBalances } from './balance.ts'
import { renewed } from './counting.ts'
import { planStore } from './plans.store.ts'
import { simStore } from './store.ts'

type Needs = { db: Database; clock: Clock; live: Live }
type Asking = Parameters<typeof askDueBalances>[0]

const LOOK_MS = 15_000
/** SIMs per transaction, and the pause for other work after it. */
const STEP = 100
const PAUSE_MS = 50

/** Begins the new periods of plans soon after they renew, and asks for balances. One of several servers does this. */
export function startSimUpkeep({
  log,
  replica,
  ...needs
}: Asking & { log: Logger; replica: Pick<Replica, 'leads'> }): Loop {
  return startLoop({
    name: 'sims',
    every_ms: LOOK_MS,
    log,
    async work() {
      if (!replica.leads()) return
      if (await renewPlans(needs)) return PAUSE_MS
      await askDueBalances(needs)
    },
  })
}

/** A hand-over renews the plan of its SIM, too: this is for those that had none. Returns true if there is more. */
export async function renewPlans({ db, clock, live }: Needs): Promise<boolean> {
  const now = instant(clock.now())
  if ((await planStore(db.read).over(now, 1)).length === 0) return false
  const renewing = await db.write(async (tx) => {
    const over = await planStore(tx).over(now, STEP)
    const companies = new Set<number>()
    for (const { id } of over) {
      const sim = await simStore(tx, 'all').hold(id)
      if (!sim || sim.renews_on_day === null) continue
      await simStore(tx, 'all').update(id, await renewed(tx, clock, sim))
      companies.add(sim.company_id)
    }
    return { more: over.length === STEP, companies }
  })
  for (const company_id of renewing.companies) live.changed(company_id, 'sims', 'devices')
  return renewing.more
}
