import type { Logger } from 'pino'
import { type Loop, startLoop } from '#server/core/loop.ts'
import type { Database } from '#server/database/open.ts'
import { searchIndex } from './store.ts'

/** How far the index is behind when nothing else is to be done. */
const LOOK_MS = 500
/** One transaction takes in so many: a few milliseconds. */
const STEP_ROWS = 200
/** Everybody else has the database for so long between two steps. */
const PAUSE_MS = 5

/** Keeps the search index up with the messages, a little behind them: nobody who stores one waits for it. */
export function startIndexing({ db, log }: { db: Database; log: Logger }): Loop {
  return startLoop({
    name: 'search index',
    every_ms: LOOK_MS,
    log,
    work: async () => ((await indexMore(db)) ? PAUSE_MS : undefined),
  })
}

/** True where there is probably more. */
export async function indexMore(db: Database): Promise<boolean> {
  if (!searchIndex(db.read).exists()) return false
  if (!(await searchIndex(db.read).isBehind())) return false
  return (await db.write((tx) => searchIndex(tx).extend(STEP_ROWS))) === STEP_ROWS
}
