import { type Kysely, sql } from 'kysely'
import { inWordsOf, isPostgres } from '#server/database/dialect.ts'

/**
 * Which server delivers a callback at this moment, and until when it is the only one that may. The time is the database's
 * own: SQLite has one server at a time, and marks nothing.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(inWordsOf(db, 'alter table callbacks add column claimed_by text')).execute(db)
  if (isPostgres(db)) await sql.raw('alter table callbacks add column claimed_until timestamptz').execute(db)
}
