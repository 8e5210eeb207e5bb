import * as contract from '@sdd/contract/fleet/orders.ts'
import type { NeedsOf } from '#server/core/context.ts'
import type { Serve } from '#server/core/http/serve.ts'
import { giveOrder, listOrders } from './orders.ts'

export function orderRoutes(serve: Serve, needs: NeedsOf<typeof giveOrder | typeof listOrders>): void {
  serve(contract.giveOrder, ({ params, body, caller }) => giveOrder(needs, caller, params.uid, body))
  serve(contract.listOrders, ({ params, query, caller }) => listOrders(needs, caller, params.uid, query))
}
