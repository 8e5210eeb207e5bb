import type { Conversation, ConversationMessage, SenderKind } from '@sdd/contract/people/conversations.ts'
import { measureText } from '@sdd/sms/segments.ts'
import type { Numbers } from '#server/accounts/settings/numbers.ts'
import type { Clock } from '#server/core/clock.ts'
import type { Caller, Scope } from '#server/core/context.ts'
import { badCursor } from '#server/core/paging.ts'
import { isAnswerable } from '#server/core/phone-number.ts'
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
  type TypedRow,
} from './store.ts'

type Needs = { db: Pick<Database, 'read'>; clock: Clock; numbers: Pick<Numbers, 'kept'> }

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
  const row = await requireConversation(
    tx,
    { company_id },
    await storedNumber(tx, numbers, company_id, written),
  )
  const from = readBelow(cursor)
  const store = threadStore(tx, company_id, row.number)
  const sent = await store.sent(from.sent, limit + 1)
  const received = await store.received(from.received, limit + 1)
  const typed = row.typed_id === null ? [] : await store.typed(from.typed, limit + 1)
  const page = merge(sent, received, typed).slice(0, limit)
  const more = sent.length + received.length + typed.length > limit
  // A kind without a message on this page goes on with its newest one, so later messages stay out of the next pages.
  const after = (rows: readonly { id: number }[]) => (rows[0]?.id ?? -1) + 1
  const next: Place = { sent: after(sent), received: after(received), typed: after(typed) }
  for (const { kind, id } of page) next[kind] = id
  const [conversation] = await asConversations(tx, [row])
  return {
    conversation: conversation!,
    messages: await asMessages(tx, clock, page),
    next_cursor: more ? `${next.sent}-${next.received}-${next.typed}` : null,
  }
}

type Place = Record<Placed['kind'], number>

/** The ids below which a page begins. The cursors of earlier versions have no typed SMS. */
function readBelow(cursor: string | undefined): Place {
  const last = Number.MAX_SAFE_INTEGER
  if (cursor === undefined) return { sent: last, received: last, typed: last }
  const [, sent, received, typed] = /^(\d{1,16})-(\d{1,16})(?:-(\d{1,16}))?$/.exec(cursor) ?? badCursor()
  return { sent: Number(sent), received: Number(received), typed: Number(typed ?? 0) }
}

/** `at`: when the server stored it. */
type Placed = { id: number; at: string } & (
  | { kind: 'sent'; row: SentRow }
  | { kind: 'received'; row: ReceivedRow }
  | { kind: 'typed'; row: TypedRow }
)

/** Merges the lists, newest first. Each keeps its order, whatever its times are. */
function merge(
  sent: readonly SentRow[],
  received: readonly ReceivedRow[],
  typed: readonly TypedRow[],
): Placed[] {
  const lists: Placed[][] = [
    received.map((row) => ({ kind: 'received', id: row.id, at: row.received_at, row })),
    typed.map((row) => ({ kind: 'typed', id: row.id, at: row.stored_at, row })),
    sent.map((row) => ({ kind: 'sent', id: row.id, at: row.queue_timestamp, row })),
  ]
  const heads = lists.map(() => 0)
  const merged: Placed[] = []
  for (let left = lists.flat().length; left > 0; left--) {
    let newest: { list: number; head: Placed } | undefined
    for (const [list, rows] of lists.entries()) {
      const head = rows[heads[list]!]
      if (head && (newest === undefined || head.at > newest.head.at)) newest = { list, head }
    }
    merged.push(newest!.head)
    heads[newest!.list]!++
  }
  return merged
}

/**
 * The number of a conversation in the form in which it is stored. One that has exactly this text goes first: it was read
 * as the number of another country, or as none.
 */
export async function storedNumber(
  tx: Tx,
  numbers: Pick<Numbers, 'kept'>,
  company_id: number,
  written: string,
): Promise<string> {
  const kept = numbers.kept(company_id, written) ?? written
  if (kept === written) return kept
  return (await conversationStore(tx, { company_id }).byNumber(company_id, written)) ? written : kept
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
  const [message] = await asMessages(tx, clock, [{ kind: 'sent', id: row.id, at: row.queue_timestamp, row }])
  return message!
}

