import { type Kysely, sql } from 'kysely'
import { inWordsOf } from '#server/database/dialect.ts'

/** When a session last proved who holds it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(inWordsOf(db, 'alter table sessions add column proved_at text')).execute(db)
}
