import { changePassword, login, proveSession } from '@sdd/contract/accounts/auth.ts'
import { ask } from './http.ts'
import type { Route } from '@sdd/contract/core/route.ts'

/** The passwords of the sessions that tests have opened, by token. */
const passwords = new Map<string, string>()

/** Remembers the session's password after a login or a change of password. */
export function notePassword(
  route: Pick<Route, 'path'>,
  { token, body }: { token?: string | undefined; body?: unknown },
  answer: { status: number; body: unknown },
): void {
  if (answer.status >= 300) return
  const { password, new_password } = (body ?? {}) as Record<string, string>
  if (route.path === login.path)
    passwords.set((answer.body as { access_token: string }).access_token, password!)
  if (route.path === changePassword.path) passwords.set(token!, new_password!)
}

/** Proves the session's identity with its password. False if the test opened no session with this token. */
export async function proveIt(server: { url: string }, token: string): Promise<boolean> {
  const password = passwords.get(token)
  if (password === undefined) return false
  const { status } = await ask(new URL(proveSession.path, server.url), {
    method: proveSession.method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ password }),
  })
  return status === 204
}
