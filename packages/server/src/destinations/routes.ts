import * as contract from '@sdd/contract/destinations.ts'
import type { App } from '#server/app.ts'
import type { Serve } from '#server/core/http/serve.ts'
import { readDestinations, saveDestinations } from './destinations.ts'

export function destinationRoutes(serve: Serve, app: App): void {
  serve(contract.readDestinations, ({ query, caller }) => readDestinations(app, caller, query.company))
  serve(contract.saveDestinations, ({ body, query, caller }) =>
    saveDestinations(app, caller, body, query.company),
  )
}
