import { type Kysely, sql } from 'kysely'
import { isPostgres } from '#server/database/dialect.ts'
import { indexGuids, partitionOf } from '#server/database/partitions/layout.ts'

/** What is larger has been counted, or takes a while to index. */
const SMALL_BYTES = 8 << 20

/** On PostgreSQL, months that are empty yet find a guid by its index from their first message on (see `indexGuids`). */
export async function up(db: Kysely<unknown>): Promise<void> {
  if (!isPostgres(db)) return
  const { rows } = await sql<{ number: number }>`select number from months
    where pg_relation_size('messages_' || number) < ${SMALL_BYTES}`.execute(db)
  for (const { number } of rows) {
    await sql.raw(`drop index ${partitionOf('messages', number)}_by_guid`).execute(db)
    await indexGuids(db, number)
  }
}
