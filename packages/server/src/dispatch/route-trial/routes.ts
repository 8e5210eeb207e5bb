import * as contract from '@sdd/contract/fleet/routes.ts'
import type { NeedsOf } from '#server/core/context.ts'
import type { Serve } from '#server/core/http/serve.ts'
import { tryRoutes } from './trial.ts'

export function routeTrialRoutes(serve: Serve, needs: NeedsOf<typeof tryRoutes>): void {
  serve(contract.testRoutes, ({ body, query, caller }) => tryRoutes(needs, caller, body, query.company))
}
