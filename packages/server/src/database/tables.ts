import type { Engine } from '@sdd/storage/sql.ts'
import { columnTypes } from './column-types.ts'
import type { Tx } from './schema.ts'
import { firstIdOf, makeMonth, setRecentFrom } from './months/layout.ts'

/** The tables of the first release. Each later change is a separate migration. The row types are in schema.ts. */
export async function createFirstSchema(tx: Tx): Promise<void> {
  const { engine } = tx
  const statements = [...tables(engine), ...(engine === 'postgres' ? postgresTables() : sqliteTables())]
  for (const statement of statements) await tx.query(statement)
  if (engine === 'sqlite') return
  await makeMonth(tx, 0)
  await tx.query('update months set began_at = now() where number = 0')
  await makeMonth(tx, 1)
  await setRecentFrom(tx, firstIdOf(0))
}

function tables(engine: Engine): string[] {
  const postgres = engine === 'postgres'
  const { int, text, id, byKey } = columnTypes(engine)
  const numberKey = postgres ? `right(ltrim(message_to, '+'), 9)` : `substr(ltrim(message_to, '+'), -9)`
  // On PostgreSQL these tables are partitioned by month, and no foreign key can point to partitions.
  const messageId = postgres ? `id ${int} primary key` : id
  const partitioned = (key: string) => (postgres ? `partition by range (${key})` : '')
  /**
   * For tables whose rows change or leave with every message. Room on each page takes the new versions of changed rows,
   * which then need no new index entries. Autovacuum cleans them each time it looks, and does not pause meanwhile.
   */
  const roomy = (percent: number) =>
    postgres
      ? `with (fillfactor = ${percent}, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
          autovacuum_vacuum_cost_delay = 0)`
      : ''

  return [
    `create table companies (${id}, name ${text} not null unique, created_at ${text} not null)`,

    `create table users (
      ${id}, "companyId" ${int} not null references companies(id),
      name ${text} not null, name_key ${text} not null unique,
      email ${text} not null, email_key ${text} not null unique,
      role ${text} not null, enabled ${int} not null, password_hash ${text} not null,
      must_change_password ${int} not null default 0, language ${text}, created_at ${text} not null)`,
    `create index users_by_company on users ("companyId", id)`,

    `create table sessions (
      ${id}, user_id ${int} not null references users(id) on delete cascade,
      token_hash ${text} not null unique, created_at ${text} not null,
      last_used_at ${text} not null default '', expires_at ${text} not null, proved_at ${text},
      address ${text} not null default '', user_agent ${text} not null default '')`,
    `create index sessions_by_user on sessions (user_id)`,
    `create index sessions_by_expiry on sessions (expires_at)`,

    `create table second_factors (
      user_id ${int} primary key references users(id) on delete cascade,
      secret ${text} not null, created_at ${text} not null, enabled_at ${text}, used_step ${int} not null)`,
    `create table recovery_codes (
      user_id ${int} not null references users(id) on delete cascade, code_hash ${text} not null,
      primary key (user_id, code_hash))`,

    `create table failures (${id}, subject ${text} not null, failed_at ${text} not null)`,
    `create index failures_by_subject on failures (subject, failed_at)`,
    `create index failures_by_time on failures (failed_at)`,

    `create table link_codes (
      ${id}, company_id ${int} not null references companies(id),
      code_hash ${text} not null unique, hint ${text} not null default '',
      uses ${int} not null default 0, uses_left ${int} not null, created_by ${int},
      created_at ${text} not null, expires_at ${text} not null)`,
    `create index link_codes_by_expiry on link_codes (expires_at)`,
    `create index link_codes_by_maker on link_codes (created_by)`,

    `create table settings (
      ${id}, company_id ${int} not null unique references companies(id),
      spoof_time_secs ${int} not null, send_enabled ${int} not null, send_enabled_at ${text} not null,
      sending_changed_at ${text}, sending_changed_by ${text},
      retention_days ${int} not null default 365, stop_words ${text} not null default '["STOP","BAJA"]',
      destinations ${int} not null default 0, require_second_factor ${int} not null default 0,
      new_devices_enabled ${int} not null default 1)`,

    `create table quotas (
      company_id ${int} not null references companies(id), name ${text} not null, most ${int} not null,
      primary key (company_id, name)) ${byKey}`,

    `create table api_keys (
      ${id}, company_id ${int} not null references companies(id), name ${text} not null,
      key_hash ${text} not null unique, hint ${text} not null, may ${text} not null,
      webhook_secret ${text} not null, created_at ${text} not null, created_by ${int} references users(id),
      last_used_at ${text}, expires_at ${text}, revoked_at ${text},
      previous_key_hash ${text}, previous_webhook_secret ${text}, previous_until ${text})`,
    `create index api_keys_by_company on api_keys (company_id, id) where revoked_at is null`,
    `create unique index api_keys_by_previous on api_keys (previous_key_hash) where previous_key_hash is not null`,

    `create table audit_log (
      ${id}, company_id ${int} references companies(id), at ${text} not null,
      user_id ${int}, by_name ${text}, address ${text}, action ${text} not null,
      subject ${text} not null, name ${text}, changes ${text} not null)`,
    `create index audit_by_company on audit_log (company_id, id)`,
    `create index audit_by_subject on audit_log (company_id, subject, id)`,
    `create index audit_by_time on audit_log (company_id, at)`,
    `create table audit_bursts (
      burst ${text} not null, what ${text} not null, entry_id ${int} not null, at ${text} not null,
      times ${int} not null, primary key (burst, what))`,
    `create index audit_bursts_by_time on audit_bursts (at)`,

    `create table devices (
      ${id}, company_id ${int} not null references companies(id),
      uid ${text} not null, secret_hash ${text} not null,
      name ${text}, location ${text}, note ${text}, created_at ${text} not null,
      enabled ${int} not null, enabled_at ${text} not null, max_sms_dayly ${int} not null,
      status ${text} not null, status_at ${text} not null, session ${text},
      connection ${int} not null default 0, replica ${text}, agent ${text}, last_seen_at ${text},
      networks ${text}, carrier ${text}, radio_ready ${int}, radio_says ${text},
      failures_in_row ${int} not null default 0, quarantines ${int} not null default 0,
      quarantined_until ${text}, quarantine_reason ${text}, inbox_slowed_at ${text}, unlinked_at ${text})`,
    `create unique index devices_by_uid on devices (uid) where unlinked_at is null`,
    `create index devices_by_replica on devices (replica) where replica is not null`,
    `create index devices_by_company on devices (company_id, id) where unlinked_at is null`,
    `create index devices_by_status on devices (company_id, status, enabled) where unlinked_at is null`,

    // What each device has, and how much it may still be given. Nearly every change of a message changes it, so it has
    // no index on what they change.
    `create table capacity (
      device_id ${int} primary key ${postgres ? '' : 'references devices(id) on delete cascade'},
      queued ${int} not null default 0, sticky ${int} not null default 0, unfinished ${int} not null default 0,
      sent_day ${text}, sent_parts ${int} not null default 0,
      last_given_at ${text}, next_slot_at ${text} not null default '', aside_until ${text} not null default ''
    ) ${roomy(30)}`,
    `create index capacity_awaited on capacity (device_id) where queued + sticky > 0`,

    `create table device_sims (
      device_id ${int} not null references devices(id) on delete cascade,
      company_id ${int} not null references companies(id), number ${text} not null,
      primary key (device_id, number)) ${byKey}`,
    `create index device_sims_by_number on device_sims (company_id, number)`,

    // A message is written once, and is then in exactly one of the three tables below (docs/storage.md has the drawing).
    `create table messages (
      ${messageId}, company_id ${int} not null, guid ${text} not null,
      message ${text} not null, message_to ${text} not null, parts ${int} not null,
      priority ${int} not null, silent ${int} not null, task ${int} not null,
      queue_timestamp ${text} not null, expires_at ${text} not null,
      queued_by ${int}, queued_by_name ${text}, api_key_id ${int}, callback_url ${text},
      from_number ${text}, sent_stamp ${text}, asked_times ${text}
    ) ${partitioned('id')}`,
    // On PostgreSQL a unique index over all partitions must contain the id, so each partition has its own index of
    // guids.
    ...(postgres ? [] : [`create unique index messages_by_guid on messages (company_id, guid)`]),
    // With `task`, so that a page of tasks skips the other messages in the index.
    `create index messages_by_company on messages (company_id, id, task)`,
    `create index messages_by_number on messages (company_id, ${numberKey}, id)`,

    // The messages that wait for a device.
    `create table queue (
      ${messageId}, company_id ${int} not null, device_id ${int}, priority ${int} not null,
      due_at ${text} not null, expires_at ${text} not null, attempt ${int} not null default 0,
      lane ${text}, lane_until ${text}, avoid_device_id ${int}, notes ${text}
    ) ${roomy(90)}`,
    `create index queue_by_device on queue (device_id, priority, id) where device_id is not null`,
    `create index queue_by_lane on queue (company_id, lane, priority, id) where lane is not null`,
    `create index queue_lane_until on queue (lane_until) where lane_until is not null`,
    `create index queue_expiring on queue (expires_at)`,

    // The messages that a device was given, until their outcome is known. Reports change no indexed column.
    `create table in_flight (
      ${messageId}, device_id ${int} not null, attempt ${int} not null, assigned_at ${text} not null,
      expires_at ${text} not null, look_at ${text} not null, cancel_at ${text}, discard_asked_at ${text},
      handed_timestamp ${text}, answer_sent_timestamp ${text}, completed_at ${text},
      code ${text}, detail ${text}, sim ${text}, notes ${text}
    ) ${roomy(30)}`,
    `create index in_flight_by_device on in_flight (device_id)`,
    `create index in_flight_look on in_flight (look_at)`,
    `create index in_flight_cancelled on in_flight (cancel_at) where cancel_at is not null`,

    // The messages that have ended, each with its latest attempt. A late report may still change one.
    `create table outcomes (
      ${messageId}, company_id ${int} not null, device_id ${int}, attempt ${int} not null, state ${text} not null,
      completed_at ${text} not null, assigned_at ${text}, handed_timestamp ${text}, answer_sent_timestamp ${text},
      anwer_sent ${text}, answer_2_timestamp ${text}, answer_2 ${text}, answer_3_timestamp ${text}, answer_3 ${text},
      error ${text}, error_msg ${text}, error_timestamp ${text}, error_block ${int} not null default 0,
      attempt_state ${text}, attempt_parts ${int}, code ${text}, detail ${text}, sim ${text},
      discard_asked_at ${text}, notes ${text}
    ) ${partitioned('id')}`,
    `create index outcomes_by_device on outcomes (device_id, id)`,
    `create index outcomes_by_state on outcomes (company_id, state, id)`,
    `create index outcomes_ended on outcomes (company_id, completed_at)`,
    `create index outcomes_with_error on outcomes (company_id, id) where error is not null`,

    // Attempts that were followed by another one, or that ended after their message.
    `create table attempts (
      message_id ${int} not null, attempt ${int} not null, device_id ${int} not null, parts ${int} not null,
      day ${text} not null, given_at ${text} not null, cancel_at ${text},
      accepted_at ${text}, sent_at ${text}, delivered_at ${text}, finished_at ${text},
      state ${text} not null, code ${text}, detail ${text}, sim ${text}, primary key (message_id, attempt)
    ) ${partitioned('message_id')}${byKey}`,
    `create index attempts_cancelled on attempts (cancel_at) where cancel_at is not null and finished_at is null`,

    `create table lanes (
      company_id ${int} not null references companies(id), lane ${text} not null, waiting ${int} not null,
      primary key (company_id, lane)) ${byKey}`,

    // Written with nearly every message. So it has no foreign keys: each costs a look-up, and on PostgreSQL a lock.
    `create table recipients (
      company_id ${int} not null, number ${text} not null, device_id ${int} not null, last_at ${text} not null,
      primary key (company_id, number)) ${byKey}`,
    `create index recipients_by_time on recipients (company_id, last_at)`,

    `create table inbox (
      ${id}, company_id ${int} not null references companies(id),
      device_id ${int} not null references devices(id), sms_id ${text} not null, sms_from ${text} not null,
      text ${text} not null, sms_at ${text} not null, received_at ${text} not null, sim ${text},
      message_id ${int})`,
    `create unique index inbox_by_device on inbox (device_id, sms_id)`,
    `create index inbox_by_message on inbox (message_id) where message_id is not null`,
    `create index inbox_unanswering on inbox (device_id, received_at) where message_id is null`,
    `create index inbox_by_time on inbox (company_id, received_at)`,

    `create table opt_outs (
      ${id}, company_id ${int} not null references companies(id),
      number ${text} not null, number_key ${text} not null, text ${text}, device_uid ${text},
      created_by ${int} references users(id), created_at ${text} not null)`,
    `create unique index opt_outs_by_number on opt_outs (company_id, number_key)`,
    `create index opt_outs_by_company on opt_outs (company_id, id)`,

    `create table destinations (
      company_id ${int} primary key references companies(id), version ${int} not null,
      allow ${text} not null, deny ${text} not null, max_per_recipient_dayly ${int}, capped_at ${text})`,
    `create table recipient_counts (
      company_id ${int} not null references companies(id), number ${text} not null, day ${text} not null,
      count ${int} not null, primary key (company_id, number)) ${byKey}`,
    `create index recipient_counts_by_day on recipient_counts (company_id, day)`,

    `create table counters (
      figure ${text} not null, company_id ${int} not null references companies(id),
      period ${text} not null, key ${text} not null, count ${int} not null, last_at ${text} not null,
      primary key (figure, company_id, period, key)) ${byKey}`,
    `create index counters_by_period on counters (period)`,
    `create table presence_samples (
      company_id ${int} not null references companies(id), at ${text} not null,
      connected ${int} not null, total ${int} not null,
      primary key (company_id, at)) ${byKey}`,
    `create index presence_samples_by_time on presence_samples (at, connected, total)`,

    `create table webhooks (
      ${id}, company_id ${int} not null references companies(id),
      url ${text} not null, types ${text} not null, secret ${text} not null,
      previous_secret ${text}, previous_until ${text},
      created_at ${text} not null, created_by ${int} references users(id), removed_at ${text})`,
    `create index webhooks_by_company on webhooks (company_id) where removed_at is null`,

    `create table callbacks (
      ${id}, company_id ${int} not null references companies(id),
      webhook_id ${text} not null unique, type ${text} not null, guid ${text} not null,
      url ${text} not null, host ${text} not null, body ${text} not null,
      api_key_id ${int} references api_keys(id), webhook ${int} references webhooks(id),
      state ${text} not null, created_at ${text} not null,
      tries ${int} not null default 0, round ${int} not null default 0, due_at ${text},
      last_tried_at ${text}, last_status ${int}, last_error ${text}, delivered_at ${text})`,
    `create index callbacks_due on callbacks (due_at) where state = 'waiting'`,
    `create index callbacks_by_host on callbacks (host, due_at) where state = 'waiting'`,
    `create index callbacks_of_webhook on callbacks (webhook) where state = 'waiting' and webhook is not null`,
    `create index callbacks_dead on callbacks (webhook, last_tried_at) where state = 'dead'`,
    `create index callbacks_by_company on callbacks (company_id, id)`,
    `create index callbacks_by_state on callbacks (company_id, state, id)`,
    `create index callbacks_by_guid on callbacks (company_id, guid, id)`,
    `create index callbacks_by_time on callbacks (company_id, created_at) where state <> 'waiting'`,
  ]
}

