import { openSdd, SddError, type Sdd } from './client.ts'
import type { Access } from './config.ts'

type Login = NonNullable<Access['login']>

/**
 * Runs `use` with a client. A person is logged in before and logged out after, and logged in again if the session has
 * ended meanwhile. A login with a code is not repeated, because the code is valid once. Neither is a refused one: several
 * in a row would lock the person out.
 */
export async function withAccess<T>(
  { url, key, login }: Access,
  use: (sdd: Sdd) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  if (login === undefined) return use(openSdd({ url, ...(key && { key }) }))
  const form = login
  let session = logIn(url, form, signal)
  await session

  function renew(used: Promise<string>): void {
    const renewed = (session = logIn(url, form, signal))
    renewed.catch((error: unknown) => {
      if (!(error instanceof SddError && error.status === 401)) session = used
    })
  }

  const ask: typeof fetch = async (input, init) => {
    const askIn = async (token: Promise<string>) => {
      const headers = new Headers(init?.headers)
      headers.set('authorization', `Bearer ${await token}`)
      return fetch(input, { ...init, headers })
    }
    const used = session
    const answer = await askIn(used)
    if (answer.status !== 401 || form.code !== undefined) return answer
    if (session === used) renew(used)
    return askIn(session)
  }

  try {
    return await use(openSdd({ url, fetch: ask }))
  } finally {
    await session.then((token) => logOut(url, token)).catch(() => {})
  }
}

const LOGOUT_MS = 2_000

async function logOut(url: string, key: string): Promise<void> {
  await openSdd({ url, key }).request('POST', '/api/logout', { signal: AbortSignal.timeout(LOGOUT_MS) })
}

async function logIn(url: string, form: Login, signal?: AbortSignal): Promise<string> {
  const call = { form, signal }
  const { access_token } = await openSdd({ url }).json<{ access_token: string }>('POST', '/api/login', call)
  return access_token
}
