import * as contract from '@sdd/contract/auth.ts'
import type { App } from '#server/app.ts'
import type { Serve } from '#server/core/http/serve.ts'
import { login, logout } from './auth.ts'

export function authRoutes(serve: Serve, app: Pick<App, 'db' | 'clock' | 'broker'>): void {
  serve(contract.login, ({ body, address }) => login(app, body, address))
  serve(contract.logout, async ({ caller }) => {
    await logout(app, caller.session_id)
    app.broker.disconnectBrowsers(caller.session_id)
  })
}
