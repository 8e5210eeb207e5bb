import * as z from 'zod/mini'
import { orUndefined } from '#console/core/search.ts'

const word = orUndefined(z.optional(z.string().check(z.minLength(1), z.maxLength(100))))

/** The list's search parameters. Invalid ones are ignored. */
export const CampaignsSearch = z.object({ state: word, q: word })
export type CampaignsSearch = z.infer<typeof CampaignsSearch>

/** Those of one campaign. `row` is the number of the open row. */
export const CampaignSearch = z.object({ state: word, reason: word, q: word, row: word })
export type CampaignSearch = z.infer<typeof CampaignSearch>
