import { type Kysely, sql } from 'kysely'
import { inWordsOf } from '#server/database/dialect.ts'

/** The secrets from before a rotation, and until when they work beside the new ones. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(inWordsOf(db, statement)).execute(db)
}

const statements = [
  `alter table api_keys add column previous_key_hash text`,
  `alter table api_keys add column previous_webhook_secret text`,
  `alter table api_keys add column previous_until text`,
  `create unique index api_keys_by_previous on api_keys (previous_key_hash) where previous_key_hash is not null`,
  `alter table webhooks add column previous_secret text`,
  `alter table webhooks add column previous_until text`,
]
