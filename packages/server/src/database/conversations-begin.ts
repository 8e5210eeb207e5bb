import { DEFAULT_COUNTRY } from '@sdd/contract/core/countries.ts'
import { keptSender } from '#server/core/phone-number.ts'
import { columnTypes } from './column-types.ts'
import type { Conversations } from './people-tables.ts'
import type { Tx } from './schema.ts'

/** Creates the conversations, those of older messages included. */
export async function createConversations(tx: Tx): Promise<void> {
  const { int, text, id } = columnTypes(tx.engine)
  const roomy = tx.engine === 'postgres' ? 'with (fillfactor = 80)' : ''
  for (const statement of [
    `alter table settings add column inbox_role ${text} not null default 'user'`,
    `create table conversations (
      ${id}, company_id ${int} not null, number ${text} not null, status ${text} not null, assigned_to ${int},
      last_at ${text} not null, message_id ${int}, inbox_id ${int}, read_id ${int} not null default 0) ${roomy}`,
    `create index inbox_by_number on inbox (company_id, sms_from, id)`,
    `create index inbox_by_company on inbox (company_id, id)`,
  ])
    await tx.query(statement)
  await fill(tx)
  for (const statement of [
    `create unique index conversations_by_number on conversations (company_id, number)`,
    `create index conversations_by_status on conversations (company_id, status, last_at, id)`,
    `create index conversations_unread on conversations (company_id, status, last_at, id) where inbox_id > read_id`,
    `create index conversations_of_user on conversations (assigned_to, company_id, status, last_at, id)
      where assigned_to is not null`,
  ])
    await tx.query(statement)
}

type Older = Pick<Conversations, 'company_id' | 'number' | 'last_at' | 'message_id' | 'inbox_id'>

/** Older messages: they count as read. The rest of the log may still have its numbers in another notation. */
async function fill(tx: Tx): Promise<void> {
  const rows = await tx.query<Older>(
    `select company_id, message_to as number, max(queue_timestamp) as last_at, max(id) as message_id, null as inbox_id
      from messages group by company_id, message_to
    union all select company_id, sms_from, max(received_at), null, max(id) from inbox group by company_id, sms_from`,
  )
  const conversations = new Map<string, Older>()
  for (const row of rows) {
    const number = keptSender(row.number, DEFAULT_COUNTRY)
    const found = conversations.getOrInsertComputed(`${row.company_id} ${number}`, () => ({ ...row, number }))
    found.message_id = greater(found.message_id, row.message_id)
    found.inbox_id = greater(found.inbox_id, row.inbox_id)
    if (row.last_at > found.last_at) found.last_at = row.last_at
  }
  const made = [...conversations.values()].map((each) => ({
    ...each,
    status: each.inbox_id === null ? ('done' as const) : ('open' as const),
    read_id: each.inbox_id ?? 0,
  }))
  for (let from = 0; from < made.length; from += 500)
    await tx.insert('conversations', made.slice(from, from + 500))
}

function greater(one: number | null, other: number | null): number | null {
  return one === null || (other !== null && other > one) ? other : one
}
