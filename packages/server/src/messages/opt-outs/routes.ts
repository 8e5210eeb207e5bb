import * as contract from '@sdd/contract/messages/opt-outs.ts'
import type { NeedsOf } from '#server/core/context.ts'
import type { Serve } from '#server/core/http/serve.ts'
import { addOptOut, liftOptOut } from './blocking.ts'
import { listOptOuts } from './opt-outs.ts'

type Needs = NeedsOf<typeof listOptOuts | typeof addOptOut | typeof liftOptOut>

export function optOutRoutes(serve: Serve, needs: Needs): void {
  serve(contract.listOptOuts, ({ query, caller }) => listOptOuts(needs, caller, query))
  serve(contract.addOptOut, ({ body, query, caller }) => addOptOut(needs, caller, body.number, query.company))
  serve(contract.liftOptOut, ({ params, caller }) => liftOptOut(needs, caller, params.id))
}
