import * as hook from '@sdd/contract/fleet/broker-hook.ts'
import type { Serve } from '#server/core/http/serve.ts'
import type { BrokerHook } from './broker-hook.ts'

export function brokerHookRoutes(serve: Serve, needs: { hook: BrokerHook }): void {
  serve(hook.authenticateClient, ({ body, address }) => needs.hook.authenticate(named(body), address))
  serve(hook.authorizeClient, ({ body, address }) => needs.hook.authorize(named(body), address))
}

/** A client may omit a name or password, which is then null. An empty one matches no client. */
function named<Body extends object>(body: Body) {
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, value ?? ''])) as {
    [Name in keyof Body]: NonNullable<Body[Name]>
  }
}
