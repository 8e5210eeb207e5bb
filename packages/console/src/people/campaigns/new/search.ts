import type { RowGroup } from '@sdd/contract/people/campaign-checks.ts'
import * as z from 'zod/mini'
import { orUndefined } from '#console/core/search.ts'

/** Written out: the contract's schemas would be part of the first screen. */
const groups = [
  'sendable',
  'invalid',
  'repeated',
  'opted_out',
  'without_consent',
  'over_recipient_cap',
] as const satisfies readonly RowGroup[]

/** The screen's search parameters: the draft that is written, and the group of the check that is open. */
export const NewCampaignSearch = z.object({
  draft: orUndefined(z.optional(z.string().check(z.regex(/^[1-9]\d{0,14}$/)))),
  group: orUndefined(z.optional(z.enum(groups))),
})
export type NewCampaignSearch = z.infer<typeof NewCampaignSearch>
