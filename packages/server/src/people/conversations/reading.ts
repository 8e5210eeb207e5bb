import type { Conversation, ConversationMessage } from '@sdd/contract/people/conversations.ts'
import { measureText } from '@sdd/sms/segments.ts'
import type { Numbers } from '#server/accounts/settings/numbers.ts'
import type { Clock } from '#server/core/clock.ts'
import type { Caller, Scope } from '#server/core/context.ts'
import { isAnswerable } from '#server/core/phone-number.ts'
import { invalidField } from '#server/core/field-faults.ts'
import { Refusal } from '#server/core/refusal.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import { reasonsOf } from '#server/dispatch/why-waiting/reasons.ts'
import { waitingFieldsOf } from '#server/dispatch/why-waiting/sentences.ts'
import { smsId } from '#server/messages/inbox/inbox.ts'
import { senderNames } from '#server/messages/messages/senders.store.ts'
import { optedOut } from '#server/messages/opt-outs/opt-outs.ts'
import { errorMsgFieldsOf } from '#server/messages/outcomes/outcomes.ts'
import { refuseReader } from './access.ts'
import {
  conversationDetails,
  type ConversationRow,
  conversationStore,
  type ReceivedRow,
  type SentRow,
  threadStore,
} from './store.ts'

type Needs = { db: Pick<Database, 'read'>; clock: Clock; numbers: Pick<Numbers, 'kept'> }

/** Refuses a cursor. */
export function badCursor(): never {
  const why = 'must be a next_cursor of an earlier answer'
  throw invalidField('cursor', why, 'bad_format', {})
}

type Thread = { conversation: Conversation; messages: ConversationMessage[]; next_cursor: string | null }

/**
 * A conversation with a page of its messages, in the order in which the server stored them, newest first.
 * `unknown_conversation`, `unknown_company`, `forbidden`.
 */
export async function readConversation(
  { db, clock, numbers }: Needs,
  caller: Caller,
  written: string,
  { limit, cursor, company }: { limit: number; cursor?: string | undefined; company?: number | undefined },
): Promise<Thread> {
  const tx = db.read
  const company_id = company ?? caller.company_id
  await refuseReader(tx, caller, company_id)
  const row = await requireConversation(tx, { company_id }, numbers.kept(company_id, written) ?? written)
  const [, below_sent, below_received] =
    cursor === undefined ? ['', LAST, LAST] : (/^(\d{1,16})-(\d{1,16})$/.exec(cursor) ?? badCursor())
  const from = { sent: Number(below_sent), received: Number(below_received) }
  const store = threadStore(tx, company_id, row.number)
  const sent = await store.sent(from.sent, limit + 1)
  const received = await store.received(from.received, limit + 1)
  const page = merge(sent, received).slice(0, limit)
  const more = sent.length + received.length > limit
  // A kind without a message on this page goes on with its newest one, so later messages stay out of the next pages.
  const next = { sent: (sent[0]?.id ?? -1) + 1, received: (received[0]?.id ?? -1) + 1 }
  for (const { kind, id } of page) next[kind] = id
  const [conversation] = await asConversations(tx, [row])
  return {
    conversation: conversation!,
    messages: await asMessages(tx, clock, page),
    next_cursor: more ? `${next.sent}-${next.received}` : null,
  }
}

const LAST = String(Number.MAX_SAFE_INTEGER)

type Placed = { kind: 'sent'; id: number; row: SentRow } | { kind: 'received'; id: number; row: ReceivedRow }

/** Merges both lists, newest first. */
function merge(sent: readonly SentRow[], received: readonly ReceivedRow[]): Placed[] {
  const merged: Placed[] = []
  let [at, other] = [0, 0]
  while (at < sent.length || other < received.length) {
    const [out, back] = [sent[at], received[other]]
    if (back !== undefined && (out === undefined || back.received_at >= out.queue_timestamp)) {
      merged.push({ kind: 'received', id: back.id, row: back })
      other++
    } else {
      merged.push({ kind: 'sent', id: out!.id, row: out! })
      at++
    }
  }
  return merged
}

/** Refuses a number with which the company exchanged nothing. */
export async function requireConversation(
  tx: Tx,
  { company_id }: { company_id: number },
  number: string,
): Promise<ConversationRow> {
  const row = await conversationStore(tx, { company_id } satisfies Scope).byNumber(company_id, number)
  if (row === undefined)
    throw new Refusal('unknown_conversation', `There is no conversation with ${JSON.stringify(number)}.`)
  return row
}

/** The public form of a message that was sent. */
export async function asSentMessage(tx: Tx, clock: Clock, row: SentRow): Promise<ConversationMessage> {
  const [message] = await asMessages(tx, clock, [{ kind: 'sent', id: row.id, row }])
  return message!
}

