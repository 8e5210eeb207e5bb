import { sql } from 'kysely'
import type { Logger } from 'pino'
import { type Loop, startLoop } from '#server/core/loop.ts'
import type { Tx } from '#server/database/schema.ts'
import { unlessBusy } from '../../../../storage/src/postgres/apart.ts'

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
  const { rows } = await sql<{ name: string }>`select relname as name
    from months, pg_class
    where pg_class.oid in (to_regclass('messages_' || number), to_regclass('attempts_' || number))
      and reltuples < ${ENOUGH_ROWS}
      and pg_relation_size(pg_class.oid) > relpages * current_setting('block_size')::bigint
    order by relname`.execute(read)
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
  await sql`alter table ${sql.table(name)} alter column state set statistics -1`.execute(tx)
  await sql`analyze ${sql.table(name)}`.execute(tx)
}
