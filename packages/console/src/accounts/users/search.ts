import * as z from 'zod/mini'
import { orNothing } from '#console/core/search.ts'

/** The screen's address; what it does not understand it leaves out. */
export const UserSearch = z.object({
  search: orNothing(z.optional(z.string())),
  /** The id of the user whose form is open, `new`, or `enable` for the dialog that enables several. */
  edit: orNothing(z.optional(z.string().check(z.regex(/^(new|enable|[1-9]\d*)$/)))),
})
export type UserSearch = z.infer<typeof UserSearch>
