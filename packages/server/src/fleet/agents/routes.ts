import * as contract from '@sdd/contract/fleet/agents.ts'
import type { NeedsOf } from '#server/core/context.ts'
import type { Serve } from '#server/core/http/serve.ts'
import { agentVersions } from './agents.ts'

export function agentRoutes(serve: Serve, needs: NeedsOf<typeof agentVersions>): void {
  serve(contract.readAgents, ({ caller }) => agentVersions(needs, caller.scope))
}
