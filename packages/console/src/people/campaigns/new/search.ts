import * as z from 'zod/mini'
import { orUndefined } from '#console/core/search.ts'

/** The screen's search parameters. `draft` is the id of the draft that is written. */
export const NewCampaignSearch = z.object({
  draft: orUndefined(z.optional(z.string().check(z.regex(/^[1-9]\d{0,14}$/)))),
})
export type NewCampaignSearch = z.infer<typeof NewCampaignSearch>
