import { openSdd, type Sdd } from './client.ts'
import type { Access } from './config.ts'

/** Runs `use` with a client. A person is logged in before and logged out after. */
export async function withAccess<T>({ url, key, login }: Access, use: (sdd: Sdd) => Promise<T>): Promise<T> {
  if (login === undefined) return use(openSdd({ url, ...(key && { key }) }))
  const answer = await openSdd({ url }).request('POST', '/api/login', { form: login })
  const { access_token } = (await answer.json()) as { access_token: string }
  const sdd = openSdd({ url, key: access_token })
  try {
    return await use(sdd)
  } finally {
    await sdd.request('POST', '/api/logout').catch(() => {})
  }
}
