import * as contract from '@sdd/contract/users.ts'
import type { App } from '#server/app.ts'
import type { Serve } from '#server/core/http/serve.ts'
import { readUser } from './users.ts'

export function userRoutes(serve: Serve, app: Pick<App, 'db'>): void {
  serve(contract.readUser, ({ params, caller }) => readUser(app, caller.scope, params.id))
}
