import * as contract from '@sdd/contract/audit.ts'
import type { App } from '#server/app.ts'
import type { Serve } from '#server/core/http/serve.ts'
import { listAudit } from './audit.ts'

export function auditRoutes(serve: Serve, app: App): void {
  serve(contract.listAudit, ({ query, caller }) => listAudit(app, caller.scope, query))
}
