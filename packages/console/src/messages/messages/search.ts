import * as z from 'zod/mini'
import { orUndefined } from '#console/core/search.ts'

function word(most: number) {
  return orUndefined(z.optional(z.string().check(z.minLength(1), z.maxLength(most))))
}

/** The search parameters of the send screen. They become its draft, and leave the address. */
export const SendSearch = z.object({ to: word(40), text: word(2_000), device: word(64) })
export type SendSearch = z.infer<typeof SendSearch>
