import { columnTypes } from './column-types.ts'
import type { Tx } from './schema.ts'

/** Adds the routes of companies. */
export async function createRouteLists(tx: Tx): Promise<void> {
  const { int, text } = columnTypes(tx.engine)
  for (const statement of [
    `alter table settings add column routes ${int} not null default 0`,
    `create table route_lists (
      company_id ${int} primary key references companies(id), version ${int} not null, routes ${text} not null,
      last_id ${int} not null, since_message ${int} not null, saved_at ${text} not null, saved_by ${text} not null)`,
  ])
    await tx.query(statement)
}
