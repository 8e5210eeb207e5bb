import * as z from 'zod/mini'
import { orUndefined } from '#console/core/search.ts'

/** The screen's search parameters: which dialog is open. */
export const AccountSearch = z.object({
  open: orUndefined(z.optional(z.enum(['enrol', 'renew', 'off', 'others']))),
})
export type AccountSearch = z.infer<typeof AccountSearch>
