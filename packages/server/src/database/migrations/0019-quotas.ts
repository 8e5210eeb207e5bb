import { type Kysely, sql } from 'kysely'
import { inWordsOf } from '#server/database/dialect.ts'

/** How much a company may have at once, where somebody has said so. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(inWordsOf(db, statement)).execute(db)
}

const statement = `create table quotas (
  company_id integer not null references companies (id),
  name text not null,
  most integer not null,
  primary key (company_id, name)
) without rowid`
