import * as contract from '@sdd/contract/accounts/audit.ts'
import type { NeedsOf } from '#server/core/context.ts'
import type { Serve } from '#server/core/http/serve.ts'
import { listAudit } from './audit.ts'
import { exportAudit } from './export.ts'

type Needs = NeedsOf<typeof listAudit | typeof exportAudit>

export function auditRoutes(serve: Serve, needs: Needs): void {
  serve(contract.listAudit, ({ query, caller }) => listAudit(needs, caller.scope, query))
  serve(contract.exportAudit, ({ query, caller }) => exportAudit(needs, caller, query))
}
