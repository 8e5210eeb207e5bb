import { type Kysely, sql } from 'kysely'
import { inWordsOf } from '#server/database/dialect.ts'

/**
 * Where a company's messages may go, how many each number was sent on its latest day, and when a device last received SMS
 * faster than they are taken. `settings.destinations` is the version of the company's row, or 0 where it restricts nothing.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(inWordsOf(db, statement)).execute(db)
}

const statements = [
  `alter table settings add column destinations integer not null default 0`,
  `create table destinations (
    company_id integer primary key references companies(id), version integer not null, allow text not null,
    deny text not null, max_per_recipient_dayly integer, capped_at text)`,
  `create table recipient_counts (
    company_id integer not null references companies(id), number text not null, day text not null,
    count integer not null, primary key (company_id, number)) without rowid`,
  `create index recipient_counts_by_day on recipient_counts (company_id, day)`,
  `alter table devices add column inbox_slowed_at text`,
]
