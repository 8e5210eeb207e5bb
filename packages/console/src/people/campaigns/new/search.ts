import { RowGroup } from '@sdd/contract/people/campaign-checks.ts'
import * as z from 'zod/mini'
import { orUndefined } from '#console/core/search.ts'

/** The screen's search parameters: the draft that is written, and the group of the check that is open. */
export const NewCampaignSearch = z.object({
  draft: orUndefined(z.optional(z.string().check(z.regex(/^[1-9]\d{0,14}$/)))),
  group: orUndefined(z.optional(RowGroup)),
})
export type NewCampaignSearch = z.infer<typeof NewCampaignSearch>
