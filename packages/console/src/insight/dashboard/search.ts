import * as z from 'zod/mini'
import { orUndefined } from '#console/core/search.ts'

/** The screen's search parameters. Invalid ones are ignored. */
export const DashboardSearch = z.object({
  /** The days of the chart; without it, the last 24 hours. */
  range: orUndefined(z.optional(z.literal('week'))),
  /** The id of the only company whose figures are shown. */
  company: orUndefined(z.optional(z.string().check(z.regex(/^[1-9]\d{0,14}$/)))),
})
export type DashboardSearch = z.infer<typeof DashboardSearch>
