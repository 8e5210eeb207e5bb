import {
  listConversations,
  MOST_COUNTED,
  type ConversationCounts,
} from '@sdd/contract/people/conversations.ts'
import { queryOptions } from '@tanstack/react-query'
import { callApi } from '#console/core/api.ts'
import { formatCount } from '#console/ui/numbers.ts'

/** How many conversations are open: all, those of this user, and those of no user. */
export const countsQuery = queryOptions({
  queryKey: ['conversations', 'counts'],
  queryFn: ({ signal }) =>
    callApi(
      listConversations,
      { query: { counts: 'true', limit: '1' }, signal },
      (body) => (body as { counts?: ConversationCounts }).counts ?? null,
    ),
})

/** A count as text; the server counts no further than 1000. */
export function countText(count: number): string {
  return formatCount(count) + (count >= MOST_COUNTED ? '+' : '')
}
