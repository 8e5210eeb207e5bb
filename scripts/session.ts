import { login as loginRoute, proveSession } from '../packages/contract/src/accounts/auth.ts'
import { openClient } from '../packages/contract/src/core/client.ts'

export type Login = { username: string; password: string }

/** Logs in and proves its identity, so that for 5 minutes it may make keys, link codes and admins. */
export async function openSession(url: string, login: Login): Promise<string> {
  const token = await logIn(url, login)
  await prove(url, token, login)
  return token
}

export async function logIn(url: string, { username, password }: Login): Promise<string> {
  return (await openClient({ url }).call(loginRoute, { body: { username, password } })).access_token
}

/** For 5 more minutes. */
export async function prove(
  url: string,
  token: string,
  { password }: Pick<Login, 'password'>,
): Promise<void> {
  await openClient({ url, token }).call(proveSession, { body: { password } })
}
