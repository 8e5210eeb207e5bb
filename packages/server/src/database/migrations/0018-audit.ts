import { type Kysely, sql } from 'kysely'
import { inWordsOf, isPostgres } from '#server/database/dialect.ts'

/**
 * The audit log keeps addresses, and has entries about strangers, whom no name and no company stands for. Link codes have
 * a maker, who can be seen and with whom they die; those made before have none, so they go: they last a day at most.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const entries = isPostgres(db) ? columnsChanged : tableCopied
  for (const statement of [...entries, ...statements]) await sql.raw(inWordsOf(db, statement)).execute(db)
}

const columnsChanged = [
  'alter table audit_log add column address text',
  ...['company_id', 'user_id', 'by_name', 'name'].map(
    (column) => `alter table audit_log alter column ${column} drop not null`,
  ),
]

/** SQLite cannot take a `not null` from a column. */
const tableCopied = [
  `create table audit_log_0018 (
    id integer primary key, company_id integer references companies(id), at text not null,
    user_id integer, by_name text, address text, action text not null,
    subject text not null, name text, changes text not null)`,
  `insert into audit_log_0018 (id, company_id, at, user_id, by_name, action, subject, name, changes)
    select id, company_id, at, user_id, by_name, action, subject, name, changes from audit_log`,
  'drop table audit_log',
  'alter table audit_log_0018 rename to audit_log',
  'create index audit_by_company on audit_log (company_id, id)',
  'create index audit_by_subject on audit_log (company_id, subject, id)',
  'create index audit_by_time on audit_log (company_id, at)',
]

const statements = [
  `create table audit_bursts (
    burst text not null, what text not null, entry_id integer not null, at text not null, times integer not null,
    primary key (burst, what))`,
  'create index audit_bursts_by_time on audit_bursts (at)',
  'delete from link_codes',
  `alter table link_codes add column hint text not null default ''`,
  'alter table link_codes add column uses integer not null default 0',
  'alter table link_codes add column created_by integer',
  'create index link_codes_by_maker on link_codes (created_by)',
  'alter table settings add column new_devices_enabled integer not null default 1',
]
