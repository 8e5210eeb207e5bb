import { type Kysely, sql } from 'kysely'
import { inWordsOf, isPostgres } from '#server/database/dialect.ts'

/**
 * A device is connected at one of the servers, which alone gives it anything: its replica. Connections are numbered, so
 * that of two of the same device at two servers the later one counts, whichever is heard of last.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(inWordsOf(db, statement)).execute(db)
  if (isPostgres(db)) for (const statement of ofSeveral) await sql.raw(statement).execute(db)
}

const statements = [
  `alter table devices drop column connection_id`,
  `alter table devices add column connection integer not null default 0`,
  `alter table devices add column replica text`,
  `drop index devices_ready`,
  `create index devices_ready on devices (replica, next_slot_at)
    where queued + sticky > 0 and status = 'connected' and enabled = 1 and unlinked_at is null
      and unfinished < 10 and sent_parts < max_sms_dayly`,
  `drop index devices_sharing`,
  `create index devices_sharing on devices (company_id, replica, max(next_slot_at, aside_until, coalesce(quarantined_until, '')))
    where status = 'connected' and enabled = 1 and unlinked_at is null
      and unfinished < 10 and sent_parts < max_sms_dayly and (quarantined_until is null or unfinished = 0)`,
]

/** Leases are by the database's clock alone, and SQLite has one server at a time. */
const ofSeveral = [
  `create table replicas (
    id text collate "C" primary key,
    started_at timestamptz not null default clock_timestamp(),
    expires_at timestamptz not null)`,
  `create sequence device_connections`,
  `create index devices_by_replica on devices (replica) where replica is not null`,
]
