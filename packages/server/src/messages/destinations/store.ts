import { inList, isPostgres, isWriting, lastNineText, listValue, runText } from '#server/database/dialect.ts'
import { rowsOf, runMany } from '#server/database/direct.ts'
import type { Tx } from '#server/database/schema.ts'
import type { DestinationRows, RecipientCounts } from '#server/database/task-tables.ts'

export type Counted = Pick<RecipientCounts, 'number' | 'day' | 'count'>

export function destinationStore(tx: Tx, company_id: number) {
  return {
    /** Absent where nothing was ever saved. */
    find: () =>
      tx.selectFrom('destinations').selectAll().where('company_id', '=', company_id).executeTakeFirst(),

    put: ({ company_id: _, ...rest }: DestinationRows) =>
      tx
        .insertInto('destinations')
        .values({ company_id, ...rest })
        .onConflict((conflict) => conflict.column('company_id').doUpdateSet(rest))
        .execute(),
  }
}

/** The version of each company that restricts its destinations. */
export async function versionsOf(tx: Tx): Promise<Map<number, number>> {
  const rows = await tx
    .selectFrom('settings')
    .select(['company_id', 'destinations'])
    .where('destinations', '<>', 0)
    .execute()
  return new Map(rows.map(({ company_id, destinations }) => [company_id, destinations]))
}

/** How many messages a company's numbers were sent on their latest day. */
export function recipientCountStore(tx: Tx, company_id: number) {
  return {
    /** Those of these numbers that have a row. On PostgreSQL each gets one, and nobody else counts them before the commit. */
    hold: (numbers: readonly string[]): Promise<Counted[]> =>
      isWriting(tx)
        ? runText<Counted>(tx, HOLD, [company_id, numbers])
        : rowsOf<Counted>(tx, read(tx), [company_id, listValue(tx, numbers)]),

    async put(counts: readonly Counted[]): Promise<void> {
      if (!isPostgres(tx)) {
        const rows = counts.map(({ number, day, count }) => [company_id, number, day, count])
        return runMany(tx, PUT, rows)
      }
      const columns = (['number', 'day', 'count'] as const).map((name) => counts.map((row) => row[name]))
      await runText(tx, PUT_MANY, [company_id, ...columns])
    },

    /** What was counted before counts for nothing. */
    clear: () => tx.deleteFrom('recipient_counts').where('company_id', '=', company_id).execute(),

    /** How many messages to this number were queued since then, up to `most`. */
    async countQueued(number: string, since: string, most: number): Promise<number> {
      const [row] = await rowsOf<{ count: number }>(tx, queuedTo(tx), [
        company_id,
        number,
        number,
        since,
        most,
      ])
      return row!.count
    },
  }
}

const HOLD = `insert into recipient_counts (company_id, number, day, count)
  select cast(? as bigint), number, '', 0 from unnest(cast(? as text[])) as number order by number
  on conflict (company_id, number) do update set count = recipient_counts.count
  returning number, day, count`

const read = (tx: Tx) =>
  `select number, day, count from recipient_counts where company_id = ? and number ${inList(tx)}`

const ON_CONFLICT = `on conflict (company_id, number) do update set day = excluded.day, count = excluded.count`
const PUT = `insert into recipient_counts (company_id, number, day, count) values (?, ?, ?, ?) ${ON_CONFLICT}`
const PUT_MANY = `insert into recipient_counts (company_id, number, day, count)
  select cast(? as bigint), * from unnest(cast(? as text[]), cast(? as text[]), cast(? as bigint[])) ${ON_CONFLICT}`

/** By the index of numbers, which has their last nine digits. */
const queuedTo = (tx: Tx) => `select count(*) as count from (select 1 as one from messages
  where company_id = ? and ${lastNineText(tx, 'message_to')} = ${lastNineText(tx, 'cast(? as text)')}
    and message_to = ? and queue_timestamp >= ? limit ?) as queued`
