import { setTimeout as sleep } from 'node:timers/promises'
import { connect, patientSettingsOf } from '../../../packages/storage/src/postgres/connection.ts'

const EVERY_MS = 20

/** The activity of a server's writing session, sampled from PostgreSQL. */
export type Seen = 'lock' | 'disk' | 'inside' | 'works' | 'server' | 'idle'

export type Waits = {
  /** The share of samples in which the servers' writing sessions did this, in total. */
  share(seen: Seen): number
  /** The share of each table in the waits for a row lock, the most frequent first. */
  tables(): [table: string, share: number][]
}

type Row = { seen: Seen; query: string | null; count: number }

/** Each server writes over one session with its own name. Its statement shows what it wants to lock. */
const LOOK = `select case
      when state like 'idle in transaction%' then 'server'
      when state <> 'active' then 'idle'
      when wait_event_type = 'Lock' then 'lock'
      when wait_event_type = 'IO' or wait_event in ('SyncRep', 'WALWrite') then 'disk'
      when wait_event_type = 'Client' then 'server'
      when wait_event_type is not null then 'inside'
      else 'works' end as seen,
    case when wait_event_type = 'Lock' then left(query, 2000) end as query, count(*) as count
  from pg_stat_activity
  where datname = current_database() and application_name ~ '^sms-drone-dash [0-9a-f-]{36}$' and state is not null
  group by 1, 2`

/** Samples until it is stopped. */
export async function watchWaits(url: string): Promise<{ stop(): Promise<Waits> }> {
  const session = await connect({ ...patientSettingsOf(url), application_name: 'sdd-bench' })
  const seen = new Map<Seen, number>()
  const tables = new Map<string, number>()
  let watching = true

  async function watch(): Promise<void> {
    while (watching) {
      const { rows } = await session.send(LOOK, [], 'look')
      for (const row of rows as Row[]) {
        seen.set(row.seen, (seen.get(row.seen) ?? 0) + row.count)
        if (row.seen !== 'lock') continue
        const table = tableOf(row.query ?? '')
        tables.set(table, (tables.get(table) ?? 0) + row.count)
      }
      await sleep(EVERY_MS)
    }
    await session.close()
  }

  const watched = watch()
  return {
    async stop() {
      watching = false
      await watched
      const all = sum(seen.values())
      const locks = sum(tables.values())
      return {
        share: (what) => (all === 0 ? 0 : (seen.get(what) ?? 0) / all),
        tables: () =>
          [...tables]
            .map(([table, count]): [string, number] => [table, count / locks])
            .sort((one, other) => other[1] - one[1]),
      }
    },
  }
}

function sum(numbers: Iterable<number>): number {
  return Iterator.from(numbers).reduce((total, number) => total + number, 0)
}

/** The table that a statement changes, or reads. */
function tableOf(query: string): string {
  return (/\b(?:update|into) "?(\w+)/.exec(query) ?? /\bfrom "?(\w+)/.exec(query))?.[1] ?? 'others'
}
