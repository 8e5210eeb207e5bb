import { login, logout } from '@sdd/contract/auth.ts'
import { ApiFault, call, textOf } from '#console/core/api.ts'
import { clearSession, saveSession } from '#console/core/session.ts'
import { text } from '#console/core/text.ts'

/** Opens a session and keeps it. Gives the sentence to show where that failed. */
export async function signIn(username: string, password: string): Promise<string | undefined> {
  try {
    saveSession(await call(login, { body: { username, password } }, readReply))
    return undefined
  } catch (fault) {
    return refusal(fault)
  }
}

/** Ends the session here at once, and on the server as soon as it hears of it. */
export function signOut(): void {
  void call(logout, {}, () => undefined).catch(() => undefined)
  clearSession()
}

type Reply = { access_token: string; role: string; id: number | string }

function readReply(body: unknown): Reply {
  if (!textOf(body, 'access_token')) throw new ApiFault(502, text.login.serverFault)
  return body as Reply
}

function refusal(fault: unknown): string {
  if (!(fault instanceof ApiFault) || fault.status >= 500) return text.login.serverFault
  if (fault.status === 0) return text.noReply
  // Too many attempts: the right password would be refused too, so the server's own sentence helps more.
  return (fault.status === 429 ? textOf(fault.body, 'detail') : undefined) ?? text.login.refused
}
