import * as contract from '@sdd/contract/insight/dashboard.ts'
import { readDevice, readDeviceHistory as deviceHistory } from '@sdd/contract/insight/device-detail.ts'
import type { NeedsOf } from '#server/core/context.ts'
import type { Serve } from '#server/core/http/serve.ts'
import { readDashboard } from './dashboard.ts'
import { readDeviceDetail, readDeviceHistory } from './device-detail.ts'

type Needs = NeedsOf<typeof readDashboard | typeof readDeviceDetail | typeof readDeviceHistory>

export function dashboardRoutes(serve: Serve, needs: Needs): void {
  serve(contract.readDashboard, ({ caller, query }) => readDashboard(needs, caller.scope, query))
  serve(readDevice, ({ params, caller }) => readDeviceDetail(needs, caller.scope, params.uid))
  serve(deviceHistory, ({ params, query, caller }) =>
    readDeviceHistory(needs, caller.scope, params.uid, query),
  )
}
