import type { Tx } from '#server/database/schema.ts'

/** The monthly partitions of messages and related rows on PostgreSQL; docs/storage.md has the drawing. */

/** Each with the column that determines a row's month. It contains the id of a message in all of them. */
export const partitioned = [
  { table: 'messages', key: 'id' },
  { table: 'outcomes', key: 'id' },
  { table: 'attempts', key: 'message_id' },
  { table: 'message_search', key: 'id' },
] as const

/** The ids of one month: enough for 3,800 messages a second all month. Further messages get ids of the next month. */
export const MONTH_IDS = 10_000_000_000

/** The first id of a month. Months are numbered consecutively, independent of the calendar. */
export function firstIdOf(month: number): number {
  return month * MONTH_IDS
}

export function partitionOf(table: string, month: number): string {
  return `${table}_${month}`
}

/** Creates the partitions of a month that has no rows yet. */
export async function makeMonth(tx: Tx, month: number): Promise<void> {
  for (const { table } of partitioned) {
    const name = partitionOf(table, month)
    await run(tx, `create table ${name} (like ${table} including defaults)`)
    await run(tx, firstIndexes[table]?.(name))
    await run(
      tx,
      `alter table ${table} attach partition ${name}
        for values from (${firstIdOf(month)}) to (${firstIdOf(month + 1)})`,
    )
  }
  await run(tx, `insert into months (number) values (${month})`)
}

/** A unique index over all partitions must contain the id, so each month has its own index of guids. */
const firstIndexes: Record<string, (partition: string) => string> = {
  messages: (partition) => `create unique index ${partition}_by_guid on ${partition} (company_id, guid)`,
}

/** Removes the partitions of a month with all their rows. */
export async function dropMonth(tx: Tx, month: number): Promise<void> {
  for (const { table } of partitioned) {
    const name = partitionOf(table, month)
    await run(tx, `alter table ${table} detach partition ${name}`)
    await run(tx, `drop table ${name}`)
  }
  await run(tx, `delete from months where number = ${month}`)
}

/**
 * Sets the id from which on messages belong to the last days, for statements that search those first. The planner
 * treats it as a constant, so a new value makes PostgreSQL plan these statements again.
 */
export async function setRecentFrom(tx: Tx, id: number): Promise<void> {
  await run(
    tx,
    `create or replace function recent_messages() returns bigint language sql immutable as 'select ${id}::bigint'`,
  )
}

async function run(tx: Tx, statement: string | undefined): Promise<void> {
  if (statement !== undefined) await tx.query(statement)
}
