import * as contract from '@sdd/contract/callbacks.ts'
import type { App } from '#server/app.ts'
import type { Serve } from '#server/core/http/serve.ts'
import { listCallbacks, repeatCallback } from './callbacks.ts'
import { createWebhook, deleteWebhook, endPreviousSecret, listWebhooks, rotateWebhook } from './webhooks.ts'

export function callbackRoutes(serve: Serve, app: App): void {
  serve(contract.listWebhooks, async ({ caller }) => ({ webhooks: await listWebhooks(app, caller.scope) }))
  serve(contract.createWebhook, ({ body, query, caller }) => createWebhook(app, caller, body, query.company))
  serve(contract.rotateWebhook, ({ params, body, caller }) =>
    rotateWebhook(app, caller, params.id, body.overlap_hours),
  )
  serve(contract.endPreviousSecret, ({ params, caller }) => endPreviousSecret(app, caller, params.id))
  serve(contract.deleteWebhook, ({ params, caller }) => deleteWebhook(app, caller, params.id))
  serve(contract.listCallbacks, ({ query, caller }) => listCallbacks(app, caller.scope, query))
  serve(contract.repeatCallback, ({ params, caller }) => repeatCallback(app, caller, params.id))
}
