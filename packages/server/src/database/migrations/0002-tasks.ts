import { type Kysely, sql } from 'kysely'
import { inWordsOf } from '#server/database/dialect.ts'

/** What tasks of other systems need: keys, sharing-out, callbacks, opt-outs, the audit log, retention. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(inWordsOf(db, statement)).execute(db)
}

const statements = [
  `create table api_keys (
    id integer primary key, company_id integer not null references companies(id), name text not null,
    key_hash text not null unique, hint text not null, may text not null, webhook_secret text not null,
    created_at text not null, created_by integer references users(id),
    last_used_at text, expires_at text, revoked_at text)`,
  `create index api_keys_by_company on api_keys (company_id, id) where revoked_at is null`,

  `alter table settings add column retention_days integer not null default 365`,
  `alter table settings add column stop_words text not null default '["STOP","BAJA"]'`,

  `alter table devices add column failures_in_row integer not null default 0`,
  `alter table devices add column quarantines integer not null default 0`,
  `alter table devices add column quarantined_until text`,
  `alter table devices add column quarantine_reason text`,
  `alter table devices add column radio_ready integer`,
  `alter table devices add column radio_says text`,
  `alter table devices add column sticky integer not null default 0`,
  `alter table devices add column aside_until text not null default ''`,
  `drop index devices_ready`,
  `create index devices_ready on devices (next_slot_at)
    where queued + sticky > 0 and status = 'connected' and enabled = 1 and unlinked_at is null
      and unfinished < 10 and sent_parts < max_sms_dayly`,
  `create index devices_sharing on devices (company_id, max(next_slot_at, aside_until, coalesce(quarantined_until, '')))
    where status = 'connected' and enabled = 1 and unlinked_at is null
      and unfinished < 10 and sent_parts < max_sms_dayly and (quarantined_until is null or unfinished = 0)`,
  `create index devices_left on devices (id)
    where sticky > 0 and (status <> 'connected' or enabled = 0 or unlinked_at is not null
      or sent_parts >= max_sms_dayly or quarantined_until is not null)`,

  `create table device_sims (
    device_id integer not null references devices(id) on delete cascade,
    company_id integer not null references companies(id), number text not null,
    primary key (device_id, number)) without rowid`,
  `create index device_sims_by_number on device_sims (company_id, number)`,

  `create table recipients (
    company_id integer not null references companies(id), number text not null,
    device_id integer not null references devices(id), last_at text not null,
    primary key (company_id, number)) without rowid`,
  `create index recipients_by_time on recipients (company_id, last_at)`,

  `alter table messages add column lane text`,
  `alter table messages add column lane_until text`,
  `alter table messages add column avoid_device_id integer`,
  `alter table messages add column content_hash text`,
  `alter table messages add column callback_url text`,
  `alter table messages add column api_key_id integer references api_keys(id)`,
  `alter table messages add column discard_asked_at text`,
  `create index messages_shared on messages (company_id, lane, priority, id) where lane is not null`,
  `create index messages_lane_until on messages (lane_until) where lane_until is not null`,
  `create table lanes (
    company_id integer not null references companies(id), lane text not null, waiting integer not null,
    primary key (company_id, lane)) without rowid`,

  `alter table attempts add column cancel_at text`,
  `create index attempts_cancelled on attempts (cancel_at) where cancel_at is not null and finished_at is null`,
  `create index messages_to_number on messages (company_id, substr(ltrim(message_to, '+'), -9))
    where step <> 'finished'`,
  `drop index messages_by_device`,
  `create index messages_by_device on messages (device_id, substr(ltrim(message_to, '+'), -9), id)`,
  `create index messages_finished on messages (company_id, completed_at) where step = 'finished'`,

  `create index inbox_by_message on inbox (message_id) where message_id is not null`,
  `create index inbox_by_time on inbox (company_id, received_at)`,

  `create table webhooks (
    id integer primary key, company_id integer not null references companies(id),
    url text not null, types text not null, secret text not null,
    created_at text not null, created_by integer references users(id), removed_at text)`,
  `create index webhooks_by_company on webhooks (company_id) where removed_at is null`,

  `create table callbacks (
    id integer primary key, company_id integer not null references companies(id),
    webhook_id text not null unique, type text not null, guid text not null,
    url text not null, host text not null, body text not null,
    api_key_id integer references api_keys(id), webhook integer references webhooks(id),
    state text not null, created_at text not null, tries integer not null default 0, round integer not null default 0,
    due_at text, last_tried_at text, last_status integer, last_error text, delivered_at text)`,
  `create index callbacks_due on callbacks (due_at) where state = 'waiting'`,
  `create index callbacks_by_host on callbacks (host, due_at) where state = 'waiting'`,
  `create index callbacks_of_webhook on callbacks (webhook) where state = 'waiting' and webhook is not null`,
  `create index callbacks_dead on callbacks (webhook, last_tried_at) where state = 'dead'`,
  `create index callbacks_by_company on callbacks (company_id, id)`,
  `create index callbacks_by_state on callbacks (company_id, state, id)`,
  `create index callbacks_by_guid on callbacks (company_id, guid, id)`,
  `create index callbacks_by_time on callbacks (company_id, created_at) where state <> 'waiting'`,

  `create table opt_outs (
    id integer primary key, company_id integer not null references companies(id),
    number text not null, number_key text not null, text text, device_uid text,
    created_by integer references users(id), created_at text not null)`,
  `create unique index opt_outs_by_number on opt_outs (company_id, number_key)`,
  `create index opt_outs_by_company on opt_outs (company_id, id)`,

  `create table audit_log (
    id integer primary key, company_id integer not null references companies(id), at text not null,
    user_id integer not null, by_name text not null, action text not null,
    subject text not null, name text not null, changes text not null)`,
  `create index audit_by_company on audit_log (company_id, id)`,
  `create index audit_by_subject on audit_log (company_id, subject, id)`,
  `create index audit_by_time on audit_log (company_id, at)`,
]
