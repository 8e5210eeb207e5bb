import * as contract from '@sdd/contract/fleet/routes.ts'
import type { NeedsOf } from '#server/core/context.ts'
import type { Serve } from '#server/core/http/serve.ts'
import { readRoutes, saveRoutes } from './saving.ts'

export function companyRouteRoutes(
  serve: Serve,
  needs: NeedsOf<typeof readRoutes | typeof saveRoutes>,
): void {
  serve(contract.readRoutes, ({ query, caller }) => readRoutes(needs, caller, query.company))
  serve(contract.saveRoutes, ({ body, query, caller }) => saveRoutes(needs, caller, body, query.company))
}
