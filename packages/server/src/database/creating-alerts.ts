import { columnTypes } from './column-types.ts'
import type { Tx } from './schema.ts'

/** Adds the rules of alerts, and the failures in a row of each webhook. */
export async function createAlerts(tx: Tx): Promise<void> {
  const { int, text, real, keptId } = columnTypes(tx.engine)
  for (const statement of [
    `create table alert_rules (
      ${keptId}, company_id ${int} not null references companies(id), condition ${text} not null, value ${real},
      rate_of ${text}, rate_over ${int}, tags ${text} not null, enabled ${int} not null)`,
    `create table alerts (
      ${keptId}, company_id ${int} not null references companies(id), rule_id ${int} not null,
      condition ${text} not null, value ${real}, subject_kind ${text} not null, subject_id ${text} not null,
      subject_name ${text}, since ${text} not null, opened_at ${text} not null, acknowledged_by ${int},
      acknowledged_name ${text}, acknowledged_at ${text}, resolved_at ${text}, facts ${text} not null)`,
    `create index alerts_by_company on alerts (company_id, id)`,
    `create index alerts_open on alerts (id) where resolved_at is null`,
    `create index alerts_by_time on alerts (company_id, resolved_at) where resolved_at is not null`,
    `create table alert_watches (
      rule_id ${int} not null references alert_rules(id) on delete cascade, subject_id ${text} not null,
      since ${text} not null, checks ${int} not null, gone_since ${text}, gone_checks ${int} not null,
      paused ${int} not null, alert_id ${int}, primary key (rule_id, subject_id))`,
    `alter table webhooks add column failures_in_row ${int} not null default 0`,
  ])
    await tx.query(statement)
}

/** Lets a look for due messages skip those that are retried later. */
export async function indexAlerts(tx: Tx): Promise<void> {
  for (const statement of [
    `drop index alert_messages_waiting`,
    `create index alert_messages_due on alert_messages (channel_id, due_at) where state = 'waiting'`,
  ])
    await tx.query(statement)
}

/** Adds duty hours, and how the channels of each company are told. */
export async function addAlertDuty(tx: Tx): Promise<void> {
  const { int, text } = columnTypes(tx.engine)
  for (const statement of [
    `create table alert_settings (
      company_id ${int} primary key references companies(id), join_secs ${int} not null,
      repeat_mins ${int} not null, tell_resolved ${int} not null)`,
    `alter table alert_rules add column hours ${text}`,
    `alter table alert_messages add column joins_until ${text} not null default ''`,
  ])
    await tx.query(statement)
}

/** Adds the SMS that a message to a channel is sent as, and lets values have decimals, as balances do. */
export async function addAlertSms(tx: Tx): Promise<void> {
  const { text, real } = columnTypes(tx.engine)
  await tx.query(`alter table alert_messages add column sms_guid ${text}`)
  for (const table of ['alert_rules', 'alerts'])
    for (const statement of [`rename column value to whole_value`, `add column value ${real}`])
      await tx.query(`alter table ${table} ${statement}`)
  for (const table of ['alert_rules', 'alerts']) {
    await tx.query(`update ${table} set value = whole_value`)
    await tx.query(`alter table ${table} drop column whole_value`)
  }
}

/** Adds the channels that are told about alerts, and what they are told. */
export async function createAlertChannels(tx: Tx): Promise<void> {
  const { int, text, keptId } = columnTypes(tx.engine)
  for (const statement of [
    `create table alert_channels (
      ${keptId}, company_id ${int} not null references companies(id), kind ${text} not null, name ${text} not null,
      url ${text} not null, recipient ${text}, token ${text}, webhook_secret ${text}, last_at ${text},
      last_delivered ${int}, last_detail ${text})`,
    `create table alert_messages (
      ${keptId}, company_id ${int} not null,
      channel_id ${int} not null references alert_channels(id) on delete cascade, rule_id ${int} not null,
      event ${text} not null, webhook_id ${text} not null, state ${text} not null, due_at ${text} not null,
      body ${text}, tries ${int} not null default 0, tried_at ${text}, detail ${text})`,
    `create index alert_messages_waiting on alert_messages (channel_id, id) where state = 'waiting'`,
    `create index alert_messages_by_channel on alert_messages (channel_id)`,
    `create table alert_tellings (
      message_id ${int} not null references alert_messages(id) on delete cascade,
      alert_id ${int} not null references alerts(id) on delete cascade, primary key (alert_id, message_id))`,
    `create index alert_tellings_by_message on alert_tellings (message_id)`,
    `alter table alert_rules add column channels ${text} not null default '[]'`,
    `alter table alerts add column said_at ${text}`,
  ])
    await tx.query(statement)
}
