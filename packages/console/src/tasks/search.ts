import * as z from 'zod/mini'
import { orUndefined } from '#console/core/search.ts'
import { refSearch } from '#console/messages/messages/message-ref.ts'

/** The screen's search parameters. Invalid ones are ignored. */
export const TaskSearch = z.object({
  status: orUndefined(z.optional(z.enum(['received', 'started', 'completed']))),
  ...refSearch,
})
export type TaskSearch = z.infer<typeof TaskSearch>