async function asMessages(tx: Tx, clock: Clock, page: readonly Placed[]): Promise<ConversationMessage[]> {
  const sent = page.flatMap((each) => (each.kind === 'sent' ? each.row : []))
  const reasons = await reasonsOf(tx, clock, sent)
  const names = await senderNames(
    tx,
    sent.map(({ id }) => id),
  )
  return page.map((placed) => {
    if (placed.kind === 'received') return asReceived(placed.row)
    if (placed.kind === 'typed') return asTyped(placed.row)
    const { row } = placed
    return {
      id: `m${row.id}`,
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
      by_kind: senderKind(row),
      parts: row.parts,
    }
  })
}

function asReceived(row: ReceivedRow): ConversationMessage {
  return {
    ...plainFields(row),
    id: smsId(row.id),
    direction: 'in',
    state: null,
    by_kind: null,
  }
}

/** The phone listed it as sent. */
function asTyped(row: TypedRow): ConversationMessage {
  return {
    ...plainFields(row),
    id: `t${row.id}`,
    direction: 'out',
    state: 'sent',
    by_kind: 'phone',
  }
}

/** The fields of an SMS that no message of the log is about. */
function plainFields({ text, sms_at, device_uid, sim }: ReceivedRow | TypedRow) {
  return {
    guid: null,
    text,
    at: sms_at,
    ...waitingFieldsOf(undefined),
    ...errorMsgFieldsOf(null),
    device_uid,
    sim,
    by: null,
    parts: measureText(text).segments,
  }
}

function senderKind({ task, api_key_id, queued_by }: SentRow): SenderKind {
  if (task === 3) return 'campaign'
  if (api_key_id !== null) return 'api_key'
  return queued_by === null ? 'server' : 'user'
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

type Last = {
  sent?: SentRow | undefined
  received?: ReceivedRow | undefined
  typed?: TypedRow | undefined
}

/** The last messages of these conversations, by their ids. */
async function lastMessages(tx: Tx, rows: readonly ConversationRow[]): Promise<Map<number, Last>> {
  const details = conversationDetails(tx)
  const [sent, received, typed] = await Promise.all([
    details.messages(rows.flatMap(({ message_id }) => message_id ?? [])),
    details.received(rows.flatMap(({ inbox_id }) => inbox_id ?? [])),
    details.typed(rows.flatMap(({ typed_id }) => typed_id ?? [])),
  ])
  const lasts = new Map<number, Last>()
  for (const { id, company_id, number, message_id, inbox_id, typed_id } of rows) {
    const last: Last = {
      sent: sent.get(message_id ?? 0),
      received: received.get(inbox_id ?? 0),
      typed: typed.get(typed_id ?? 0),
    }
    // Retention removes messages in the order in which they ended, so an older one may be left.
    const thread = threadStore(tx, company_id, number)
    if (message_id !== null && !last.sent) [last.sent] = await thread.sent(Number.MAX_SAFE_INTEGER, 1)
    if (inbox_id !== null && !last.received)
      [last.received] = await thread.received(Number.MAX_SAFE_INTEGER, 1)
    if (typed_id !== null && !last.typed) [last.typed] = await thread.typed(Number.MAX_SAFE_INTEGER, 1)
    lasts.set(id, last)
  }
  return lasts
}

function lastOf({ sent, received, typed }: Last) {
  const [last] = merge(sent ? [sent] : [], received ? [received] : [], typed ? [typed] : [])
  if (last?.kind !== 'received' && last?.kind !== 'typed')
    return {
      last_text: sent?.message ?? '',
      last_direction: 'out' as const,
      last_state: sent?.state ?? null,
      ...lastErrorOf(sent?.error_msg ?? null),
      device_uid: sent?.device_guid ?? null,
      sim: sent?.sim ?? null,
    }
  const { text, device_uid, sim } = last.row
  return {
    last_text: text,
    ...(last.kind === 'typed'
      ? { last_direction: 'out' as const, last_state: 'sent' as const }
      : { last_direction: 'in' as const, last_state: null }),
    ...lastErrorOf(null),
    device_uid,
    sim,
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
