import * as contract from '@sdd/contract/auth.ts'
import type { App } from '#server/app.ts'
import type { Serve } from '#server/core/http/serve.ts'
import { openTurns } from '#server/core/turns.ts'
import { loginKey } from '#server/users/users.ts'
import { login, logout } from './auth.ts'

export function authRoutes(serve: Serve, app: Pick<App, 'db' | 'clock' | 'broker'>): void {
  // A try counts as failed until it has succeeded: tries of one name at once would lock each other out.
  const inTurn = openTurns()
  serve(contract.login, ({ body, address }) =>
    inTurn(loginKey(body.username), () => login(app, body, address)),
  )
  serve(contract.logout, async ({ caller }) => {
    await logout(app, caller.session_id)
    app.broker.disconnectBrowsers(caller.session_id)
  })
}
