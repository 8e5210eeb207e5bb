import { MessageState } from '@sdd/contract/messages/messages.ts'
import * as z from 'zod/mini'
import { orUndefined } from '#console/core/search.ts'
import { refSearch } from '#console/messages/messages/message-ref.ts'

export const logViews = ['all', 'delivery', 'times', 'errors'] as const
export type LogView = (typeof logViews)[number]

const word = orUndefined(z.optional(z.string().check(z.minLength(1), z.maxLength(200))))

/** The screen's search parameters. Invalid ones are ignored. Times are `datetime-local` values. */
export const LogSearch = z.object({
  search: word,
  state: orUndefined(z.optional(MessageState)),
  errors: orUndefined(z.optional(z.literal('true'))),
  device_uid: word,
  from: word,
  to: word,
  view: orUndefined(z.optional(z.enum(['delivery', 'times', 'errors']))),
  ...refSearch,
})
export type LogSearch = z.infer<typeof LogSearch>

export const logFilters = ['state', 'device_uid', 'from', 'to', 'errors'] as const

/** The filters for the server, with times in UTC. */
export function filterOf({ search, state, errors, device_uid, from, to }: LogSearch) {
  return { search, state, errors, device_uid, from: instantOf(from), to: instantOf(to) }
}
export type ServerFilter = ReturnType<typeof filterOf>

function instantOf(local: string | undefined): string | undefined {
  const at = local ? new Date(local) : undefined
  return at && !Number.isNaN(at.getTime()) ? at.toISOString() : undefined
}
