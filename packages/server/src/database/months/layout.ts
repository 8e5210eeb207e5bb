import type { Tx } from '#server/database/schema.ts'

/** How messages and what belongs to them lie in months on PostgreSQL: docs/storage.md has the drawing. */

/** Each with the column that says in which month a row is: the id of a message, in all of them. */
export const partitioned = [
  { table: 'messages', key: 'id' },
  { table: 'attempts', key: 'message_id' },
  { table: 'message_search', key: 'id' },
] as const

/** Ids of one month: 3,800 messages a second for all of it. What comes beyond them is in the next month's. */
export const MONTH_IDS = 10_000_000_000

/** The first id of a month. The months are numbered one after the other, whatever the calendar says. */
export function firstIdOf(month: number): number {
  return month * MONTH_IDS
}

export function partitionOf(table: string, month: number): string {
  return `${table}_${month}`
}

/** Makes the partitions of a month that nothing is in yet. */
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

/** A unique index of the whole would have to hold the id: of guids each month has its own. */
const firstIndexes: Record<string, (partition: string) => string> = {
  messages: (partition) => `create unique index ${partition}_by_guid on ${partition} (company_id, guid)`,
}

/** Removes the partitions of a month, with all that is in them. */
export async function dropMonth(tx: Tx, month: number): Promise<void> {
  for (const { table } of partitioned) {
    const name = partitionOf(table, month)
    await run(tx, `alter table ${table} detach partition ${name}`)
    await run(tx, `drop table ${name}`)
  }
  await run(tx, `delete from months where number = ${month}`)
}

/**
 * What is true of all rows of a month in which nothing is under way any more: statements that look for what is under way
 * leave such a month out when they are planned, as their words exclude it.
 */
export const settled = [
  { table: 'messages', rule: `step = 'finished' and lane is null and lane_until is null` },
  { table: 'attempts', rule: 'finished_at is not null' },
] as const

/**
 * From this id on are the messages of the last days, for statements that look among those first. A constant to who plans
 * a statement: another one makes them be planned anew.
 */
export async function sayRecent(tx: Tx, id: number): Promise<void> {
  await run(
    tx,
    `create or replace function recent_messages() returns bigint language sql immutable as 'select ${id}::bigint'`,
  )
}

async function run(tx: Tx, statement: string | undefined): Promise<void> {
  if (statement !== undefined) await tx.query(statement)
}
