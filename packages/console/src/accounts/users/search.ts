import * as z from 'zod/mini'
import { orUndefined } from '#console/core/search.ts'

/** The screen's search parameters. Invalid ones are ignored. */
export const UserSearch = z.object({
  search: orUndefined(z.optional(z.string())),
  /** The id of the user in the form, `new`, or `enable` for the dialog that enables several users. */
  edit: orUndefined(z.optional(z.string().check(z.regex(/^(new|enable|[1-9]\d*)$/)))),
})
export type UserSearch = z.infer<typeof UserSearch>
