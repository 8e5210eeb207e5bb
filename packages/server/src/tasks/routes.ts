import * as contract from '@sdd/contract/tasks.ts'
import type { App } from '#server/app.ts'
import { heldBack, type Serve, withOtherStatus } from '#server/core/http/serve.ts'
import { handIn, openHandingIn } from './handing-in.ts'
import { discardTask, listTasks, readTask } from './tasks.ts'

export function taskRoutes(serve: Serve, app: App): void {
  const needs = { ...app, wake: app.wakeToGive }
  const handInOne = openHandingIn(needs)
  serve(contract.createTasks, async ({ body, caller }) => {
    if ('tasks' in body) return { results: await handIn(needs, caller, body.tasks) }
    const { receipt, kept } = await handInOne(caller, body)
    return heldBack(kept, receipt.status === 'repeated' ? withOtherStatus(receipt) : receipt)
  })
  serve(contract.listTasks, ({ query, caller }) => listTasks(app, caller.scope, query))
  serve(contract.readTask, ({ params, query, caller }) =>
    readTask(app, caller.scope, { ...params, ...query }),
  )
  serve(contract.discardTask, async ({ params, query, caller }) => {
    const { task, asked } = await discardTask(app, caller, { ...params, ...query })
    return asked ? withOtherStatus(task) : task
  })
}
