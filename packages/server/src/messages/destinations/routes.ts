import * as contract from '@sdd/contract/messages/destinations.ts'
import type { NeedsOf } from '#server/core/context.ts'
import type { Serve } from '#server/core/http/serve.ts'
import { readDestinations, saveDestinations } from './destinations.ts'

type Needs = NeedsOf<typeof readDestinations | typeof saveDestinations>

export function destinationRoutes(serve: Serve, needs: Needs): void {
  serve(contract.readDestinations, ({ query, caller }) => readDestinations(needs, caller, query.company))
  serve(contract.saveDestinations, ({ body, query, caller }) =>
    saveDestinations(needs, caller, body, query.company),
  )
}
