import { setTimeout as sleep } from 'node:timers/promises'
import { connect, patientSettingsOf } from '../../../packages/storage/src/postgres/connection.ts'
import type { ResultSheet } from '../bench.ts'

/** The updates of a table, and how many of them touched no index (HOT). */
type Updates = { table: string; all: number; hot: number }

/** Counts the updates of PostgreSQL's tables from now on. */
export async function openUpdates(url: string) {
  const before = new Map((await updatesOf(url)).map((updates) => [updates.table, updates]))
  return {
    /** Notes the share of HOT updates, in all tables and in each. */
    async note(sheet: Pick<ResultSheet, 'value' | 'figure'>, messages: number): Promise<void> {
      const since: Updates[] = (await updatesOf(url)).map(({ table, all, hot }) => ({
        table,
        all: all - (before.get(table)?.all ?? 0),
        hot: hot - (before.get(table)?.hot ?? 0),
      }))
      const all = sumOf(since, 'all')
      sheet.value((sumOf(since, 'hot') / all) * 100)
      sheet.figure('updates a message', all / messages)
      for (const { table, all: of_table, hot } of since.toSorted((one, other) => other.all - one.all)) {
        if (of_table === 0) continue
        sheet.figure(`% of ${table}`, (hot / of_table) * 100)
        sheet.figure(`updates of ${table} a message`, of_table / messages)
      }
    },
  }
}

/** Without the leases, which each server renews all the time. */
const UPDATES = `select coalesce(pg_partition_root(relid), relid)::regclass::text as table,
    sum(n_tup_upd) as all, sum(n_tup_hot_upd) as hot
  from pg_stat_user_tables where relname <> 'replicas' group by 1`

/** Sessions report their updates with delays of about a second. */
const LOOK_MS = 250
const STILL_MS = 2_500

/** The updates of each table, once the sessions have reported all of them. */
async function updatesOf(url: string): Promise<Updates[]> {
  const session = await connect(patientSettingsOf(url))
  const look = async () => (await session.send(UPDATES)).rows as Updates[]
  let [updates, since] = [await look(), performance.now()]
  while (performance.now() - since < STILL_MS) {
    await sleep(LOOK_MS)
    const now = await look()
    if (sumOf(now, 'all') !== sumOf(updates, 'all')) since = performance.now()
    updates = now
  }
  await session.close()
  return updates
}

function sumOf(updates: readonly Updates[], which: 'all' | 'hot'): number {
  return updates.reduce((total, update) => total + update[which], 0)
}
