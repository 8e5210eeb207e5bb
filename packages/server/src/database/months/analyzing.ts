import { postgresSql } from '@sdd/storage/sql.ts'
import type { Logger } from 'pino'
import { type Loop, startLoop } from '#server/core/loop.ts'
import type { Tx } from '#server/database/schema.ts'
import { Refusal } from '#server/core/refusal.ts'

type Needs = { read: Tx; inOwnSession: <T>(work: (tx: Tx) => Promise<T>) => Promise<T> }

const LOOK_MS = 1_000
/** From this size on, PostgreSQL's own analysis is soon enough. */
const ENOUGH_ROWS = 1_000

/**
 * Analyzes the tables of a month as soon as they have rows. PostgreSQL plans by statistics, which autovacuum collects
 * within a minute after the first rows. Until then it may consider the indexes on a guid and on a number equally good,
 * and scan all messages of the month for each look-up. A statement planned like that keeps its plan until the next
 * analysis.
 */
export function startAnalyzing({ log, ...needs }: Needs & { log: Pick<Logger, 'error'> }): Loop {
  return startLoop({
    name: 'analyzing',
    every_ms: LOOK_MS,
    log,
    work: () => analyzeYoung(needs).then(() => {}),
  })
}

/** Analyzes the tables that were small at the last analysis and have grown since. Returns their names. */
export async function analyzeYoung({ read, inOwnSession }: Needs): Promise<string[]> {
  const rows = await read.rows(YOUNG, { enough: ENOUGH_ROWS })
  // A table that autovacuum is working on is being analyzed already.
  for (const { name, key } of rows) await unlessBusy(() => inOwnSession((tx) => analyze(tx, name, key)))
  return rows.map(({ name }) => name)
}

/**
 * Changes the table without effect, so that the commit invalidates all plans. The analysis invalidates them too, but a
 * moment before its commit. A statement planned in that moment would keep the old statistics for good.
 */
async function analyze(tx: Tx, name: string, key: string): Promise<void> {
  await tx.query(`alter table ${name} alter column ${key} set statistics -1`)
  await tx.query(`analyze ${name}`)
}

/** Does work that can wait for the next check. Returns false if it would have had to wait for a lock. */
export async function unlessBusy(work: () => Promise<void>): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    if (error instanceof Refusal && error.code === 'not_ready') return false
    throw error
  }
}

/** In three steps, because PostgreSQL would look at the size of every table first. */
const YOUNG = postgresSql<{ name: string; key: string }, { enough: number }>`
  with of_months as materialized (
    select to_regclass(kind || '_' || number) as oid, key
    from months, (values ('messages', 'id'), ('outcomes', 'id'), ('attempts', 'message_id')) as kinds (kind, key)),
  small as materialized (
    select pg_class.oid, relname, relpages, key from of_months join pg_class on pg_class.oid = of_months.oid
    where reltuples < :enough)
  select relname as name, key from small
  where pg_relation_size(oid) > relpages * current_setting('block_size')::bigint
  order by relname`
