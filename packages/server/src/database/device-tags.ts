import { columnTypes } from './column-types.ts'
import type { Tx } from './schema.ts'

/** Adds the tags of devices, and the tag by which a message asks for some of them. */
export async function addDeviceTags(tx: Tx): Promise<void> {
  const { int, text, byKey } = columnTypes(tx.engine)
  for (const statement of [
    `alter table devices add column tags ${text} not null default '[]'`,
    `alter table messages add column via ${text}`,
    `create table device_tags (
      device_id ${int} not null references devices(id) on delete cascade,
      company_id ${int} not null, tag ${text} not null,
      primary key (device_id, tag)) ${byKey}`,
    `create index device_tags_by_tag on device_tags (company_id, tag, device_id)`,
  ])
    await tx.query(statement)
}
