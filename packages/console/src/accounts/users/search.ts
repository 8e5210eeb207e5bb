import { Role } from '@sdd/contract/core/roles.ts'
import * as z from 'zod/mini'
import { orUndefined } from '#console/core/search.ts'

const UserSortKey = z.enum(['id', 'name', 'email', 'role', 'enabled', 'company', 'last_login_at'])
export type UserSortKey = z.infer<typeof UserSortKey>

/** The screen's search parameters. Invalid ones are ignored. */
export const UserSearch = z.object({
  search: orUndefined(z.optional(z.string())),
  role: orUndefined(z.optional(Role)),
  company: orUndefined(z.optional(z.string().check(z.regex(/^[1-9]\d{0,9}$/)))),
  sort: orUndefined(z.optional(UserSortKey)),
  desc: orUndefined(z.optional(z.literal('true'))),
  /** The id of the user in the form, `new`, or `enable` for the dialog that enables several users. */
  edit: orUndefined(z.optional(z.string().check(z.regex(/^(new|enable|[1-9]\d*)$/)))),
})
export type UserSearch = z.infer<typeof UserSearch>
