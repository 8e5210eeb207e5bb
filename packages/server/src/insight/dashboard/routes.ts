import * as contract from '@sdd/contract/insight/dashboard.ts'
import type { NeedsOf } from '#server/core/context.ts'
import type { Serve } from '#server/core/http/serve.ts'
import { readDashboard } from './dashboard.ts'

type Needs = NeedsOf<typeof readDashboard>

export function dashboardRoutes(serve: Serve, needs: Needs): void {
  serve(contract.readDashboard, ({ caller }) => readDashboard(needs, caller.scope))
}
