import * as contract from '@sdd/contract/tasks/tasks.ts'
import type { Task } from '@sdd/contract/tasks/tasks.ts'
import { mayReadInbox } from '#server/accounts/settings/inbox-role.ts'
import type { Caller, KeyCaller, NeedsOf } from '#server/core/context.ts'
import { afterSync, type Serve, withOtherStatus } from '#server/core/http/serve.ts'
import { exportTasks } from './export.ts'
import { submitTasks, openTaskSubmission } from './submission.ts'
import { discardTask, listTasks, readTask } from './tasks.ts'

type Needs = NeedsOf<
  | typeof exportTasks
  | typeof submitTasks
  | typeof openTaskSubmission
  | typeof listTasks
  | typeof readTask
  | typeof discardTask
>

export function taskRoutes(serve: Serve, needs: Needs): void {
  const submitOne = openTaskSubmission(needs)
  serve(contract.createTasks, async ({ body, caller }) => {
    if ('tasks' in body) return { results: await submitTasks(needs, caller, body.tasks) }
    const { receipt, durable } = await submitOne(caller, body)
    return afterSync(durable, receipt.status === 'repeated' ? withOtherStatus(receipt) : receipt)
  })
  serve(contract.listTasks, async ({ query, caller }) => {
    const { tasks, next_cursor } = await listTasks(needs, caller, query)
    return { tasks: await forReader(needs, caller, tasks), next_cursor }
  })
  serve(contract.exportTasks, ({ query, caller }) => exportTasks(needs, caller, query))
  serve(contract.readTask, async ({ params, query, caller }) => {
    const task = await readTask(needs, caller.scope, { ...params, ...query })
    return (await forReader(needs, caller, [task]))[0]!
  })
  serve(contract.discardTask, async ({ params, query, caller }) => {
    const { task, asked } = await discardTask(needs, caller, { ...params, ...query })
    const [shown] = await forReader(needs, caller, [task])
    return asked ? withOtherStatus(shown!) : shown!
  })
}

/** The tasks without their replies, unless the caller may read received SMS. */
async function forReader(
  { db }: Pick<Needs, 'db'>,
  caller: Caller | KeyCaller,
  tasks: Task[],
): Promise<Task[]> {
  if (await mayReadInbox(db.read, caller)) return tasks
  return tasks.map((task) => ({ ...task, reply: null }))
}
