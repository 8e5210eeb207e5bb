import type { Logger } from 'pino'
import { type Loop, startLoop } from '#server/core/loop.ts'
import type { Database } from '#server/database/open.ts'
import { pieceStore } from './pieces.store.ts'
import { INDEXED, type Indexed } from './indexed.ts'
import { extend, trigramStore } from './trigrams.store.ts'

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

/** Updates the search indexes shortly after the messages are stored, so that no writer waits for it. */
export function startIndexing({ db, log }: { db: Database; log: Logger }): Loop {
  return startLoop({
    name: 'search index',
    every_ms: LOOK_MS,
    log,
    work: () => indexMore(db),
  })
}

type Indexing = Pick<Database, 'read' | 'writeInWorker' | 'inOwnSession'>

/**
 * Indexes some sent messages and some received SMS. Resolves to the wait in ms before the next step; `undefined` if a
 * full step is not left.
 */
export async function indexMore(db: Indexing): Promise<number | undefined> {
  let wait: number | undefined
  for (const table of INDEXED) {
    const after = await indexMoreOf(db, table)
    wait = wait === undefined ? after : Math.max(wait, after ?? 0)
  }
  return wait
}

async function indexMoreOf(db: Indexing, table: Indexed): Promise<number | undefined> {
  if (db.inOwnSession !== undefined) {
    if (!(await pieceStore(db.read, table).isBehind())) return undefined
    const more = () => db.inOwnSession!((tx) => pieceStore(tx, table).extend(STEP_ROWS))
    // The first call may only have found out how far the next one may go.
    return (await more()) > 0 || (await more()) > 0 ? PAUSE_MS : undefined
  }
  if (db.writeInWorker === undefined || !(await trigramStore(db.read, table).isBehind())) return undefined
  const began = performance.now()
  const { rows, held_up } = await db.writeInWorker(extend(table))
  // Each step delays the writers and invalidates their cache, so a few more messages do not justify another.
  if (rows[0]!.more === 0) return undefined
  return held_up ? YIELDS * (performance.now() - began) : PAUSE_MS
}
