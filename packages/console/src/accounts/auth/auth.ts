import { CallFault, textOf } from '@sdd/contract/core/client.ts'
import { type Credentials, login } from '@sdd/contract/accounts/auth.ts'
import { callApi } from '#console/core/api.ts'
import { faults } from '#console/core/fault-text.ts'
import { followLanguage } from '#console/core/language-choice.ts'
import { clearConfirmedLogout } from './logout-state.ts'
import { saveSession } from '#console/core/session.ts'
import { text } from '#console/core/text.ts'
import { login as words } from './text.ts'

/**
 * The result of a login: signed in with the session saved, a code needed in addition to the password, or the sentence
 * to show, in the current language.
 */
export type SignInOutcome = 'in' | 'code' | { refused: () => string; pair: boolean }

/** Opens a session. `pair` is true if the server refused the name and password. */
export async function signIn(credentials: Credentials): Promise<SignInOutcome> {
  try {
    saveSession(await callApi(login, { body: credentials }, readReply))
    clearConfirmedLogout()
    await followLanguage()
    return 'in'
  } catch (fault) {
    const code = fault instanceof CallFault ? fault.code : ''
    if (code === 'second_factor_required') return 'code'
    if (code === 'bad_code') return { refused: () => words.badCode, pair: false }
    return { refused: () => refusal(fault), pair: code === 'bad_credentials' }
  }
}

type Reply = { access_token: string; role: string; id: number | string; language?: string | null }

function readReply(body: unknown): Reply {
  if (!textOf(body, 'access_token')) throw new CallFault(words.serverFault, { status: 502 })
  return body as Reply
}

function refusal(fault: unknown): string {
  if (!(fault instanceof CallFault) || fault.status >= 500) return words.serverFault
  if (fault.status === 0) return text.noReply
  // After too many attempts the server refuses the right password too, so its own sentence helps more.
  return (fault.status === 429 ? faults.refusal(fault) : undefined) ?? words.refused
}
