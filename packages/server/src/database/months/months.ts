import { postgresSql } from '@sdd/storage/sql.ts'
import type { Tx } from '#server/database/schema.ts'
import { firstIdOf, makeMonth, setRecentFrom } from './layout.ts'

/** Runs the work in a separate transaction. */
export type Transact = (work: (tx: Tx) => Promise<void>) => Promise<void>

export type Month = {
  number: number
  /** Ids from `from` (inclusive) to `below` (exclusive). */
  from: number
  below: number
  /** When the next month began. Nothing was stored in this one later. `undefined` if it has not ended. */
  ended_at: Date | undefined
  /** It has rows of many calendar months: those that were copied from another database. */
  mixed: boolean
}

/** Held shared to look for a guid and store it, and exclusively to begin a month (an arbitrary number). */
const TURN_LOCK = '6120438857'
/** Only one server at a time creates a month. */
const MAKING_LOCK = '6120438858'
/** Reports are nearly always about messages that are younger. Older ones are found by a second look-up. */
const RECENT = `interval '8 days'`

/**
 * Ensures that a month has begun and that the next one exists. Runs at the start of a server, and every minute. Ids
 * come from a sequence, which is set to the first id of the next month. So ids stay in order even if the clock is
 * wrong, and a month begins only after its tables were created and committed. `at` defaults to the database's own time.
 */
export async function ensureMonths(transact: Transact, at?: Date): Promise<void> {
  await transact(async (tx) => {
    if (await isAsItShouldBe(tx, at)) return
    await tx.rows(HOLD_TURN)
    await beginMonth(tx, at)
  })
  // The begun month is committed first, even if the next one cannot be created.
  await transact(async (tx) => {
    if ((await next(tx)) !== undefined) return
    await tx.rows(HOLD_MAKING)
    if ((await next(tx)) === undefined) await makeMonth(tx, (await current(tx, at)).number + 1)
  })
}

/**
 * Keeps a month from beginning until the commit. Within a month, an index keeps guids unique. Across months they are
 * unique because every writer first searches for its guid, and rows stored in the meantime are in the same month.
 */
export const STAY_IN_MONTH = `pg_advisory_xact_lock_shared(${TURN_LOCK})`

async function isAsItShouldBe(tx: Tx, at: Date | undefined): Promise<boolean> {
  const { over, short, recent, recent_stored } = await current(tx, at)
  return !over && !short && recent === recent_stored
}

async function beginMonth(tx: Tx, at: Date | undefined): Promise<void> {
  const { number, over } = await current(tx, at)
  const begun = over ? await next(tx) : undefined
  if (begun !== undefined) await tx.run(BEGIN, { begun, at: at?.toISOString() ?? null })
  // Never moves the sequence back. If a transaction moved it and was rolled back, it is not moved again.
  const first = firstIdOf(begun ?? number)
  await tx.rows(COUNT_FROM, { first })
  await setRecentFrom(tx, (await current(tx, at)).recent)
}

type Current = {
  number: number
  /** The calendar month has changed, or 90 % of the ids of this month are used. */
  over: boolean
  /** The id sequence is still below this month's range, because rows were copied here. */
  short: boolean
  /** The first id of the oldest month that statements about recent messages must read. */
  recent: number
  /** The value that `recent_messages()` returns now. */
  recent_stored: number
}

async function current(tx: Tx, at: Date | undefined): Promise<Current> {
  const { recent_month, ...row } = (await tx.first(CURRENT, { at: at?.toISOString() ?? null }))!
  return { ...row, recent: firstIdOf(recent_month) }
}

/** The number of the month that exists but has not begun. */
async function next(tx: Tx): Promise<number | undefined> {
  return (await tx.first(NEXT))?.number
}

/** The months that have begun, oldest first. */
export async function monthsOf(tx: Tx): Promise<Month[]> {
  const rows = await tx.rows(BEGUN)
  return rows.map(({ number, ended_at, mixed }) => ({
    number,
    mixed,
    from: firstIdOf(number),
    below: firstIdOf(number + 1),
    ended_at: ended_at ?? undefined,
  }))
}

/** Whether anything in a month is still under way. */
export async function isUnderWay(tx: Tx, { from, below }: Pick<Month, 'from' | 'below'>): Promise<boolean> {
  return (await tx.first(UNDER_WAY, { from, below })) !== undefined
}

/**
 * Call it after the rows of another database were copied here. Connection numbers continue after the copied ones, and
 * the month with all copied rows ends when the first server starts.
 */
export async function countOnAfterCopy(tx: Tx): Promise<void> {
  await tx.rows(NUMBER_ON)
  await tx.run(END_COPIED)
}

/** The tables of SQLite's search indexes. PostgreSQL has indexes of its own. */
export function isSearchTable(table: string): boolean {
  return /^(message|inbox)_search/.test(table)
}

const UNDER_WAY = postgresSql<unknown, { from: number; below: number }>`
  select 1 from queue where id >= :from and id < :below
  union all select 1 from in_flight where id >= :from and id < :below
  union all select 1 from attempts where message_id >= :from and message_id < :below
    and cancel_at is not null and finished_at is null limit 1`

const NUMBER_ON = postgresSql`
  select setval('device_connections', max(connection) + 1) from devices having count(*) > 0`

const END_COPIED = postgresSql`
  update months set began_at = '-infinity'
  where began_at is not null and exists (select 1 from messages)`

const HOLD_TURN = postgresSql`select pg_advisory_xact_lock(${TURN_LOCK})`
const HOLD_MAKING = postgresSql`select pg_advisory_xact_lock(${MAKING_LOCK})`

/** The time given by the caller, or the database's own. */
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
    recent_messages() as recent_stored
  from months, messages_ids where began_at is not null order by number desc limit 1`

const NEXT = postgresSql<{ number: number }>`
  select min(number) as number from months where began_at is null having min(number) is not null`

const BEGUN = postgresSql<{ number: number; ended_at: Date | null; mixed: boolean }>`
  select number, lead(began_at) over (order by number) as ended_at, began_at = '-infinity' as mixed
  from months where began_at is not null order by number`
