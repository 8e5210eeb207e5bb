import * as z from 'zod/mini'
import { orUndefined } from '#console/core/search.ts'

/** The longest number that the tester takes. */
export const LONGEST_NUMBER = 30

/** The screen's search parameters. Invalid ones are ignored. */
export const RoutesSearch = z.object({
  /** The company whose rules are shown; absent for the user's own. */
  company: orUndefined(z.optional(z.string().check(z.regex(/^[1-9]\d{0,14}$/)))),
  /** `new`, or the id of the open rule. */
  rule: orUndefined(z.optional(z.string().check(z.regex(/^(new|\d{1,15})$/)))),
  /** The number in the tester. */
  try: orUndefined(z.optional(z.string().check(z.maxLength(LONGEST_NUMBER)))),
})
export type RoutesSearch = z.infer<typeof RoutesSearch>
