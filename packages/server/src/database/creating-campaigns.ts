import { columnTypes } from './column-types.ts'
import type { Tx } from './schema.ts'

/** Creates the tables of campaigns. */
export async function createCampaigns(tx: Tx): Promise<void> {
  const { int, text, id, byKey } = columnTypes(tx.engine)
  for (const statement of [
    `create table campaigns (${id}, ${columnsOf(int, text)})`,
    ...INDEXES,
    // No foreign key: the rows of a removed campaign leave after it, in steps.
    `create table campaign_rows (
      campaign_id ${int} not null, line ${int} not null, number ${text} not null,
      name ${text}, name_key ${text} not null, fields ${text} not null, at ${text}, due_at ${text} not null,
      state ${text} not null, reason ${text}, fault ${text}, blocked ${int} not null, message_id ${int},
      changed_at ${text}, primary key (campaign_id, line)) ${byKey}`,
    `create index campaign_rows_due on campaign_rows (campaign_id, due_at, line) where state = 'pending'`,
    `create index campaign_rows_by_state on campaign_rows (campaign_id, state, line)`,
    `create index campaign_rows_by_number on campaign_rows (campaign_id, number, line)`,
    `create table campaign_counts (
      campaign_id ${int} not null, figure ${text} not null, count ${int} not null,
      primary key (campaign_id, figure)) ${byKey}`,
  ])
    await tx.query(statement)
}

/**
 * Keeps SQLite from using the id of a removed campaign again. The messages of that campaign stay in the log, and their
 * guids contain the id. PostgreSQL never uses an id again.
 */
export async function keepCampaignIds(tx: Tx): Promise<void> {
  if (tx.engine === 'postgres') return
  const { int, text, keptId } = columnTypes(tx.engine)
  for (const statement of [
    `create table campaigns_kept (${keptId}, ${columnsOf(int, text)})`,
    `insert into campaigns_kept select * from campaigns`,
    `drop table campaigns`,
    `alter table campaigns_kept rename to campaigns`,
    ...INDEXES,
    `delete from sqlite_sequence where name = 'campaigns'`,
    // The guids of messages are campaign:<id>:<row>, of removed campaigns as well.
    `insert into sqlite_sequence (name, seq) select 'campaigns', max(
      coalesce((select max(id) from campaigns), 0),
      coalesce((select max(cast(substr(guid, 10) as integer)) from messages
        where guid >= 'campaign:' and guid < 'campaign;'), 0))`,
  ])
    await tx.query(statement)
}

const columnsOf = (int: string, text: string) =>
  `company_id ${int} not null references companies(id), name ${text} not null, name_key ${text} not null,
  text ${text} not null, class ${text} not null, state ${text} not null, lists ${text} not null, via ${text},
  not_before ${text}, expires_at ${text}, created_at ${text} not null, created_by ${text}, started_at ${text},
  paused_at ${text}, paused_by ${text}, finished_at ${text}, rows ${int} not null, version ${int} not null`

const INDEXES = [
  `create index campaigns_by_company on campaigns (company_id, id)`,
  `create index campaigns_by_state on campaigns (state, id)`,
]
