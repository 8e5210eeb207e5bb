import { columnTypes } from './column-types.ts'
import type { Tx } from './schema.ts'

/**
 * Adds when each user last logged in, and from where each API key was last used. Logins have a table of their own: a
 * login locks its user shared, and two that then changed that row would wait for each other.
 */
export async function addLastUses(tx: Tx): Promise<void> {
  const { int, text } = columnTypes(tx.engine)
  await tx.query(`create table last_logins (
    user_id ${int} primary key references users(id) on delete cascade, at ${text} not null)`)
  await tx.query('insert into last_logins select user_id, max(created_at) from sessions group by user_id')
  await tx.query(`alter table api_keys add column last_used_from ${text}`)
}
