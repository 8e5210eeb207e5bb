import type { Conversation, ConversationChange } from '@sdd/contract/people/conversations.ts'
import type { Numbers } from '#server/accounts/settings/numbers.ts'
import { sharedSettings } from '#server/accounts/settings/settings.ts'
import type { Caller } from '#server/core/context.ts'
import type { Live } from '#server/core/live.ts'
import { invalidField } from '#server/core/field-faults.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import { mayRead, refuseReader } from './access.ts'
import { asConversations, requireConversation, storedNumber } from './reading.ts'
import { type ConversationRow, conversationStore, enabledUser, threadStore } from './store.ts'

type Needs = { db: Database; live: Live; numbers: Pick<Numbers, 'kept'> }

/**
 * Changes the status of a conversation, the user who takes care of it, or how far it is read. `forbidden`,
 * `unknown_company`, `unknown_conversation`, `invalid`.
 */
export async function changeConversation(
  { db, live, numbers }: Needs,
  caller: Caller,
  { number: written, company }: { number: string; company?: number | undefined },
  change: ConversationChange,
): Promise<Conversation> {
  const company_id = company ?? caller.company_id
  const number = await db.write(async (tx) => {
    await refuseReader(tx, caller, company_id)
    const number = await storedNumber(tx, numbers, company_id, written)
    const row = await requireConversation(tx, { company_id }, number)
    const { status, assigned_to, read_to } = change
    if (assigned_to !== undefined && assigned_to !== null) await requireReader(tx, company_id, assigned_to)
    const read_id = read_to === undefined ? row.read_id : await readUpTo(tx, row, read_to)
    await conversationStore(tx, { company_id }).update(row.id, { status, assigned_to, read_id })
    return number
  })
  live.changed(company_id, 'conversations')
  const row = await requireConversation(db.read, { company_id }, number)
  const [conversation] = await asConversations(db.read, [row])
  return conversation!
}

async function requireReader(tx: Tx, company_id: number, id: number): Promise<void> {
  const user = await enabledUser(tx, company_id, id)
  const { inbox_role } = await sharedSettings(tx, 'all', company_id)
  if (user && mayRead(user.role, inbox_role)) return
  throw invalidField(
    'assigned_to',
    'must be an enabled user of the company who may read conversations',
    'bad_format',
    {},
  )
}

/** The mark after this message. It never moves back, except for null: then the last received SMS is unread again. */
async function readUpTo(tx: Tx, row: ConversationRow, read_to: string | null): Promise<number> {
  const thread = threadStore(tx, row.company_id, row.number)
  if (read_to === null) {
    const last = row.inbox_id ?? 0
    const isGone = last === 0 || (await thread.receivedBy(last)) === undefined
    if (isGone || row.read_id < last) return row.read_id
    return thread.lastReceived({ below: last })
  }
  const [, kind, id] = /^([mrt])([1-9]\d{0,14})$/.exec(read_to) ?? []
  const received = kind === 'r' ? await thread.receivedBy(Number(id)) : undefined
  if (received) return Math.max(row.read_id, received.id)
  const sent = kind === 'm' ? await thread.sentBy(Number(id)) : undefined
  const typed = kind === 't' ? await thread.typedBy(Number(id)) : undefined
  const until = sent?.queue_timestamp ?? typed?.stored_at
  if (until === undefined)
    throw invalidField('read_to', 'must be the id of a message of this conversation', 'bad_format', {})
  return Math.max(row.read_id, await thread.lastReceived({ until }))
}
