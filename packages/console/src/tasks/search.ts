import type { TaskFilter } from '@sdd/contract/tasks/tasks.ts'
import * as z from 'zod/mini'
import { orUndefined } from '#console/core/search.ts'
import { refSearch } from '#console/messages/messages/message-ref.ts'
import { periods, spanOf } from '#console/ui/period.ts'
import { statesIn } from '#console/ui/states-in.ts'

/** Outcomes that the filter of the user specification does not tell apart. */
export const outcomeStates = ['failed', 'uncertain', 'expired', 'discarded'] as const

const word = orUndefined(z.optional(z.string().check(z.minLength(1), z.maxLength(200))))

/** The screen's search parameters. Invalid ones are ignored. Times are `datetime-local` values. */
export const TaskSearch = z.object({
  status: orUndefined(z.optional(z.enum(['received', 'started', 'completed']))),
  search: word,
  /** Some of `outcomeStates`, with commas. */
  state: word,
  period: orUndefined(z.optional(z.enum(periods))),
  from: word,
  to: word,
  ...refSearch,
})
export type TaskSearch = z.infer<typeof TaskSearch>

/** The filter for the server, with times in UTC. Without a filter it has only the status. */
export function taskFilterOf({ status, search, state, period, from, to }: TaskSearch) {
  const states = statesIn(state, outcomeStates).join(',') || undefined
  const filter: TaskFilter = status ?? 'all'
  return { status: filter, search, state: states, ...spanOf({ period, from, to }) }
}
export type ServerTaskFilter = ReturnType<typeof taskFilterOf>
