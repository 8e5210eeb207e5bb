import { postgresSql } from '@sdd/storage/sql.ts'
import type { Logger } from 'pino'
import { type Loop, startLoop } from '#server/core/loop.ts'
import type { Tx } from '#server/database/schema.ts'
import { Refusal } from '#server/core/refusal.ts'

type Needs = { read: Tx; apart: <T>(work: (tx: Tx) => Promise<T>) => Promise<T> }

const LOOK_MS = 1_000
/** From then on PostgreSQL's own counting is soon enough. */
const ENOUGH_ROWS = 1_000

/**
 * Has tables of a month counted as soon as they have rows. PostgreSQL plans by what it has counted, which autovacuum does
 * within a minute of the first rows. Until then it takes the indexes on a guid and on a number, say, for equally good, and
 * may go through all messages of the month to find each; and a statement that it has planned stays so until it has counted.
 */
export function startCounting({ log, ...needs }: Needs & { log: Pick<Logger, 'error'> }): Loop {
  return startLoop({ name: 'counting', every_ms: LOOK_MS, log, work: () => countYoung(needs).then(() => {}) })
}

/** Counts the tables that have few rows by the last count, and have grown since; returns their names. */
export async function countYoung({ read, apart }: Needs): Promise<string[]> {
  const rows = await read.rows(YOUNG, { enough: ENOUGH_ROWS })
  const names = rows.map(({ name }) => name)
  // What autovacuum is at is being counted.
  for (const name of names) await unlessBusy(() => apart((tx) => count(tx, name)))
  return names
}

/**
 * With a change of the table that changes nothing: at the commit that has all statements planned anew. Counting by itself
 * does so a moment before, and who plans within that moment would do so by the old figures, for good.
 */
async function count(tx: Tx, name: string): Promise<void> {
  await tx.query(`alter table ${name} alter column state set statistics -1`)
  await tx.query(`analyze ${name}`)
}

/** Does what can wait for the next look; false if it would have had to wait for somebody. */
export async function unlessBusy(work: () => Promise<void>): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    if (error instanceof Refusal && error.code === 'not_ready') return false
    throw error
  }
}

const YOUNG = postgresSql<{ name: string }, { enough: number }>`
  select relname as name from months, pg_class
  where pg_class.oid in (to_regclass('messages_' || number), to_regclass('attempts_' || number))
    and reltuples < :enough
    and pg_relation_size(pg_class.oid) > relpages * current_setting('block_size')::bigint
  order by relname`
