import { type Kysely, sql } from 'kysely'
import { inWordsOf } from '#server/database/dialect.ts'

/** Codes beside the password, and from where each session was opened. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(inWordsOf(db, statement)).execute(db)
}

const statements = [
  `create table second_factors (
    user_id integer primary key references users(id) on delete cascade,
    secret text not null, created_at text not null, enabled_at text, used_step integer not null)`,
  `create table recovery_codes (
    user_id integer not null references users(id) on delete cascade, code_hash text not null,
    primary key (user_id, code_hash))`,

  `alter table sessions add column last_used_at text not null default ''`,
  `alter table sessions add column address text not null default ''`,
  `alter table sessions add column user_agent text not null default ''`,
  `update sessions set last_used_at = created_at`,
]
