import { postgresSql } from '@sdd/storage/sql.ts'
import type { Tx } from '#server/database/schema.ts'
import { firstIdOf, makeMonth, partitionOf, sayRecent, settled } from './layout.ts'

/** Runs a work in a transaction of its own. */
export type Transact = (work: (tx: Tx) => Promise<void>) => Promise<void>

export type Month = {
  number: number
  /** Ids from here to below there. */
  from: number
  below: number
  /** When the next one began: nothing in this one was stored later. `undefined` where it has not ended. */
  ended_at: Date | undefined
  /** It has rows of many months: those that were there before there were any. */
  mixed: boolean
  /** Nothing in it was under way when last looked, and nothing can be again. */
  settled: boolean
}

/** Shared by who looks for a guid and stores it, had alone by who begins a month (an arbitrary number). */
const TURN_LOCK = '6120438857'
/** Of several servers one makes a month at a time. */
const MAKING_LOCK = '6120438858'
/** Further back than any look among recent messages goes: replies count for a week. */
const RECENT = `interval '8 days'`

/**
 * Sees to it that a month has begun and that the next is there to begin: at the start of a server, and every minute. Ids
 * come from a sequence, which is set to the first of the next month; they follow one another whatever the clock says, and
 * there is nothing to begin that was not made, and committed, before. `at` is the database's own time where absent.
 */
export async function keepMonths(transact: Transact, at?: Date): Promise<void> {
  await transact(async (tx) => {
    if (await isAsItShouldBe(tx, at)) return
    await tx.rows(HOLD_TURN)
    await beginMonth(tx, at)
  })
  // What has begun is committed first, whatever keeps the next one from being made.
  await transact(async (tx) => {
    if ((await next(tx)) !== undefined) return
    await tx.rows(HOLD_MAKING)
    if ((await next(tx)) === undefined) await makeMonth(tx, (await current(tx, at)).number + 1)
  })
}

/**
 * Until the commit no month begins: guids are unique in each month by an index, and in all of them because who stores one
 * has looked for it, and what is stored meanwhile is stored in the same month.
 */
export const STAY_IN_MONTH = `pg_advisory_xact_lock_shared(${TURN_LOCK})`

async function isAsItShouldBe(tx: Tx, at: Date | undefined): Promise<boolean> {
  const { over, short, recent, recent_said } = await current(tx, at)
  return !over && !short && recent === recent_said
}

async function beginMonth(tx: Tx, at: Date | undefined): Promise<void> {
  const { number, over } = await current(tx, at)
  const begun = over ? await next(tx) : undefined
  if (begun !== undefined) await tx.run(BEGIN, { begun, at: at?.toISOString() ?? null })
  // Never back, and not a second time where the transaction that did it was undone.
  const first = firstIdOf(begun ?? number)
  await tx.rows(COUNT_FROM, { first })
  await sayRecent(tx, (await current(tx, at)).recent)
}

type Current = {
  number: number
  /** It is another month by now, or hardly any ids are left in this one. */
  over: boolean
  /** Ids are still those of an earlier month: rows were copied here. */
  short: boolean
  /** The first id of the month in which the oldest of the recent messages are, and what statements take for it. */
  recent: number
  recent_said: number
}

async function current(tx: Tx, at: Date | undefined): Promise<Current> {
  const { recent_month, ...row } = (await tx.first(CURRENT, { at: at?.toISOString() ?? null }))!
  return { ...row, recent: firstIdOf(recent_month) }
}

/** The number of the month that is there to begin. */
async function next(tx: Tx): Promise<number | undefined> {
  return (await tx.first(NEXT))?.number
}

/** Those that have begun, the oldest first. */
export async function monthsOf(tx: Tx): Promise<Month[]> {
  const rows = await tx.rows(BEGUN)
  return rows.map(({ number, ended_at, mixed, settled }) => ({
    number,
    mixed,
    from: firstIdOf(number),
    below: firstIdOf(number + 1),
    ended_at: ended_at ?? undefined,
    settled,
  }))
}

