import * as contract from '@sdd/contract/accounts/audit.ts'
import type { NeedsOf } from '#server/core/context.ts'
import type { Serve } from '#server/core/http/serve.ts'
import { listAudit } from './audit.ts'

type Needs = NeedsOf<typeof listAudit>

export function auditRoutes(serve: Serve, needs: Needs): void {
  serve(contract.listAudit, ({ query, caller }) => listAudit(needs, caller.scope, query))
}
