import type { Logger } from 'pino'
import { type Loop, startLoop } from '#server/core/loop.ts'
import type { Database } from '#server/database/open.ts'
import { pieceStore } from './pieces.store.ts'
import { EXTEND, searchIndex } from './store.ts'

/** How far the index is behind, where that is less than a step; no pause is longer. */
const LOOK_MS = 200
/** Everybody else has the database for so long between two steps. */
const PAUSE_MS = 5
/**
 * After a step that held others up, they have it for so many times as long: while more is handed in than can be written
 * at once, the index falls behind, and catches up afterwards. What it has not got is looked through row by row.
 */
const YIELDS = 40

/** Messages that one transaction takes in on PostgreSQL, beside those who write. */
const STEP_ROWS = 800

/** Keeps the search index up with the messages, a little behind them: nobody who stores one waits for it. */
export function startIndexing({ db, log }: { db: Database; log: Logger }): Loop {
  return startLoop({
    name: 'search index',
    every_ms: LOOK_MS,
    log,
    work: () => indexMore(db),
  })
}

/** Takes some in; resolves to how long to wait, in ms, before the next step, where there is enough for one. */
export async function indexMore(
  db: Pick<Database, 'read' | 'writeAside' | 'apart'>,
): Promise<number | undefined> {
  if (db.apart !== undefined) {
    if (!(await pieceStore(db.read).isBehind())) return undefined
    const extend = () => db.apart!((tx) => pieceStore(tx).extend(STEP_ROWS))
    // The first may have done no more than see how far the next may go.
    return (await extend()) > 0 || (await extend()) > 0 ? PAUSE_MS : undefined
  }
  if (db.writeAside === undefined || !(await searchIndex(db.read).isBehind())) return undefined
  const began = performance.now()
  const { rows, held_up } = await db.writeAside(EXTEND)
  // Each step has the writers wait, and their cache read anew: a few messages more are no reason for the next.
  if (rows[0]!.more === 0) return undefined
  return held_up ? YIELDS * (performance.now() - began) : PAUSE_MS
}
