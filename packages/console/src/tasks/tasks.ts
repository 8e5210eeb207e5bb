import type { MadeApiKey } from '@sdd/contract/accounts/api-keys.ts'
import {
  createTasks,
  discardTask,
  listTasks,
  readTask,
  type Task as FullTask,
  type TaskFilter,
  type TaskState,
} from '@sdd/contract/tasks/tasks.ts'
import { queryOptions, type UseQueryOptions } from '@tanstack/react-query'
import { call } from '#console/core/api.ts'
import { pageIn, pagesQuery } from '#console/core/pages.ts'
import { tasks as words } from './text.ts'
import { companyQuery, type Which } from '#console/messages/messages/which.ts'
import type { Mark, Tone } from '#console/ui/marks.tsx'

type Beyond = 'company_id' | 'state' | 'expires_at' | 'attempts' | 'error_msg' | 'waiting_for'

/** The fields of the user specification; what else the contract knows, a server may leave out. */
export type Task = Omit<FullTask, Beyond> & Partial<Pick<FullTask, Beyond>>

/** Everything that the server knows of the message that a task is, by name. */
export type RecordQuery = (
  which: Which,
) => UseQueryOptions<Record<string, unknown>, Error, Record<string, unknown>, (string | undefined)[]>

/** The tasks in pages, newest first. Not parsed with its schema: pages are long and are loaded again and again. */
export function tasksQuery(status: TaskFilter) {
  const pages = pagesQuery<Task>(['tasks', status], (cursor, signal) =>
    call(listTasks, { query: { status, cursor }, signal }, (body) => {
      const { rows, next } = pageIn<Task>(body, 'tasks')
      return { rows: rows.filter(({ guid }) => typeof guid === 'string'), next }
    }),
  )
  // Tasks of another status say nothing while these load.
  return { ...pages, placeholderData: undefined }
}

/** One task that no list at hand has. */
export function taskQuery(which: Which) {
  const { guid, company } = which
  return queryOptions({
    queryKey: ['tasks', 'one', guid, company],
    queryFn: ({ signal }) =>
      call(readTask, { params: { guid }, query: companyQuery(which), signal }, (body) => body as Task),
  })
}

/** Discards a task, and gives it as it is now: not discarded where its device was asked to drop it. */
export function discard(which: Which): Promise<Task> {
  const { guid } = which
  return call(discardTask, { params: { guid }, query: companyQuery(which) }, (body) => body as Task)
}

/** Whether it may still be discarded. */
export function isOpen(task: Task): boolean {
  const state = stateOf(task)
  return state === 'received' || state === 'started'
}

/** Where a task stands; a server that does not say leaves it to be read from what has happened. */
export function stateOf(task: Task): TaskState {
  if (task.state) return task.state
  if (task.discarded_at) return 'discarded'
  if (task.completed_at) return 'completed'
  return task.assigned_at ? 'started' : 'received'
}

/** How each state looks: a colour and a shape of its own. */
export const stateMarks: Record<TaskState, { tone: Tone; mark: Mark; color: string }> = {
  received: { tone: 'info', mark: 'arc', color: 'text-info' },
  started: { tone: 'info', mark: 'dot', color: 'text-info' },
  completed: { tone: 'ok', mark: 'check', color: 'text-ok' },
  failed: { tone: 'bad', mark: 'cross', color: 'text-bad' },
  uncertain: { tone: 'warn', mark: 'triangle', color: 'text-warn' },
  expired: { tone: 'off', mark: 'clock', color: 'text-off' },
  discarded: { tone: 'off', mark: 'dash', color: 'text-off' },
}

/** A command line that uses the API key: it hands in a task, or reads the list where that is all it may. */
export function exampleLine({ key, may }: Pick<MadeApiKey, 'key' | 'may'>): string {
  const url = location.origin + listTasks.path
  if (!may.includes('tasks:write')) return `curl -s ${url} -H 'Authorization: Bearer ${key}'`
  const body = JSON.stringify({ to_number: '+34600111222', text: words.exampleText })
  return [
    `curl -s -X ${createTasks.method} ${url}`,
    `  -H 'Authorization: Bearer ${key}'`,
    "  -H 'Content-Type: application/json'",
    `  -d '${body}'`,
  ].join(' \\\n')
}
