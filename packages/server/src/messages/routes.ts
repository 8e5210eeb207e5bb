import * as contract from '@sdd/contract/messages.ts'
import type { App } from '#server/app.ts'
import type { Serve } from '#server/core/http/serve.ts'
import { exportLogs } from './export.ts'
import { listPage, queueMessage } from './messages.ts'
import { readMessage } from './record.ts'

export function messageRoutes(serve: Serve, app: App): void {
  serve(contract.sendSms, ({ body, caller }) => queueMessage(app, caller, body))
  serve(contract.listLogs, ({ query, caller }) => listPage(app, caller.scope, query))
  serve(contract.exportLogs, ({ query, caller }) => exportLogs(app, caller, query))
  serve(contract.readMessage, ({ params, query, caller }) =>
    readMessage(app, caller, { ...params, ...query }),
  )
}
