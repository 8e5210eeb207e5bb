import * as z from 'zod/mini'
import { orNothing } from '#console/core/search.ts'

/** The screen's search parameters: which dialog is open. */
export const AccountSearch = z.object({
  open: orNothing(z.optional(z.enum(['enrol', 'renew', 'off', 'others']))),
})
export type AccountSearch = z.infer<typeof AccountSearch>
