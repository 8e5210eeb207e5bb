import * as contract from '@sdd/contract/accounts/api-keys.ts'
import type { NeedsOf } from '#server/core/context.ts'
import type { Serve } from '#server/core/http/serve.ts'
import { createApiKey, endPreviousKey, listApiKeys, revokeApiKey, rotateApiKey } from './api-keys.ts'

type Needs = NeedsOf<
  typeof listApiKeys | typeof createApiKey | typeof rotateApiKey | typeof endPreviousKey | typeof revokeApiKey
>

export function apiKeyRoutes(serve: Serve, needs: Needs): void {
  serve(contract.listApiKeys, async ({ caller }) => ({ api_keys: await listApiKeys(needs, caller.scope) }))
  serve(contract.createApiKey, ({ body, query, caller }) => createApiKey(needs, caller, body, query.company))
  serve(contract.rotateApiKey, ({ params, body, caller }) =>
    rotateApiKey(needs, caller, params.id, body.overlap_hours),
  )
  serve(contract.endPreviousKey, ({ params, caller }) => endPreviousKey(needs, caller, params.id))
  serve(contract.revokeApiKey, ({ params, caller }) => revokeApiKey(needs, caller, params.id))
}
