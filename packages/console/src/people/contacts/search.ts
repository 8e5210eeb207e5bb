import * as z from 'zod/mini'
import { orUndefined } from '#console/core/search.ts'

const word = orUndefined(z.optional(z.string().check(z.minLength(1), z.maxLength(100))))

/** The screen's search parameters. Invalid ones are ignored. */
export const ContactSearch = z.object({
  /** `templates`; anything else is the contacts. */
  tab: word,
  search: word,
  /** Only the contacts of this list. */
  list: word,
  /** `new`, the number of the contact that is shown, or the template that is. */
  open: word,
  /** The company of that contact; absent for the user's own. */
  company: word,
})
export type ContactSearch = z.infer<typeof ContactSearch>
