import {
  answerConversation,
  changeConversation,
  discardAnswer,
  listConversations,
  readConversation,
  type Conversation,
  type ConversationChange,
  type ConversationMessage,
  type NewAnswer,
} from '@sdd/contract/people/conversations.ts'
import { CallFault, textOf } from '@sdd/contract/core/client.ts'
import { infiniteQueryOptions, queryOptions, type InfiniteData } from '@tanstack/react-query'
import { callApi, rowsOf } from '#console/core/api.ts'
import { pagesQuery, parsePage } from '#console/core/pages.ts'
import type { ConversationFilter } from './search.ts'

/** A superadmin may see the same number in several companies. */
export type ConversationRef = { number: string; company: string | undefined }

/** Not parsed with their schemas, as they are reloaded often. Without a conversation, there is none with the number. */
type Thread = {
  conversation: Conversation | undefined
  messages: ConversationMessage[]
  next: string | undefined
}
const NO_THREAD: Thread = { conversation: undefined, messages: [], next: undefined }

/** More unread conversations than this are counted as `+`. */
const MOST_UNREAD = 100

const selections = {
  open: { status: 'open' },
  mine: { status: 'open', assigned: 'me' },
  none: { status: 'open', assigned: 'none' },
  all: { status: 'all' },
} as const satisfies Record<ConversationFilter, object>

export function refOf({ number, company_id }: Conversation): ConversationRef {
  return { number, company: String(company_id) }
}

/** Unique among the conversations of all companies. */
export function keyOf({ number, company_id }: Conversation): string {
  return `${company_id} ${number}`
}

export function isOpen(row: Conversation, { number, company }: ConversationRef): boolean {
  return row.number === number && (company === undefined || company === String(row.company_id))
}

export function conversationsQuery(filter: ConversationFilter, search: string | undefined) {
  return pagesQuery<Conversation>(['conversations', 'list', filter, search], (cursor, signal) =>
    callApi(listConversations, { query: { ...selections[filter], search, cursor }, signal }, (body) =>
      parsePage(body, 'conversations'),
    ),
  )
}

export type Unread = { count: number; more: boolean; newest: Conversation | undefined }

/** The unread SMS of all conversations. `more`: there are more than were counted. */
export const unreadQuery = queryOptions({
  queryKey: ['conversations', 'unread'],
  queryFn: ({ signal }) =>
    callApi(
      listConversations,
      { query: { status: 'all', unread: 'true', limit: String(MOST_UNREAD) }, signal },
      (body): Unread => {
        const rows = rowsOf<Conversation>(body, 'conversations')
        const count = rows.reduce((sum, { unread }) => sum + unread, 0)
        return { count, more: textOf(body, 'next_cursor') !== undefined, newest: rows[0] }
      },
    ),
})

export function threadQuery({ number, company }: ConversationRef) {
  return infiniteQueryOptions({
    queryKey: ['conversations', 'thread', number, company],
    queryFn: ({ pageParam, signal }) =>
      callApi(
        readConversation,
        { params: { number }, query: { company, cursor: pageParam }, signal },
        (body): Thread => ({
          conversation: (body as Thread).conversation,
          messages: rowsOf<ConversationMessage>(body, 'messages'),
          next: textOf(body, 'next_cursor'),
        }),
      ).catch((fault: unknown) => {
        // An answer, not a fault: the screen for it stays while the server is asked again.
        if (fault instanceof CallFault && fault.code === 'unknown_conversation') return NO_THREAD
        throw fault
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }: Thread) => next,
    select: joined,
  })
}

/** The loaded messages, oldest first. A page that was loaded later may repeat some. */
function joined({ pages }: InfiniteData<Thread>) {
  const byId = new Map(pages.flatMap(({ messages }) => messages.map((message) => [message.id, message])))
  return { conversation: pages[0]!.conversation, messages: [...byId.values()].reverse() }
}

export function change(
  { number, company }: ConversationRef,
  body: ConversationChange,
): Promise<Conversation> {
  return callApi(changeConversation, { params: { number }, query: { company }, body })
}

export async function answer({ number, company }: ConversationRef, body: NewAnswer): Promise<void> {
  await callApi(answerConversation, { params: { number }, query: { company }, body })
}

/** Whether the message is discarded for certain; otherwise its device was asked to drop it. */
export async function discard({ number, company }: ConversationRef, guid: string): Promise<boolean> {
  const { state } = await callApi(discardAnswer, { params: { number, guid }, query: { company } })
  return state === 'cancelled'
}
