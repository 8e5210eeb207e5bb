import * as z from 'zod/mini'
import { orUndefined } from '#console/core/search.ts'
import { refSearch } from '#console/messages/messages/message-ref.ts'

export const conversationFilters = ['open', 'mine', 'none', 'all'] as const
export type ConversationFilter = (typeof conversationFilters)[number]

/** The screen's search parameters. Invalid ones are ignored. `open` is the number of the open conversation. */
export const ConversationSearch = z.object({
  /** Absent: the open ones. */
  filter: orUndefined(z.optional(z.enum(['mine', 'none', 'all']))),
  q: orUndefined(z.optional(z.string().check(z.minLength(1), z.maxLength(200)))),
  ...refSearch,
})
export type ConversationSearch = z.infer<typeof ConversationSearch>
