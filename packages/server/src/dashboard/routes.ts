import * as contract from '@sdd/contract/dashboard.ts'
import type { App } from '#server/app.ts'
import type { Serve } from '#server/core/http/serve.ts'
import { readDashboard } from './dashboard.ts'

export function dashboardRoutes(serve: Serve, app: App): void {
  serve(contract.readDashboard, ({ caller }) => readDashboard(app, caller.scope))
}
