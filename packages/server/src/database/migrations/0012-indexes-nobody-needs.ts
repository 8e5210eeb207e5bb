import { type Kysely, sql } from 'kysely'

/**
 * Indexes of messages that nothing needs: a log between two times is walked by its ids, and the newest tasks are found
 * among those that wait, that devices have and that are finished. Each took the commit of many new messages four pages.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const index of ['messages_by_time', 'tasks_newest', 'tasks_by_company'])
    await sql`drop index ${sql.ref(index)}`.execute(db)
}
