import * as z from 'zod/mini'
import { orNothing } from '#console/core/search.ts'
import { whichSearch } from '#console/messages/messages/which.ts'

/** The screen's search parameters. Invalid ones are ignored. */
export const TaskSearch = z.object({
  status: orNothing(z.optional(z.enum(['received', 'started', 'completed']))),
  /** The task whose details are open. */
  ...whichSearch,
})
export type TaskSearch = z.infer<typeof TaskSearch>
