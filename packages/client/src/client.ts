import { openRequests, type Requests, SddError, type Settings } from './requests.ts'
import type { InboxFilter, NewTask, ReceivedSms, Task, TaskFilter, TaskReceipt, TaskResult } from './types.ts'

export { SddError, type Settings } from './requests.ts'
export type * from './types.ts'

type Abortable = { signal?: AbortSignal }

export type Sdd = {
  /**
   * Submits a task. Retries are safe, because each has the same guid. Resolves once the task is on disk. An `SddError`
   * has the task with its guid.
   */
  send(task: NewTask, options?: Abortable): Promise<TaskReceipt>
  /**
   * Submits any number of tasks, 1,000 in a request. The results are in their order; some may be refused. An `SddError`
   * has the tasks with their guids, and the results so far.
   */
  sendMany(tasks: readonly NewTask[], options?: Abortable): Promise<TaskResult[]>
  task(guid: string, options?: Abortable): Promise<Task>
  /** Discards a task. Resolves to its state, or rejects with `task_not_discardable`. */
  discard(guid: string, options?: Abortable): Promise<Task>
  /** The tasks that match, the newest first. */
  tasks(filter?: TaskFilter, options?: Abortable): AsyncGenerator<Task>
  /** The same as CSV, in pieces. */
  exportTasks(filter?: TaskFilter, options?: Abortable): AsyncGenerator<string>
  /** Received SMS, the last stored first. The key needs `inbox:read`. */
  inbox(filter?: InboxFilter, options?: Abortable): AsyncGenerator<ReceivedSms>
  /** Any other call of the API. GET, PUT and DELETE are tried again, others only if they are said to be `repeatable`. */
  request: Requests['request']
  /** The same for the JSON of the answer, which is tried again as well if it breaks off. */
  json: Requests['json']
}

const TASKS = '/api/external-tasks'
const MOST_TASKS = 1_000

/** A client of one server. It keeps no connection open and has nothing to close. */
export function openSdd(settings: Settings): Sdd {
  const { request, json } = openRequests(settings)
  const submit = <T>(body: unknown, options?: Abortable) =>
    json<T>('POST', TASKS, { body, repeatable: true, ...options })
  const pathOf = (guid: string) => `${TASKS}/${encodeURIComponent(guid)}`

  return {
    async send(task, options) {
      const body = withGuid(task)
      return submit<TaskReceipt>(body, options).catch(withTasks([body]))
    },
    async sendMany(given, options) {
      const tasks = given.map(withGuid)
      const results: TaskResult[] = []
      for (let from = 0; from < tasks.length; from += MOST_TASKS) {
        const body = { tasks: tasks.slice(from, from + MOST_TASKS) }
        const answer = await submit<{ results: TaskResult[] }>(body, options).catch(withTasks(tasks, results))
        results.push(...answer.results)
      }
      return results
    },
    task: (guid, options) => json('GET', pathOf(guid), options),
    discard: (guid, options) => json('DELETE', pathOf(guid), options),
    tasks: (filter, options) =>
      pages<Task, 'tasks'>('tasks', (cursor) =>
        json('GET', TASKS, { query: { ...filter, cursor }, ...options }),
      ),
    async *exportTasks(filter, options) {
      yield* textOf(await request('GET', `${TASKS}.csv`, { query: { ...filter }, ...options }))
    },
    inbox: (filter, options) =>
      pages<ReceivedSms, 'inbox'>('inbox', (cursor) =>
        json('GET', '/api/inbox', { query: { ...filter, cursor }, ...options }),
      ),
    request,
    json,
  }
}

function withGuid(task: NewTask): NewTask {
  return { ...task, guid: task.guid ?? crypto.randomUUID() }
}

/** Rethrows an error, with the tasks and results that a caller needs to submit the same tasks again. */
function withTasks(tasks: readonly NewTask[], results: readonly TaskResult[] = []) {
  return (error: unknown): never => {
    throw error instanceof SddError ? Object.assign(error, { tasks, results }) : error
  }
}

type Page<Row, Name extends string> = { [name in Name]: Row[] } & { next_cursor: string | null }

async function* pages<Row, Name extends string>(
  name: Name,
  load: (cursor: string | undefined) => Promise<Page<Row, Name>>,
): AsyncGenerator<Row> {
  let cursor: string | undefined
  do {
    const page = await load(cursor)
    yield* page[name]
    cursor = page.next_cursor ?? undefined
  } while (cursor !== undefined)
}

/** The body of an answer in pieces. Rejects with an `SddError` if it breaks off. */
export async function* textOf({ body }: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  try {
    for await (const bytes of body ?? []) yield decoder.decode(bytes as Uint8Array, { stream: true })
  } catch (cause) {
    // How fetch reports the network.
    throw cause instanceof TypeError ? new SddError('The answer broke off', { cause }) : cause
  }
}
