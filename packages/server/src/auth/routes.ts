import * as contract from '@sdd/contract/auth.ts'
import * as factor from '@sdd/contract/second-factor.ts'
import * as sessions from '@sdd/contract/sessions.ts'
import type { App } from '#server/app.ts'
import type { Serve } from '#server/core/http/serve.ts'
import { changePassword } from '#server/users/password.ts'
import { login, logout } from './auth.ts'
import { proveSession } from './proof.ts'
import {
  confirmSecondFactor,
  disableSecondFactor,
  enrolSecondFactor,
  readSecondFactor,
  removeSecondFactor,
  renewRecoveryCodes,
} from './second-factor.ts'
import { endOtherSessions, endSession, listSessions } from './sessions.ts'
import { watchLogin } from './watched-login.ts'

export function authRoutes(
  serve: Serve,
  app: Pick<App, 'db' | 'clock' | 'live' | 'broker' | 'hashing' | 'gathering' | 'securityLog'>,
): void {
  serve(contract.login, ({ body, address, user_agent }) =>
    watchLogin(app, { username: body.username, address }, () => login(app, body, { address, user_agent })),
  )
  serve(contract.logout, async ({ caller }) => {
    await logout(app, caller.session_id)
    app.broker.disconnectBrowsers(caller.session_id)
  })
  serve(contract.proveSession, ({ caller, body, address }) => proveSession(app, caller, body, address))
  serve(contract.changePassword, ({ caller, body, address }) => changePassword(app, caller, body, address))

  serve(sessions.listSessions, async ({ caller, query }) => ({
    sessions: await listSessions(app, caller, query.user),
  }))
  serve(sessions.endSession, ({ caller, params }) => endSession(app, caller, params.id))
  serve(sessions.endOtherSessions, ({ caller, query }) => endOtherSessions(app, caller, query.user))

  serve(factor.readSecondFactor, ({ caller }) => readSecondFactor(app, caller))
  serve(factor.enrolSecondFactor, ({ caller, body, host, address }) =>
    enrolSecondFactor(app, caller, body, host, address),
  )
  serve(factor.confirmSecondFactor, ({ caller, body, address }) =>
    confirmSecondFactor(app, caller, body.code, address),
  )
  serve(factor.renewRecoveryCodes, ({ caller, body, address }) =>
    renewRecoveryCodes(app, caller, body, address),
  )
  serve(factor.disableSecondFactor, ({ caller, body, address }) =>
    disableSecondFactor(app, caller, body, address),
  )
  serve(factor.removeSecondFactor, ({ caller, params }) => removeSecondFactor(app, caller, params.id))
}
