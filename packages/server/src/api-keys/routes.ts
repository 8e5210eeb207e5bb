import * as contract from '@sdd/contract/api-keys.ts'
import type { App } from '#server/app.ts'
import type { Serve } from '#server/core/http/serve.ts'
import { createApiKey, endPreviousKey, listApiKeys, revokeApiKey, rotateApiKey } from './api-keys.ts'

export function apiKeyRoutes(serve: Serve, app: App): void {
  serve(contract.listApiKeys, async ({ caller }) => ({ api_keys: await listApiKeys(app, caller.scope) }))
  serve(contract.createApiKey, ({ body, query, caller }) => createApiKey(app, caller, body, query.company))
  serve(contract.rotateApiKey, ({ params, body, caller }) =>
    rotateApiKey(app, caller, params.id, body.overlap_hours),
  )
  serve(contract.endPreviousKey, ({ params, caller }) => endPreviousKey(app, caller, params.id))
  serve(contract.revokeApiKey, ({ params, caller }) => revokeApiKey(app, caller, params.id))
}
