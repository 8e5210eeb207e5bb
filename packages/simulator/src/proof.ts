import { setTimeout as sleep } from 'node:timers/promises'
import { CallFault, openClient } from '@sdd/contract/core/client.ts'
import { listTasks, type Task, type TaskState } from '@sdd/contract/tasks/tasks.ts'
import type { Receiver } from '#simulator/receiver.ts'
import type { Submitter } from '#simulator/submitter.ts'

export type Proof = {
  /** Tasks by the state in which they ended. */
  ends: Partial<Record<TaskState, number>>
  callbacks: number
  /** One sentence for each thing that is not as it must be; none where all is proved. */
  faults: string[]
}

type Needs = {
  server_url: string
  key: string
  submitter: Pick<Submitter, 'tasks' | 'surprises'>
  receiver?: Receiver | undefined
  /** How long tasks and callbacks may take to come to their end. */
  patience_ms: number
}

const LOOK_EVERY_MS = 500

/**
 * Waits until each task has ended and each callback has come, and proves it: every task that was acknowledged is there
 * once, as it was handed in, with one end; of its callbacks each came, in order, the last with the state that it has.
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

/** What the server has of these guids; all pages, newest first. A server that is away is asked again. */
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
    if (byGuid.has(task.guid)) faults.push(`${task.guid}: there are two`)
    byGuid.set(task.guid, task)
    ends[task.state] = (ends[task.state] ?? 0) + 1
  }
  const heard = Map.groupBy(receiver?.heard ?? [], ({ guid }) => guid)
  for (const handed of submitter.tasks.values()) {
    const task = byGuid.get(handed.guid)
    if (task === undefined) {
      if (handed.acknowledged) faults.push(`${handed.guid}: it was acknowledged, and is not there`)
      continue
    }
    if (task.to_number !== handed.to_number || task.text !== handed.text) {
      faults.push(`${handed.guid}: it is not as it was handed in`)
    }
    const callbacks = heard.get(handed.guid) ?? []
    const fault = faultOf(task, receiver && callbacks.map(({ type }) => type))
    if (fault) faults.push(`${handed.guid}: ${fault}`)
  }
  return { ends, callbacks: receiver?.heard.length ?? 0, faults }
}

/** The callbacks that may be the last of a task in this state. */
const LAST: Partial<Record<TaskState, readonly string[]>> = {
  completed: ['task.sent', 'task.delivered', 'task.replied'],
  failed: ['task.failed'],
  uncertain: ['task.uncertain'],
  expired: ['task.expired'],
}
/** How far each is: a task's callbacks never go back. `uncertain` may be settled by whatever comes later. */
const FAR = ['task.expired', 'task.uncertain', 'task.sent', 'task.failed', 'task.delivered', 'task.replied']

function faultOf(task: Task, types: readonly string[] | undefined): string | undefined {
  if (task.state === 'received' || task.state === 'started') {
    return `it has not ended: ${task.waiting_for ?? task.state}`
  }
  if (!task.completed_at === !task.discarded_at) return 'it has ended twice, or without a time'
  if (types === undefined || task.state === 'discarded') return undefined
  const last = types.at(-1)
  if (last === undefined) return `no callback came, and it is ${task.state}`
  if (!LAST[task.state]?.includes(last)) return `the last callback is ${last}, and it is ${task.state}`
  const far = types.map((type) => FAR.indexOf(type))
  const forward = far.every((place, n) => n === 0 || place > far[n - 1]!)
  return forward ? undefined : `its callbacks went back: ${types.join(', ')}`
}