/**
 * SQLite's search index: the trigrams of texts and numbers. It stores no texts; messages/search/indexing.ts fills it after
 * the messages are written. When the newest message is removed, the trigger moves the reach of the index back to the
 * newest one that is left.
 */
function sqliteTables(): string[] {
  const newest = '(select coalesce(max(messages.id), 0) from messages)'
  return [
    `create virtual table message_search using fts5(
      text, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram')`,
    `create table message_search_reach (id integer not null)`,
    `insert into message_search_reach values (0)`,
    `create trigger message_search_forgets after delete on messages begin
      delete from message_search where rowid = old.id;
      update message_search_reach set id = ${newest} where id > ${newest}; end`,
  ]
}

/**
 * The tables that several servers share on one PostgreSQL, and the monthly partitions of messages (docs/storage.md).
 */
function postgresTables(): string[] {
  const { text } = columnTypes('postgres')
  return [
    `create sequence messages_ids owned by messages.id`,
    `alter table messages alter column id set default nextval('messages_ids')`,
    // A month without `began_at` has not begun. It is ready for the next messages.
    `create table months (number bigint primary key, began_at timestamptz)`,
    // The search index: each row covers several consecutive messages, with the trigrams of their texts and numbers.
    `create table message_search (id bigint not null, ids bigint[] not null, pieces int4[] not null, primary key (id))
      partition by range (id)`,
    `create index message_search_by_piece on message_search using gin (pieces) with (gin_pending_list_limit = 256)`,
    `create table message_search_reach (id bigint not null, given bigint not null, before bigint not null)`,
    `insert into message_search_reach values (0, 0, 0)`,

    // The servers and their leases, timed by the database's clock. A device belongs to the server it is connected to.
    `create table replicas (
      id ${text} primary key, started_at timestamptz not null default clock_timestamp(),
      expires_at timestamptz not null)`,
    `create sequence device_connections`,

    // The server that delivers a callback, and the end of its claim.
    `create table callback_claims (
      callback bigint primary key references callbacks(id) on delete cascade,
      server ${text} not null, until timestamptz not null)`,
    // Each server's session at an external broker. After the lease expires, another server takes over the messages in
    // the session.
    `create table broker_sessions (
      client_id ${text} primary key, started_at timestamptz not null default clock_timestamp(),
      expires_at timestamptz not null)`,
  ]
}
