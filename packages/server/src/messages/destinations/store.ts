import { limit, perEngine, sql } from '@sdd/storage/sql.ts'
import type { Tx } from '#server/database/schema.ts'
import type { DestinationRows, RecipientCounts } from '#server/database/task-tables.ts'

export function destinationStore(tx: Tx, company_id: number) {
  return {
    /** `undefined` if nothing was ever saved. */
    find: () => tx.first(FIND, { company_id }),

    put: ({ company_id: _, ...columns }: DestinationRows) => tx.put('destinations', { company_id }, columns),
  }
}

/** The version of each company that restricts its destinations. */
export async function versionsOf(tx: Tx): Promise<Map<number, number>> {
  const rows = await tx.rows(VERSIONS)
  return new Map(rows.map(({ company_id, destinations }) => [company_id, destinations]))
}

/** How many messages each number of a company was sent on its latest day. */
export function recipientCountStore(tx: Tx, company_id: number) {
  return {
    /** The rows of these numbers. On PostgreSQL, inserts missing rows and locks all of them until the commit. */
    hold: (numbers: readonly string[]): Promise<DayCount[]> => tx.rows(HOLD, { company_id, numbers }),

    async put(counts: readonly DayCount[]): Promise<void> {
      for (const { number, day, count } of counts)
        await tx.put('recipient_counts', { company_id, number }, { day, count })
    },

    /** Discards all counts. */
    clear: () => tx.run(CLEAR, { company_id }),

    /** How many messages to this number were queued since then, at most `most`. */
    countQueued: async (number: string, since: string, most: number): Promise<number> =>
      (await tx.first(COUNT_QUEUED, { company_id, number, since, most }))!.count,
  }
}

type DayCount = Pick<RecipientCounts, 'number' | 'day' | 'count'>

const FIND = sql<DestinationRows, { company_id: number }>`
  select * from destinations where company_id = :company_id`

const VERSIONS = sql<{ company_id: number; destinations: number }>`
  select company_id, destinations from settings where destinations <> 0`

const HOLD = sql<DayCount, { company_id: number; numbers: readonly string[] }>`${perEngine({
  sqlite: `select number, day, count from recipient_counts
    where company_id = :company_id and number in (select value from json_each(:numbers))`,
  postgres: `insert into recipient_counts (company_id, number, day, count)
    select cast(:company_id as bigint), number, '', 0 from unnest(cast(:numbers as text[])) as number order by number
    on conflict (company_id, number) do update set count = recipient_counts.count
    returning number, day, count`,
})}`

const CLEAR = sql<never, { company_id: number }>`delete from recipient_counts where company_id = :company_id`

const COUNT_QUEUED = sql<
  { count: number },
  { company_id: number; number: string; since: string; most: number }
>`
  select count(*) as count from (select 1 as one from messages
    where company_id = :company_id and message_to = :number and queue_timestamp >= :since ${limit('most')}) as queued`
