import * as z from 'zod/mini'
import { orNothing } from '#console/core/search.ts'

/** The screen's address; what it does not understand it leaves out. */
export const TaskSearch = z.object({
  status: orNothing(z.optional(z.enum(['received', 'started', 'completed']))),
  /** The guid of the task whose details are open. */
  open: orNothing(z.optional(z.string().check(z.minLength(1), z.maxLength(200)))),
})
export type TaskSearch = z.infer<typeof TaskSearch>
