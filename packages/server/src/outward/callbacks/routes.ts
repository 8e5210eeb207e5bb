import * as contract from '@sdd/contract/outward/callbacks.ts'
import type { NeedsOf } from '#server/core/context.ts'
import type { Serve } from '#server/core/http/serve.ts'
import { listCallbacks, readCallback, repeatCallback, repeatDeadCallbacks } from './callbacks.ts'
import { testWebhook } from './testing-webhooks.ts'
import { createWebhook, deleteWebhook, endPreviousSecret, listWebhooks, rotateWebhook } from './webhooks.ts'

type Needs = NeedsOf<
  | typeof listWebhooks
  | typeof createWebhook
  | typeof rotateWebhook
  | typeof endPreviousSecret
  | typeof deleteWebhook
  | typeof listCallbacks
  | typeof repeatCallback
  | typeof repeatDeadCallbacks
  | typeof readCallback
  | typeof testWebhook
>

export function callbackRoutes(serve: Serve, needs: Needs): void {
  serve(contract.listWebhooks, async ({ caller }) => ({ webhooks: await listWebhooks(needs, caller.scope) }))
  serve(contract.createWebhook, ({ body, query, caller }) =>
    createWebhook(needs, caller, body, query.company),
  )
  serve(contract.rotateWebhook, ({ params, body, caller }) =>
    rotateWebhook(needs, caller, params.id, body.overlap_hours),
  )
  serve(contract.endPreviousSecret, ({ params, caller }) => endPreviousSecret(needs, caller, params.id))
  serve(contract.deleteWebhook, ({ params, caller }) => deleteWebhook(needs, caller, params.id))
  serve(contract.listCallbacks, ({ query, caller }) => listCallbacks(needs, caller.scope, query))
  serve(contract.repeatCallback, ({ params, caller }) => repeatCallback(needs, caller, params.id))
  serve(contract.repeatDeadCallbacks, ({ caller }) => repeatDeadCallbacks(needs, caller))
  serve(contract.readCallback, ({ params, caller }) => readCallback(needs, caller.scope, params.id))
  serve(contract.testWebhook, ({ params, caller }) => testWebhook(needs, caller.scope, params.id))
}
