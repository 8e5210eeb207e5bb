import { CallFault, textOf } from '@sdd/contract/core/client.ts'
import { type Credentials, login } from '@sdd/contract/accounts/auth.ts'
import { call } from '#console/core/api.ts'
import { endOnServer, forgetEnded } from './ending.ts'
import { clearSession, readSession, saveSession } from '#console/core/session.ts'
import { text } from '#console/core/text.ts'
import { login as words } from './text.ts'

/** What became of it: a session, kept; the wish for a code beside the pair; or the sentence to show. */
export type Outcome = 'in' | 'code' | { refused: string; pair: boolean }

/** Opens a session. `pair` says whether it is name and password that the server does not take. */
export async function signIn(credentials: Credentials): Promise<Outcome> {
  try {
    saveSession(await call(login, { body: credentials }, readReply))
    forgetEnded()
    return 'in'
  } catch (fault) {
    const code = fault instanceof CallFault ? fault.code : ''
    if (code === 'second_factor_required') return 'code'
    if (code === 'bad_code') return { refused: words.badCode, pair: false }
    return { refused: refusal(fault), pair: code === 'bad_credentials' }
  }
}

/** Ends the session here at once, and on the server as soon as that answers. */
export function signOut(): void {
  const session = readSession()
  clearSession()
  if (session) endOnServer(session.token)
}

type Reply = { access_token: string; role: string; id: number | string }

function readReply(body: unknown): Reply {
  if (!textOf(body, 'access_token')) throw new CallFault(words.serverFault, { status: 502 })
  return body as Reply
}

function refusal(fault: unknown): string {
  if (!(fault instanceof CallFault) || fault.status >= 500) return words.serverFault
  if (fault.status === 0) return text.noReply
  // Too many attempts: the right password would be refused too, so the server's own sentence helps more.
  return (fault.status === 429 ? textOf(fault.body, 'detail') : undefined) ?? words.refused
}
