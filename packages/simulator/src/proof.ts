import { setTimeout as sleep } from 'node:timers/promises'
import { CallFault, openClient } from '@sdd/contract/core/client.ts'
import { listTasks, type Task, type TaskState } from '@sdd/contract/tasks/tasks.ts'
import type { Receiver } from '#simulator/receiver.ts'
import type { Submitter } from '#simulator/submitter.ts'

export type Proof = {
  /** The number of tasks by final state. */
  ends: Partial<Record<TaskState, number>>
  callbacks: number
  /** One sentence for each violation; empty if everything is proved. */
  faults: string[]
}

type Needs = {
  server_url: string
  key: string
  submitter: Pick<Submitter, 'tasks' | 'surprises'>
  receiver?: Receiver | undefined
  /** How long tasks and callbacks may take to finish. */
  patience_ms: number
}

const LOOK_EVERY_MS = 500

/**
 * Waits until each task has ended and each callback has arrived, and checks them. Each acknowledged task exists once,
 * unchanged, with one final state. Its callbacks arrived in order, and the last one matches that state.
 */
export async function proveTasks({
  server_url,
  key,
  submitter,
  receiver,
  patience_ms,
}: Needs): Promise<Proof> {
  const until = performance.now() + patience_ms
  for (;;) {
    const tasks = await readAll(server_url, key, submitter.tasks)
    const proof = examine(tasks, submitter, receiver)
    if (proof.faults.length === 0 || performance.now() > until) return proof
    await sleep(LOOK_EVERY_MS)
  }
}

/** The server's tasks with these guids, from all pages, newest first. Retries if the server is away. */
async function readAll(url: string, token: string, wanted: Submitter['tasks']): Promise<Task[]> {
  const { call } = openClient({ url, token })
  const tasks: Task[] = []
  let cursor: string | undefined
  for (;;) {
    const page = await call(listTasks, { query: { status: 'all', limit: '1000', cursor } }).catch((fault) => {
      if (fault instanceof CallFault && (fault.status === 0 || fault.status >= 500)) return undefined
      throw fault
    })
    if (page === undefined) {
      await sleep(LOOK_EVERY_MS)
      continue
    }
    tasks.push(...page.tasks.filter(({ guid }) => wanted.has(guid)))
    if (page.next_cursor === null) return tasks
    cursor = page.next_cursor
  }
}

function examine(found: readonly Task[], submitter: Needs['submitter'], receiver?: Receiver): Proof {
  const faults = [...submitter.surprises, ...(receiver?.surprises ?? [])]
  const ends: Proof['ends'] = {}
  const byGuid = new Map<string, Task>()
  for (const task of found) {
    if (byGuid.has(task.guid)) faults.push(`${task.guid}: it exists twice`)
    byGuid.set(task.guid, task)
    ends[task.state] = (ends[task.state] ?? 0) + 1
  }
  const heard = Map.groupBy(receiver?.heard ?? [], ({ guid }) => guid)
  for (const handed of submitter.tasks.values()) {
    const task = byGuid.get(handed.guid)
    if (task === undefined) {
      if (handed.acknowledged) faults.push(`${handed.guid}: it was acknowledged, but does not exist`)
      continue
    }
    if (task.to_number !== handed.to_number || task.text !== handed.text) {
      faults.push(`${handed.guid}: it differs from the submitted task`)
    }
    const callbacks = heard.get(handed.guid) ?? []
    const fault = faultOf(task, receiver && callbacks.map(({ type }) => type))
    if (fault) faults.push(`${handed.guid}: ${fault}`)
  }
  return { ends, callbacks: receiver?.heard.length ?? 0, faults }
}

/** The possible last callbacks of a task in this state. */
const LAST: Partial<Record<TaskState, readonly string[]>> = {
  completed: ['task.sent', 'task.delivered', 'task.replied'],
  failed: ['task.failed'],
  uncertain: ['task.uncertain'],
  expired: ['task.expired'],
}
/** The order of callbacks: a task's callbacks never go back. Any later callback may settle `uncertain`. */
const FAR = ['task.expired', 'task.uncertain', 'task.sent', 'task.failed', 'task.delivered', 'task.replied']

function faultOf(task: Task, types: readonly string[] | undefined): string | undefined {
  if (task.state === 'received' || task.state === 'started') {
    return `it has not ended: ${task.waiting_for ?? task.state}`
  }
  if (!task.completed_at === !task.discarded_at) return 'it has ended twice, or without a time'
  if (types === undefined || task.state === 'discarded') return undefined
  const last = types.at(-1)
  if (last === undefined) return `no callback arrived, and it is ${task.state}`
  if (!LAST[task.state]?.includes(last)) return `the last callback is ${last}, and it is ${task.state}`
  const far = types.map((type) => FAR.indexOf(type))
  const forward = far.every((index, n) => n === 0 || index > far[n - 1]!)
  return forward ? undefined : `its callbacks went back: ${types.join(', ')}`
}