async function asMessages(tx: Tx, clock: Clock, page: readonly Placed[]): Promise<ConversationMessage[]> {
  const sent = page.flatMap((each) => (each.kind === 'sent' ? each.row : []))
  const reasons = await reasonsOf(tx, clock, sent)
  const names = await senderNames(
    tx,
    sent.map(({ id }) => id),
  )
  return page.map(({ kind, row }) =>
    kind === 'received'
      ? {
          id: smsId(row.id),
          guid: null,
          direction: 'in' as const,
          text: row.text,
          at: row.sms_at,
          state: null,
          ...waitingFieldsOf(undefined),
          ...errorMsgFieldsOf(null),
          device_uid: row.device_uid,
          sim: row.sim,
          by: null,
          parts: measureText(row.text).segments,
        }
      : {
          id: sentId(row.id),
          guid: row.guid,
          direction: 'out' as const,
          text: row.message,
          at: row.queue_timestamp,
          state: row.state,
          ...waitingFieldsOf(reasons.get(row.id)),
          ...errorMsgFieldsOf(row.error_msg),
          device_uid: row.device_guid,
          sim: row.sim,
          by: names.get(row.id) ?? null,
          parts: row.parts,
        },
  )
}

/** The public id of a message that was sent. */
function sentId(id: number): string {
  return `m${id}`
}

/** The public form of these rows, in their order. */
export async function asConversations(tx: Tx, rows: readonly ConversationRow[]): Promise<Conversation[]> {
  const details = conversationDetails(tx)
  const [lasts, unread, users] = await Promise.all([
    lastMessages(tx, rows),
    details.unread(rows.map(({ id }) => id)),
    details.userNames([...new Set(rows.flatMap(({ assigned_to }) => assigned_to ?? []))]),
  ])
  const names = new Map<number, Map<string, string | null>>()
  const blocked = new Map<number, Awaited<ReturnType<typeof optedOut>>>()
  for (const [company_id, ours] of Map.groupBy(rows, (row) => row.company_id)) {
    const numbers = ours.map(({ number }) => number)
    blocked.set(company_id, await optedOut(tx, company_id, numbers))
    names.set(company_id, await details.contactNames(company_id, numbers))
  }
  return rows.map((row) => {
    const { id, company_id, number, status, assigned_to, last_at } = row
    const user = assigned_to === null ? undefined : users.get(assigned_to)
    return {
      company_id,
      number,
      answerable: isAnswerable(number),
      name: names.get(company_id)?.get(number) ?? null,
      last_at,
      ...lastOf(lasts.get(id) ?? {}),
      unread: unread.get(id) ?? 0,
      status,
      assigned_to: assigned_to !== null && user !== undefined ? { id: assigned_to, name: user } : null,
      opted_out: blocked.get(company_id)?.has(number) === true,
    }
  })
}

type Last = { sent?: SentRow | undefined; received?: ReceivedRow | undefined }

/** The last messages of these conversations, by their ids. */
async function lastMessages(tx: Tx, rows: readonly ConversationRow[]): Promise<Map<number, Last>> {
  const details = conversationDetails(tx)
  const [sent, received] = await Promise.all([
    details.messages(rows.flatMap(({ message_id }) => message_id ?? [])),
    details.received(rows.flatMap(({ inbox_id }) => inbox_id ?? [])),
  ])
  const lasts = new Map<number, Last>()
  for (const { id, company_id, number, message_id, inbox_id } of rows) {
    const last: Last = { sent: sent.get(message_id ?? 0), received: received.get(inbox_id ?? 0) }
    // Retention removes messages in the order in which they ended, so an older one may be left.
    const thread = threadStore(tx, company_id, number)
    if (message_id !== null && !last.sent) [last.sent] = await thread.sent(Number.MAX_SAFE_INTEGER, 1)
    if (inbox_id !== null && !last.received)
      [last.received] = await thread.received(Number.MAX_SAFE_INTEGER, 1)
    lasts.set(id, last)
  }
  return lasts
}

function lastOf({ sent, received }: Last) {
  if (received && (!sent || received.received_at >= sent.queue_timestamp)) {
    const { text, device_uid, sim } = received
    return {
      last_text: text,
      last_direction: 'in' as const,
      last_state: null,
      ...lastErrorOf(null),
      device_uid,
      sim,
    }
  }
  return {
    last_text: sent?.message ?? '',
    last_direction: 'out' as const,
    last_state: sent?.state ?? null,
    ...lastErrorOf(sent?.error_msg ?? null),
    device_uid: sent?.device_guid ?? null,
    sim: sent?.sim ?? null,
  }
}

function lastErrorOf(last_error_msg: string | null) {
  const { error_msg_code, error_msg_params } = errorMsgFieldsOf(last_error_msg)
  return {
    last_error_msg,
    last_error_msg_code: error_msg_code,
    last_error_msg_params: error_msg_params,
  }
}
