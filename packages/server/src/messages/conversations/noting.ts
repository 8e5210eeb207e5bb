import { type Total, total } from '@sdd/storage/totals.ts'
import type { ConversationStatus } from '@sdd/contract/people/conversations.ts'
import { TOTALS_ORDER, type Tx } from '#server/database/schema.ts'

type Sent = { company_id: number; message_to: string; task: 0 | 1 | 2 | 3; queue_timestamp: string }
type Received = { company_id: number; number: string; id: number; received_at: string }
type Typed = { company_id: number; number: string; id: number; stored_at: string }

/**
 * Notes new messages in the conversations of their numbers. A conversation that another system or a campaign begins is done at first,
 * and one that a person begins is open. A commit writes each conversation once, however many messages it stores.
 */
export async function noteSent(tx: Tx, messages: readonly Sent[], ids: readonly number[]): Promise<void> {
  for (const [index, { company_id, message_to, task, queue_timestamp }] of messages.entries())
    await tx.add(task === 1 || task === 3 ? BY_SYSTEM : BY_PERSON, [company_id, message_to], 1, [
      queue_timestamp,
      ids[index]!,
    ])
}

/** Notes a received SMS. It opens the conversation. */
export function noteReceived(tx: Tx, { company_id, number, id, received_at }: Received): Promise<void> {
  return tx.add(RECEIVED, [company_id, number], 1, [received_at, id])
}

/** Notes an SMS that was typed on a device itself. A conversation that it begins is open. */
export function noteTyped(tx: Tx, { company_id, number, id, stored_at }: Typed): Promise<void> {
  return tx.add(TYPED, [company_id, number], 1, [stored_at, id])
}

/** Adds to the rows of conversations; `column` has the last message of this kind. */
function noted(
  kind: string,
  column: 'message_id' | 'inbox_id' | 'typed_id',
  status: ConversationStatus,
): Total {
  const opened = column === 'inbox_id' ? `, status = 'open'` : ''
  return total({
    order: TOTALS_ORDER.conversations,
    kind,
    columns: { company_id: 'bigint', number: 'text', count: 'bigint', last_at: 'text', id: 'bigint' },
    add: (rows) => `insert into conversations (company_id, number, status, last_at, ${column})
      select company_id, number, '${status}', last_at, id
        from (${rows}) as noted (company_id, number, count, last_at, id) where true
      on conflict (company_id, number) do update set ${column} = ${later(column)},
        last_at = ${later('last_at')}${opened}`,
    one: `insert into conversations (company_id, number, status, last_at, ${column})
      select :company_id, :number, '${status}', :last_at, :id where :count > 0
      on conflict (company_id, number) do update set ${column} = ${later(column)},
        last_at = ${later('last_at')}${opened}`,
  })
}

/** The greater value: another server may have stored a later message before. */
function later(column: string): string {
  return `case when conversations.${column} > excluded.${column} then conversations.${column}
    else excluded.${column} end`
}

/** A person's comes first, so that a conversation that both begin in one commit is open. */
const BY_PERSON = noted('by a person', 'message_id', 'open')
const BY_SYSTEM = noted('by a system', 'message_id', 'done')
const RECEIVED = noted('received', 'inbox_id', 'open')
const TYPED = noted('typed', 'typed_id', 'open')
