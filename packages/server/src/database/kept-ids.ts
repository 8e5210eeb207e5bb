import type { Tx } from './schema.ts'

/**
 * Keeps SQLite from using the id of a removed message or SMS again: conversations, campaigns and the callers of
 * `GET /api/inbox` remember ids for longer than their rows are kept. The last ids are in `sqlite_sequence`, as those of
 * tables with `autoincrement` are. PostgreSQL never uses an id again.
 */
export async function keepIds(tx: Tx): Promise<void> {
  if (tx.engine === 'postgres') return
  for (const [table, remembered] of REMEMBERED) {
    const greatest = [`select max(id) as id from ${table}`, ...remembered].join(' union all ')
    await tx.query(`insert into sqlite_sequence (name, seq)
      select '${table}', coalesce(max(id), 0) from (${greatest})`)
    await tx.query(`create trigger ${table}_keeps_id after delete on ${table}
      when old.id > (select coalesce(max(id), 0) from ${table}) begin
      update sqlite_sequence set seq = old.id where name = '${table}' and seq < old.id; end`)
  }
}

const REMEMBERED = [
  ['messages', ['select max(message_id) from conversations', 'select max(message_id) from campaign_rows']],
  ['inbox', ['select max(inbox_id) from conversations', 'select max(read_id) from conversations']],
  ['typed_sms', ['select max(typed_id) from conversations']],
] as const

/** On SQLite: an id for the next row of one of these tables. */
export function nextIdOf(table: (typeof REMEMBERED)[number][0]): string {
  return `(select 1 + max(coalesce((select max(id) from ${table}), 0), seq) from sqlite_sequence where name = '${table}')`
}
