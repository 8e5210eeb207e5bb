import { columnTypes } from './column-types.ts'
import type { Tx } from './schema.ts'

/** Creates the tables of receipts and received SMS that wait for a program, and of the programs that receive. */
export async function createSmppDeliveries(tx: Tx): Promise<void> {
  const { int, text, keptId } = columnTypes(tx.engine)
  for (const statement of [
    `create table smpp_deliveries (
      ${keptId}, company_id ${int} not null references companies(id),
      api_key_id ${int} not null references api_keys(id), name ${text} not null, body ${text} not null,
      created_at ${text} not null, due_at ${text} not null)`,
    `create index smpp_deliveries_by_key on smpp_deliveries (api_key_id, id)`,
    `create index smpp_deliveries_by_name on smpp_deliveries (api_key_id, name, id)`,
    `create index smpp_deliveries_by_time on smpp_deliveries (created_at)`,
    `create table smpp_receivers (
      api_key_id ${int} primary key references api_keys(id), bound_at ${text} not null)`,
  ])
    await tx.query(statement)
}

/** Creates the table of the parts of long SMS that programs submitted over SMPP. */
export async function createSmppParts(tx: Tx): Promise<void> {
  const { int, text, id } = columnTypes(tx.engine)
  for (const statement of [
    `create table smpp_parts (
      ${id}, company_id ${int} not null references companies(id),
      api_key_id ${int} not null references api_keys(id), reference ${text} not null, guid ${text} not null,
      n ${int} not null, data_coding ${int} not null, octets ${text} not null, registered ${int} not null,
      began_at ${text} not null)`,
    `create index smpp_parts_by_reference on smpp_parts (api_key_id, reference, id)`,
    `create index smpp_parts_by_guid on smpp_parts (api_key_id, guid)`,
    `create index smpp_parts_by_time on smpp_parts (began_at)`,
  ])
    await tx.query(statement)
}
