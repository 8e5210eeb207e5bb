import type { Database } from '#server/database/open.ts'

/** Resolves once a session of this PostgreSQL database waits for a lock. */
export async function untilOneWaits({ read }: Database): Promise<void> {
  for (;;) {
    const [{ count }] = (await read.query<{ count: number }>(
      `select count(*) as count from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`,
    )) as [{ count: number }]
    if (Number(count) > 0) return
    await new Promise((turn) => setTimeout(turn, 5))
  }
}
