import { type Kysely, sql } from 'kysely'
import { isPostgres } from '#server/database/dialect.ts'

/**
 * Of several servers at a broker of others each has a session there, in which the broker keeps what comes for it. One that
 * is no more has left its own behind, and another takes what is in it. Alone, a server always has the same.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  if (isPostgres(db)) await sql.raw(table).execute(db)
}

const table = `create table broker_sessions (
  client_id text collate "C" primary key,
  started_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null)`
