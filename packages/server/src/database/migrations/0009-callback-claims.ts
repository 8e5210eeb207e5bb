import { type Kysely, sql } from 'kysely'
import { isPostgres } from '#server/database/dialect.ts'

/**
 * Which server delivers a callback at this moment, and until when it is the only one that may, by the database's clock. Apart
 * from the callbacks, whose rows are wide and have many indexes. SQLite has one server at a time, and marks nothing.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  if (isPostgres(db)) await sql.raw(TABLE).execute(db)
}

const TABLE = `create table callback_claims (
  callback bigint primary key references callbacks(id) on delete cascade,
  server text collate "C" not null, until timestamptz not null)`
