import { openSdd, type Sdd } from './client.ts'
import type { Access } from './config.ts'

type Login = NonNullable<Access['login']>

/**
 * Runs `use` with a client. A person is logged in before and logged out after, and logged in again if the session has
 * ended meanwhile. A login with a code is not repeated, because the code is valid once.
 */
export async function withAccess<T>(
  { url, key, login }: Access,
  use: (sdd: Sdd) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  if (login === undefined) return use(openSdd({ url, ...(key && { key }) }))
  let token = await logIn(url, login, signal)

  const ask: typeof fetch = async (input, init) => {
    const askAs = (bearer: string) => {
      const headers = new Headers(init?.headers)
      headers.set('authorization', `Bearer ${bearer}`)
      return fetch(input, { ...init, headers })
    }
    const used = token
    const answer = await askAs(used)
    if (answer.status !== 401 || login.code !== undefined) return answer
    if (token === used) token = await logIn(url, login, signal)
    return askAs(token)
  }

  const sdd = openSdd({ url, fetch: ask })
  try {
    return await use(sdd)
  } finally {
    await sdd.request('POST', '/api/logout').catch(() => {})
  }
}

async function logIn(url: string, form: Login, signal?: AbortSignal): Promise<string> {
  const answer = await openSdd({ url }).request('POST', '/api/login', { form, signal })
  const { access_token } = (await answer.json()) as { access_token: string }
  return access_token
}
