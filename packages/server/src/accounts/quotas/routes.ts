import * as contract from '@sdd/contract/accounts/quotas.ts'
import type { NeedsOf } from '#server/core/context.ts'
import type { Serve } from '#server/core/http/serve.ts'
import { readQuotas, saveQuotas } from './quotas.ts'

type Needs = NeedsOf<typeof readQuotas | typeof saveQuotas>

export function quotaRoutes(serve: Serve, needs: Needs): void {
  serve(contract.readQuotas, ({ caller, query }) => readQuotas(needs, caller, query.company))
  serve(contract.saveQuotas, ({ caller, body, query }) => saveQuotas(needs, caller, body, query.company))
}
