import { columnTypes } from './column-types.ts'
import type { Tx } from './schema.ts'

/** Adds when each device connected and disconnected. Of older times only the present state is known. */
export async function addPresenceHistory(tx: Tx): Promise<void> {
  const { int, text, byKey } = columnTypes(tx.engine)
  for (const statement of [
    `create table presence (
      device_id ${int} not null, at ${text} not null, status ${text} not null,
      primary key (device_id, at)) ${byKey}`,
    `create index presence_by_time on presence (at)`,
    `create table presence_gaps (began_at ${text} not null, ended_at ${text})`,
    `create unique index presence_gaps_open on presence_gaps ((ended_at is null)) where ended_at is null`,
    `insert into presence (device_id, at, status)
      select id, status_at, status from devices where unlinked_at is null`,
  ])
    await tx.query(statement)
}
