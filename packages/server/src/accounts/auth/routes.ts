import * as contract from '@sdd/contract/accounts/auth.ts'
import * as factor from '@sdd/contract/accounts/second-factor.ts'
import * as sessions from '@sdd/contract/accounts/sessions.ts'
import type { NeedsOf } from '#server/core/context.ts'
import type { Serve } from '#server/core/http/serve.ts'
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
import { endOwnOtherSessions, endSession, listSessions } from './session-list.ts'
import { watchLogin } from './watched-login.ts'

type Needs = NeedsOf<
  | typeof watchLogin
  | typeof login
  | typeof logout
  | typeof proveSession
  | typeof listSessions
  | typeof endSession
  | typeof endOwnOtherSessions
  | typeof readSecondFactor
  | typeof enrolSecondFactor
  | typeof confirmSecondFactor
  | typeof renewRecoveryCodes
  | typeof disableSecondFactor
  | typeof removeSecondFactor
>

export function authRoutes(serve: Serve, needs: Needs): void {
  serve(contract.login, ({ body, address, user_agent }) =>
    watchLogin(needs, { username: body.username, address }, () =>
      login(needs, body, { address, user_agent }),
    ),
  )
  serve(contract.logout, async ({ caller }) => {
    await logout(needs, caller.session_id)
    needs.broker.disconnectBrowsers(caller.session_id)
  })
  serve(contract.proveSession, ({ caller, body, address }) => proveSession(needs, caller, body, address))

  serve(sessions.listSessions, async ({ caller, query }) => ({
    sessions: await listSessions(needs, caller, query.user),
  }))
  serve(sessions.endSession, ({ caller, params }) => endSession(needs, caller, params.id))
  serve(sessions.endOtherSessions, ({ caller, query }) => endOwnOtherSessions(needs, caller, query.user))

  serve(factor.readSecondFactor, ({ caller }) => readSecondFactor(needs, caller))
  serve(factor.enrolSecondFactor, ({ caller, body, host, address }) =>
    enrolSecondFactor(needs, caller, body, host, address),
  )
  serve(factor.confirmSecondFactor, ({ caller, body, address }) =>
    confirmSecondFactor(needs, caller, body.code, address),
  )
  serve(factor.renewRecoveryCodes, ({ caller, body, address }) =>
    renewRecoveryCodes(needs, caller, body, address),
  )
  serve(factor.disableSecondFactor, ({ caller, body, address }) =>
    disableSecondFactor(needs, caller, body, address),
  )
  serve(factor.removeSecondFactor, ({ caller, params }) => removeSecondFactor(needs, caller, params.id))
}
