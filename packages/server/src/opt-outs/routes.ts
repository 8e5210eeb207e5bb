import * as contract from '@sdd/contract/opt-outs.ts'
import type { App } from '#server/app.ts'
import type { Serve } from '#server/core/http/serve.ts'
import { addOptOut, liftOptOut } from './blocking.ts'
import { listOptOuts } from './opt-outs.ts'

export function optOutRoutes(serve: Serve, app: App): void {
  serve(contract.listOptOuts, ({ query, caller }) => listOptOuts(app, caller.scope, query))
  serve(contract.addOptOut, ({ body, query, caller }) => addOptOut(app, caller, body.number, query.company))
  serve(contract.liftOptOut, ({ params, caller }) => liftOptOut(app, caller, params.id))
}
