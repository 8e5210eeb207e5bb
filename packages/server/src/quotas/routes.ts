import * as contract from '@sdd/contract/quotas.ts'
import type { App } from '#server/app.ts'
import type { Serve } from '#server/core/http/serve.ts'
import { readQuotas, saveQuotas } from './quotas.ts'

export function quotaRoutes(serve: Serve, app: App): void {
  serve(contract.readQuotas, ({ caller, query }) => readQuotas(app, caller, query.company))
  serve(contract.saveQuotas, ({ caller, body, query }) => saveQuotas(app, caller, body, query.company))
}
