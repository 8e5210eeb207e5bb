import { type Kysely, sql } from 'kysely'
import { inWordsOf } from '#server/database/dialect.ts'

/** The first tables: companies are scopes from here on. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(inWordsOf(db, statement)).execute(db)
}

const statements = [
  `create table companies (
    id integer primary key, name text not null unique, created_at text not null)`,

  `create table users (
    id integer primary key, "companyId" integer not null references companies(id),
    name text not null, name_key text not null unique,
    email text not null, email_key text not null unique,
    role text not null, enabled integer not null, password_hash text not null, created_at text not null)`,
  `create index users_by_company on users ("companyId", id)`,

  `create table sessions (
    id integer primary key, user_id integer not null references users(id) on delete cascade,
    token_hash text not null unique, created_at text not null, expires_at text not null)`,
  `create index sessions_by_user on sessions (user_id)`,
  `create index sessions_by_expiry on sessions (expires_at)`,

  `create table failures (id integer primary key, subject text not null, failed_at text not null)`,
  `create index failures_by_subject on failures (subject, failed_at)`,
  `create index failures_by_time on failures (failed_at)`,

  `create table link_codes (
    id integer primary key, company_id integer not null references companies(id),
    code_hash text not null unique, uses_left integer not null,
    created_at text not null, expires_at text not null)`,
  `create index link_codes_by_expiry on link_codes (expires_at)`,

  `create table settings (
    id integer primary key, company_id integer not null unique references companies(id),
    spoof_time_secs integer not null, send_enabled integer not null, send_enabled_at text not null)`,

  `create table devices (
    id integer primary key, company_id integer not null references companies(id),
    uid text not null, secret_hash text not null, location text, created_at text not null,
    enabled integer not null, enabled_at text not null, max_sms_dayly integer not null,
    status text not null, status_at text not null, session text, connection_id text, agent text,
    last_seen_at text, networks text, carrier text,
    queued integer not null default 0, unfinished integer not null default 0,
    sent_day text, sent_parts integer not null default 0, last_given_at text, next_slot_at text not null default '',
    unlinked_at text)`,
  `create unique index devices_by_uid on devices (uid) where unlinked_at is null`,
  `create index devices_by_company on devices (company_id, id) where unlinked_at is null`,
  `create index devices_by_status on devices (company_id, status, enabled) where unlinked_at is null`,
  `create index devices_near_limit on devices (sent_day)
    where sent_parts > 0 and sent_parts * 5 >= max_sms_dayly * 4 and unlinked_at is null`,
  `create index devices_ready on devices (next_slot_at) where queued > 0 and status = 'connected' and enabled = 1`,

  `create table messages (
    id integer primary key, company_id integer not null references companies(id),
    guid text not null, device_id integer references devices(id), device_guid text,
    message text not null, message_to text not null, parts integer not null,
    priority integer not null, silent integer not null, queued_by integer references users(id),
    queue_timestamp text not null, handed_timestamp text,
    answer_sent_timestamp text, anwer_sent text, answer_2_timestamp text, answer_2 text,
    notes text, answer_3 text, answer_3_timestamp text,
    error text, error_msg text, error_timestamp text, error_block integer not null default 0,
    state text not null, step text not null, attempt integer not null default 0,
    due_at text not null, expires_at text not null, completed_at text,
    task integer not null default 0, from_number text, sent_stamp text, assigned_at text)`,
  `create unique index messages_by_guid on messages (company_id, guid)`,
  `create index messages_waiting on messages (device_id, priority, id) where step = 'waiting'`,
  `create index messages_expiring on messages (expires_at) where step <> 'finished'`,
  `create index messages_open on messages (state) where step <> 'finished'`,
  `create index messages_by_company on messages (company_id, id)`,
  `create index messages_by_device on messages (device_id, message_to, id)`,
  `create index messages_by_uid on messages (device_guid, company_id, id)`,
  `create index messages_with_error on messages (company_id, id) where error is not null`,
  `create index messages_by_state on messages (company_id, state, id)`,
  `create index messages_by_number on messages (company_id, message_to, id)`,
  `create index messages_by_time on messages (company_id, queue_timestamp)`,
  `create index tasks_newest on messages (id) where task = 1`,
  `create index tasks_by_company on messages (company_id, id) where task = 1`,
  `create index tasks_received on messages (step, company_id, id) where task = 1 and step = 'waiting'`,
  `create index tasks_started on messages (step, company_id, id) where task = 1 and step = 'given'`,
  `create index tasks_completed on messages (company_id, id)
    where task = 1 and step = 'finished' and state not in ('expired', 'cancelled')`,

  `create table attempts (
    id integer primary key, message_id integer not null references messages(id) on delete cascade,
    attempt integer not null, device_id integer not null references devices(id), device_uid text not null,
    parts integer not null, day text not null, given_at text not null, resend_at text not null,
    accepted_at text, sent_at text, delivered_at text, finished_at text,
    state text not null, code text, detail text, sim text)`,
  `create unique index attempts_by_message on attempts (message_id, attempt)`,
  `create index attempts_unanswered on attempts (resend_at) where accepted_at is null and finished_at is null`,
  `create index attempts_unfinished on attempts (device_id) where finished_at is null`,

  `create table inbox (
    id integer primary key, company_id integer not null references companies(id),
    device_id integer not null references devices(id), sms_id text not null, sms_from text not null,
    text text not null, sms_at text not null, received_at text not null, sim text,
    message_id integer references messages(id) on delete set null)`,
  `create unique index inbox_by_device on inbox (device_id, sms_id)`,

  `create table counters (
    figure text not null, company_id integer not null references companies(id),
    period text not null, key text not null, count integer not null, last_at text not null,
    primary key (figure, company_id, period, key)) without rowid`,
  `create index counters_by_period on counters (period)`,

  `create table presence_samples (
    company_id integer not null references companies(id), at text not null,
    connected integer not null, total integer not null,
    primary key (company_id, at)) without rowid`,
  `create index presence_samples_by_time on presence_samples (at, connected, total)`,
]
