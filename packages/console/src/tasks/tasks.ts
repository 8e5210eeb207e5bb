import type { CreatedApiKey } from '@sdd/contract/accounts/api-keys.ts'
import {
  createTasks,
  discardTask,
  listTasks,
  readTask,
  type Task as FullTask,
  type TaskState,
} from '@sdd/contract/tasks/tasks.ts'
import { queryOptions, type UseQueryOptions } from '@tanstack/react-query'
import { callApi } from '#console/core/api.ts'
import { parsePage, pagesQuery } from '#console/core/pages.ts'
import { tasks as words } from './text.ts'
import { companyQuery, type MessageRef } from '#console/messages/messages/message-ref.ts'
import type { ServerTaskFilter } from './search.ts'
import type { Mark, Tone } from '#console/ui/marks.tsx'

type Beyond =
  | 'company_id'
  | 'state'
  | 'expires_at'
  | 'attempts'
  | 'error_msg'
  | 'error_msg_code'
  | 'error_msg_params'
  | 'waiting_for'
  | 'waiting_code'
  | 'waiting_params'

/** The fields of the user specification are required. A server may leave out the contract's other fields. */
export type Task = Omit<FullTask, Beyond> & Partial<Pick<FullTask, Beyond>>

/** Loads every known field of a task's message, by name. */
export type RecordQuery = (
  messageRef: MessageRef,
) => UseQueryOptions<Record<string, unknown>, Error, Record<string, unknown>, (string | undefined)[]>

/** The tasks in pages, newest first. Not parsed with its schema: pages are long and reload often. */
export function tasksQuery(filter: ServerTaskFilter) {
  const pages = pagesQuery<Task>(['tasks', filter], (cursor, signal) =>
    callApi(listTasks, { query: { ...filter, cursor }, signal }, (body) => {
      const { rows, next } = parsePage<Task>(body, 'tasks')
      return { rows: rows.filter(({ guid }) => typeof guid === 'string'), next }
    }),
  )
  // Do not keep the tasks of another filter while these load.
  return { ...pages, placeholderData: undefined }
}

/** Loads a task that is not in the loaded list. */
export function taskQuery(messageRef: MessageRef) {
  const { guid, company } = messageRef
  return queryOptions({
    queryKey: ['tasks', 'one', guid, company],
    queryFn: ({ signal }) =>
      callApi(
        readTask,
        { params: { guid }, query: companyQuery(messageRef), signal },
        (body) => body as Task,
      ),
  })
}

/** Discards a task and returns its current state. It is not discarded yet if its device was asked to drop it. */
export function requestDiscard(messageRef: MessageRef): Promise<Task> {
  const { guid } = messageRef
  return callApi(discardTask, { params: { guid }, query: companyQuery(messageRef) }, (body) => body as Task)
}

export function isDiscardable(task: Task): boolean {
  const state = taskStateOf(task)
  return state === 'received' || state === 'started'
}

/** A task's state. If the server does not send it, it is derived from the timestamps. */
export function taskStateOf(task: Task): TaskState {
  if (task.state) return task.state
  if (task.discarded_at) return 'discarded'
  if (task.completed_at) return 'completed'
  return task.assigned_at ? 'started' : 'received'
}

export const taskStateMarks: Record<TaskState, { tone: Tone; mark: Mark; color: string }> = {
  received: { tone: 'info', mark: 'arc', color: 'text-info' },
  started: { tone: 'info', mark: 'dot', color: 'text-info' },
  completed: { tone: 'ok', mark: 'check', color: 'text-ok' },
  failed: { tone: 'bad', mark: 'cross', color: 'text-bad' },
  uncertain: { tone: 'warn', mark: 'triangle', color: 'text-warn' },
  expired: { tone: 'off', mark: 'clock', color: 'text-off' },
  discarded: { tone: 'off', mark: 'dash', color: 'text-off' },
}

/** A command line that uses the API key. It creates a task, or reads the list if the key may only read. */
export function exampleLine({ key, may }: Pick<CreatedApiKey, 'key' | 'may'>): string {
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
