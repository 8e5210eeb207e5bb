import { columnTypes } from './column-types.ts'
import type { Tx } from './schema.ts'

/** Creates the table of SMS that people typed on the devices themselves. */
export async function createTypedSms(tx: Tx): Promise<void> {
  const { int, text, id } = columnTypes(tx.engine)
  for (const statement of [
    `create table typed_sms (
      ${id}, company_id ${int} not null references companies(id),
      device_id ${int} not null references devices(id), sms_id ${text} not null, sms_to ${text} not null,
      text ${text} not null, sms_at ${text} not null, stored_at ${text} not null, sim ${text})`,
    `create unique index typed_sms_by_device on typed_sms (device_id, sms_id)`,
    `create index typed_sms_by_number on typed_sms (company_id, sms_to, id)`,
    `create index typed_sms_by_time on typed_sms (company_id, stored_at)`,
    `alter table conversations add column typed_id ${int}`,
  ])
    await tx.query(statement)
}
