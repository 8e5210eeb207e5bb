import { type Kysely, sql } from 'kysely'
import { inWordsOf } from '#server/database/dialect.ts'

/**
 * What of a task its row did not tell: from when and until when it was asked for. With that, a repetition is told by the
 * row itself; the hash of the content that was kept for it is written no more.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(inWordsOf(db, 'alter table messages add column asked_times text')).execute(db)
}