/** Whether anything in a month is under way yet. */
export async function isUnderWay(tx: Tx, month: number): Promise<boolean> {
  for (const { table, open } of underWay) {
    const rows = await tx.query(`select 1 from ${partitionOf(table, month)} where ${open} limit 1`)
    if (rows.length > 0) return true
  }
  return false
}

/** To the letter as the indexes have it. */
const underWay = [
  { table: 'messages', open: `step <> 'finished'` },
  { table: 'messages', open: 'lane is not null' },
  { table: 'messages', open: 'lane_until is not null' },
  { table: 'attempts', open: 'finished_at is null' },
]

/**
 * Writes down of a month that has ended, and in which nothing is under way, that it is so. Each row is looked at once,
 * while nobody has to wait for it.
 */
export async function settleMonth(transact: Transact, month: number): Promise<void> {
  await transact(async (tx) => {
    for (const { table, rule } of settled) {
      const name = partitionOf(table, month)
      await tx.query(`alter table ${name} drop constraint if exists settled`)
      await tx.query(`alter table ${name} add constraint settled check (${rule}) not valid`)
    }
  })
  await transact(async (tx) => {
    for (const { table } of settled)
      await tx.query(`alter table ${partitionOf(table, month)} validate constraint settled`)
    await tx.run(SETTLE, { month })
  })
}

/**
 * After the rows of another database were copied here: connections are numbered on, and the month that has them all
 * ends when the first server starts.
 */
export async function countOnAfterCopy(tx: Tx): Promise<void> {
  await tx.rows(NUMBER_ON)
  await tx.run(END_COPIED)
}

/** The tables of SQLite's search index: PostgreSQL has an index of its own. */
export function isSearchTable(table: string): boolean {
  return table.startsWith('message_search')
}

const NUMBER_ON = postgresSql`
  select setval('device_connections', max(connection) + 1) from devices having count(*) > 0`

const END_COPIED = postgresSql`
  update months set began_at = '-infinity'
  where began_at is not null and exists (select 1 from messages)`

const HOLD_TURN = postgresSql`select pg_advisory_xact_lock(${TURN_LOCK})`
const HOLD_MAKING = postgresSql`select pg_advisory_xact_lock(${MAKING_LOCK})`

/** The time that a caller names, or the database's own. */
const NOW = 'coalesce(cast(:at as timestamptz), now())'

const BEGIN = postgresSql<never, { begun: number; at: string | null }>`
  update months set began_at = ${NOW} where number = :begun`

const COUNT_FROM = postgresSql<unknown, { first: number }>`
  select setval('messages_ids', :first, false) from messages_ids where last_value < :first`

const CURRENT = postgresSql<Omit<Current, 'recent'> & { recent_month: number }, { at: string | null }>`
  select number,
    date_trunc('month', began_at at time zone 'utc') <> date_trunc('month', ${NOW} at time zone 'utc')
      or last_value > (number + 0.9) * ${String(firstIdOf(1))} as over,
    last_value < number * ${String(firstIdOf(1))} as short,
    coalesce((select max(number) from months where began_at <= ${NOW} - ${RECENT}),
      (select min(number) from months)) as recent_month,
    recent_messages() as recent_said
  from months, messages_ids where began_at is not null order by number desc limit 1`

const NEXT = postgresSql<{ number: number }>`
  select min(number) as number from months where began_at is null having min(number) is not null`

const BEGUN = postgresSql<{ number: number; ended_at: Date | null; mixed: boolean; settled: boolean }>`
  select number, lead(began_at) over (order by number) as ended_at, began_at = '-infinity' as mixed, settled
  from months where began_at is not null order by number`

const SETTLE = postgresSql<never, { month: number }>`update months set settled = true where number = :month`
