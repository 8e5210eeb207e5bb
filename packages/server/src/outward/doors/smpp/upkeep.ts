import type { Logger } from 'pino'
import { type Clock, instant } from '#server/core/clock.ts'
import { type Loop, startLoop } from '#server/core/loop.ts'
import type { Replica } from '#server/core/replicas/replicas.ts'
import type { Database } from '#server/database/open.ts'
import { deliveryStore } from './deliveries.store.ts'
import { expireParts } from './parts.ts'
import { KEPT_MS } from './storing.ts'

type Needs = { db: Database; clock: Clock }

const LOOK_MS = 10_000
/** Rows to remove in one transaction, and the pause for other work after it. */
const STEP = 500
const PAUSE_MS = 50

/**
 * Removes parts of long SMS that programs did not complete in time, and receipts and received SMS that they did not
 * fetch, also while the door is closed. One of several servers does this.
 */
export function startSmppUpkeep({
  db,
  clock,
  log,
  replica,
}: Needs & { log: Logger; replica: Pick<Replica, 'leads'> }): Loop {
  return startLoop({
    name: 'smpp-upkeep',
    every_ms: LOOK_MS,
    log,
    async work() {
      if (!replica.leads()) return
      const isMore = (await expireParts({ db, clock })) || (await removeUnfetched({ db, clock }))
      return isMore ? PAUSE_MS : undefined
    },
  })
}

/** Resolves to whether more may be left. */
async function removeUnfetched({ db, clock }: Needs): Promise<boolean> {
  const before = instant(clock.now() - KEPT_MS)
  if (!(await deliveryStore(db.read).anyOld(before))) return false
  const removed = await db.write((tx) => deliveryStore(tx).removeOld(before, STEP))
  return removed === STEP
}
