import * as contract from '@sdd/contract/tasks/tasks.ts'
import type { NeedsOf } from '#server/core/context.ts'
import { afterSync, type Serve, withOtherStatus } from '#server/core/http/serve.ts'
import { submitTasks, openTaskSubmission } from './submission.ts'
import { discardTask, listTasks, readTask } from './tasks.ts'

type Needs = NeedsOf<
  typeof submitTasks | typeof openTaskSubmission | typeof listTasks | typeof readTask | typeof discardTask
>

export function taskRoutes(serve: Serve, needs: Needs): void {
  const submitOne = openTaskSubmission(needs)
  serve(contract.createTasks, async ({ body, caller }) => {
    if ('tasks' in body) return { results: await submitTasks(needs, caller, body.tasks) }
    const { receipt, durable } = await submitOne(caller, body)
    return afterSync(durable, receipt.status === 'repeated' ? withOtherStatus(receipt) : receipt)
  })
  serve(contract.listTasks, ({ query, caller }) => listTasks(needs, caller.scope, query))
  serve(contract.readTask, ({ params, query, caller }) =>
    readTask(needs, caller.scope, { ...params, ...query }),
  )
  serve(contract.discardTask, async ({ params, query, caller }) => {
    const { task, asked } = await discardTask(needs, caller, { ...params, ...query })
    return asked ? withOtherStatus(task) : task
  })
}
