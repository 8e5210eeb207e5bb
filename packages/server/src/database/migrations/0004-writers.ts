import { type Kysely, sql } from 'kysely'
import { inWordsOf, isPostgres } from '#server/database/dialect.ts'

/**
 * On PostgreSQL, the last transaction of each server that writes: one whose answer was lost on the way is looked up here.
 * SQLite has no way on which an answer could be lost.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  if (!isPostgres(db)) return
  await sql.raw(inWordsOf(db, TABLE)).execute(db)
}

const TABLE = `create table writers (
  id text primary key, last_transaction text not null, at timestamptz not null)`
