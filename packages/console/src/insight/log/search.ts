import { messageStates, type MessageState } from '@sdd/contract/messages/messages.ts'
import * as z from 'zod/mini'
import { orUndefined } from '#console/core/search.ts'
import { refSearch } from '#console/messages/messages/message-ref.ts'
import { periods, spanOf } from '#console/ui/period.ts'
import { statesIn } from '#console/ui/states-in.ts'

export const logViews = ['all', 'delivery', 'times', 'errors'] as const
export type LogView = (typeof logViews)[number]

const word = orUndefined(z.optional(z.string().check(z.minLength(1), z.maxLength(200))))

/** Some of the states, with commas. */
const states = z.string().check(
  z.minLength(1),
  z.refine((list) => list.split(',').every((one) => messageStates.includes(one as MessageState))),
)

/** The screen's search parameters. Invalid ones are ignored. Times are `datetime-local` values. */
export const LogSearch = z.object({
  search: word,
  state: orUndefined(z.optional(states)),
  /** The code of a failure. */
  error: word,
  errors: orUndefined(z.optional(z.literal('true'))),
  device_uid: word,
  period: orUndefined(z.optional(z.enum(periods))),
  from: word,
  to: word,
  /** The keys of the shown columns, with commas. Unknown ones are ignored. */
  columns: orUndefined(z.optional(z.string().check(z.regex(/^\w+(,\w+)*$/), z.maxLength(400)))),
  view: orUndefined(z.optional(z.enum(['delivery', 'times', 'errors']))),
  ...refSearch,
})
export type LogSearch = z.infer<typeof LogSearch>

export const logFilters = ['state', 'error', 'device_uid', 'period', 'from', 'to', 'errors'] as const
export type LogFilterName = (typeof logFilters)[number]

/** The filters for the server, with times in UTC. */
export function filterOf({ search, state, error, errors, device_uid, period, from, to }: LogSearch) {
  const states = statesIn(state, messageStates).join(',') || undefined
  return { search, state: states, error, errors, device_uid, ...spanOf({ period, from, to }) }
}
export type ServerFilter = ReturnType<typeof filterOf>
