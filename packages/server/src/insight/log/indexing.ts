import type { Logger } from 'pino'
import { type Loop, startLoop } from '#server/core/loop.ts'
import type { Database } from '#server/database/open.ts'
import { pieceStore } from './pieces.store.ts'
import { EXTEND, searchIndex } from './store.ts'

/** The longest pause, and the index's delay if less than a full step is missing. */
const LOOK_MS = 200
/** The pause between two steps, for other users of the database. */
const PAUSE_MS = 5
/**
 * After a step that delayed other writers, the pause is this many times the step's duration. Under constant load the
 * index falls behind, and catches up later. Messages that it lacks are searched row by row.
 */
const YIELDS = 40

/** Messages to index in one transaction on PostgreSQL, in parallel with the writers. */
const STEP_ROWS = 800

/** Updates the search index shortly after the messages are stored, so that no writer waits for it. */
export function startIndexing({ db, log }: { db: Database; log: Logger }): Loop {
  return startLoop({
    name: 'search index',
    every_ms: LOOK_MS,
    log,
    work: () => indexMore(db),
  })
}

/** Indexes some messages. Resolves to the wait in ms before the next step; `undefined` if a full step is not left. */
export async function indexMore(
  db: Pick<Database, 'read' | 'writeInWorker' | 'inOwnSession'>,
): Promise<number | undefined> {
  if (db.inOwnSession !== undefined) {
    if (!(await pieceStore(db.read).isBehind())) return undefined
    const extend = () => db.inOwnSession!((tx) => pieceStore(tx).extend(STEP_ROWS))
    // The first call may only have found out how far the next one may go.
    return (await extend()) > 0 || (await extend()) > 0 ? PAUSE_MS : undefined
  }
  if (db.writeInWorker === undefined || !(await searchIndex(db.read).isBehind())) return undefined
  const began = performance.now()
  const { rows, held_up } = await db.writeInWorker(EXTEND)
  // Each step delays the writers and invalidates their cache, so a few more messages do not justify another.
  if (rows[0]!.more === 0) return undefined
  return held_up ? YIELDS * (performance.now() - began) : PAUSE_MS
}
