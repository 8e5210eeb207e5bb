import { columnTypes } from './column-types.ts'
import type { Tx } from './schema.ts'

/** Adds what devices can do, and the orders to them. */
export async function createOrders(tx: Tx): Promise<void> {
  const { int, text, keptId } = columnTypes(tx.engine)
  for (const statement of [
    `alter table devices add column abilities ${text}`,
    // An id is never used again: a late answer must not meet another order.
    `create table orders (
      ${keptId}, company_id ${int} not null, device_id ${int} not null references devices(id) on delete cascade,
      what ${text} not null, details ${text}, by_name ${text}, at ${text} not null, expires_at ${text} not null,
      ok ${int}, output ${text}, code ${text}, detail ${text}, answered_at ${text})`,
    `create index orders_by_device on orders (device_id, id)`,
    `create index orders_by_time on orders (at)`,
  ])
    await tx.query(statement)
}
