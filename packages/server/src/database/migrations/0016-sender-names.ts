import { type Kysely, sql } from 'kysely'
import { inWordsOf } from '#server/database/dialect.ts'

/**
 * The name of the user who sent a message, as it was then: users can be renamed. A message handed in with an API key needs
 * none: the name of a key never changes, and its row stays when it is revoked.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(inWordsOf(db, 'alter table messages add column queued_by_name text')).execute(db)
}
