import * as contract from '@sdd/contract/tasks.ts'
import type { App } from '#server/app.ts'
import type { Serve } from '#server/core/http/serve.ts'
import { listTasks } from './tasks.ts'

export function taskRoutes(serve: Serve, app: App): void {
  serve(contract.listTasks, ({ query, caller }) => listTasks(app, caller.scope, query))
}
