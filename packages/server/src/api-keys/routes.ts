import * as contract from '@sdd/contract/api-keys.ts'
import type { App } from '#server/app.ts'
import type { Serve } from '#server/core/http/serve.ts'
import { createApiKey, listApiKeys, revokeApiKey } from './api-keys.ts'

export function apiKeyRoutes(serve: Serve, app: App): void {
  serve(contract.listApiKeys, async ({ caller }) => ({ api_keys: await listApiKeys(app, caller.scope) }))
  serve(contract.createApiKey, ({ body, query, caller }) => createApiKey(app, caller, body, query.company))
  serve(contract.revokeApiKey, ({ params, caller }) => revokeApiKey(app, caller, params.id))
}
