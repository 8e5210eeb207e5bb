import * as z from 'zod/mini'
import { orNothing } from '#console/core/search.ts'

const word = orNothing(z.optional(z.string().check(z.minLength(1), z.maxLength(64))))

/** The screen's address; what it does not understand it leaves out. */
export const SettingsSearch = z.object({
  tab: orNothing(z.optional(z.literal('devices'))),
  /** Whose global settings are shown; absent: one's own company's. */
  company: orNothing(z.optional(z.string().check(z.regex(/^[1-9]\d*$/)))),
  search: word,
  /** The uid of the device whose limit is being edited. */
  edit: word,
})
export type SettingsSearch = z.infer<typeof SettingsSearch>
