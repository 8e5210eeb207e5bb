import { columnTypes } from './column-types.ts'
import type { Tx } from './schema.ts'

/** Adds SIM cards with their plans and balances, and the SIM on which each attempt counts. */
export async function createSims(tx: Tx): Promise<void> {
  const { int, text, real, id, byKey } = columnTypes(tx.engine)
  for (const statement of [
    `create table sims (
      ${id}, company_id ${int} not null references companies(id), iccid ${text} not null,
      device_id ${int} references devices(id) on delete set null, slot ${int} not null default 0,
      operator ${text}, said_number ${text}, number ${text}, note ${text},
      parts_per_month ${int}, recipients_per_month ${int}, renews_on_day ${int}, valid_until ${text}, ends_at ${text},
      used_since ${text}, used_until ${text}, used_parts ${int} not null default 0,
      used_recipients ${int} not null default 0,
      balance_query ${text}, balance_amount ${real}, balance_currency ${text}, balance_at ${text},
      balance_order ${int}, balance_due_at ${text}, credit_gone_at ${text})`,
    `create unique index sims_by_iccid on sims (company_id, iccid)`,
    `create index sims_by_device on sims (device_id) where device_id is not null`,
    `create index sims_renewing on sims (used_until) where used_until is not null`,
    `create index sims_balance_due on sims (balance_due_at) where balance_due_at is not null`,
    `create table sim_devices (
      sim_id ${int} not null references sims(id) on delete cascade, device_id ${int} not null,
      since ${text} not null,
      primary key (sim_id, device_id)) ${byKey}`,
    `create table sim_recipients (
      sim_id ${int} not null, number ${text} not null, messages ${int} not null,
      primary key (sim_id, number)) ${byKey}`,
    `alter table devices add column sim_id ${int}`,
    `alter table devices add column sim_count ${int} not null default 0`,
    `alter table devices add column names_sims ${int} not null default 0`,
    ...['in_flight', 'outcomes', 'attempts'].map((table) => `alter table ${table} add column sim_id ${int}`),
  ])
    await tx.query(statement)
}
