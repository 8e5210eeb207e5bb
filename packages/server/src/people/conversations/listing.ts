import {
  type Conversation,
  type ConversationCounts,
  type ConversationSelection,
  MOST_COUNTED,
} from '@sdd/contract/people/conversations.ts'
import type { Numbers } from '#server/accounts/settings/numbers.ts'
import { instant } from '#server/core/clock.ts'
import type { Caller, Scope } from '#server/core/context.ts'
import { badCursor, pageBy } from '#server/core/paging.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import { scopeOfReader } from './access.ts'
import { asConversations } from './reading.ts'
import { conversationSearch, type Searched } from './search.store.ts'
import { candidatesIn, searchedOf } from './searched.ts'
import { type Below, type ConversationFilter, type ConversationRow, conversationStore } from './store.ts'

type Needs = { db: Pick<Database, 'read' | 'readInWorker'>; numbers: Pick<Numbers, 'kept'> }

type Page = {
  conversations: Conversation[]
  next_cursor: string | null
  counts?: ConversationCounts
}

/** A page of conversations, newest activity first. `next_cursor` is null on the last page. `forbidden`. */
export async function listConversations(
  { db, numbers }: Needs,
  caller: Caller,
  { limit, cursor, status, assigned, unread, search, counts }: ConversationSelection,
): Promise<Page> {
  const scope = await scopeOfReader(db.read, caller)
  const below = readBelow(cursor)
  const filter = {
    assigned_to: assigned === 'me' ? caller.user_id : assigned === 'none' ? undefined : userOf(assigned),
    unassigned: assigned === 'none' ? (true as const) : undefined,
    unread: unread === 'true' ? (true as const) : undefined,
  }
  // A search reads many texts.
  const searched = searchedOf(numbers, caller.company_id, search)
  const tx = searched ? db.readInWorker : db.read
  const rows = searched
    ? await found(tx, scope, searched, { ...filter, status }, below, limit + 1)
    : await newest(tx, scope, { ...filter, status }, below, limit + 1)
  const { page, next_cursor } = pageBy(rows, limit, ({ last_at, id }) => `${Date.parse(last_at)}-${id}`)
  return {
    conversations: await asConversations(tx, page),
    next_cursor,
    ...(counts === 'true' && { counts: await countOpen(db.read, scope, caller.user_id) }),
  }
}

async function countOpen(tx: Tx, scope: Scope, user_id: number): Promise<ConversationCounts> {
  const store = conversationStore(tx, scope)
  const sum = { open: 0, mine: 0, unassigned: 0 }
  for (const company_id of await store.companies()) {
    const { open, mine, unassigned } = await store.count(company_id, user_id)
    sum.open = Math.min(MOST_COUNTED, sum.open + open)
    sum.mine = Math.min(MOST_COUNTED, sum.mine + mine)
    sum.unassigned = Math.min(MOST_COUNTED, sum.unassigned + unassigned)
  }
  return sum
}

type Filter = Omit<ConversationFilter, 'status'> & { status: ConversationSelection['status'] }

async function newest(
  tx: Tx,
  scope: Scope,
  { status, ...filter }: Filter,
  below: Below | undefined,
  limit: number,
): Promise<ConversationRow[]> {
  const store = conversationStore(tx, scope)
  const rows: ConversationRow[] = []
  for (const company_id of await store.companies())
    for (const each of statusesOf(status))
      rows.push(...(await store.page(company_id, { ...filter, status: each }, below, limit)))
  return rows.sort(newestFirst).slice(0, limit)
}

/** A frequent text is mostly in one of this many newest conversations. */
const NEAR = 200

/** The conversations with this text: the newest ones are looked at one by one, and then the index is asked. */
async function found(
  tx: Tx,
  scope: Scope,
  search: Searched,
  { status, ...filter }: Filter,
  below: Below | undefined,
  limit: number,
): Promise<ConversationRow[]> {
  const store = conversationSearch(tx, scope)
  const one = status === 'all' ? undefined : status
  const near = await newest(tx, scope, { ...filter, status }, below, NEAR)
  const rows = await store.among(near, search)
  const last = near.at(-1)
  if (rows.length >= limit || near.length < NEAR || last === undefined) return rows.slice(0, limit)
  const candidates = {
    sent: await candidatesIn(tx, 'messages', search),
    received: await candidatesIn(tx, 'inbox', search),
  }
  const beyond = { at: last.last_at, id: last.id }
  const older = await store.search(
    search,
    candidates,
    { ...filter, status: one },
    beyond,
    limit - rows.length,
  )
  return [...rows, ...older]
}

function userOf(assigned: string | undefined): number | undefined {
  return assigned === undefined ? undefined : Number(assigned)
}

function statusesOf(status: ConversationSelection['status']): ConversationFilter['status'][] {
  return status === 'all' ? ['open', 'done'] : [status]
}

function newestFirst(one: ConversationRow, other: ConversationRow): number {
  if (one.last_at === other.last_at) return other.id - one.id
  return one.last_at < other.last_at ? 1 : -1
}

function readBelow(cursor: string | undefined): Below | undefined {
  if (cursor === undefined) return undefined
  const [, at, id] = /^(\d{1,15})-(\d{1,15})$/.exec(cursor) ?? badCursor()
  return { at: instant(Number(at)), id: Number(id) }
}
