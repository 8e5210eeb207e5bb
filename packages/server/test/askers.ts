import * as apiKeys from '@sdd/contract/accounts/api-keys.ts'
import * as auth from '@sdd/contract/accounts/auth.ts'
import { holds, keyPermissions, type Permission, type Role } from '@sdd/contract/core/roles.ts'
import type { Route } from '@sdd/contract/core/route.ts'
import * as users from '@sdd/contract/accounts/users.ts'
import { HOUR, type TestClock } from './clock.ts'
import type { MarkedCompany } from './marked-company.ts'
import { linkTestDevice } from './device.ts'
import { enter, newUser } from './seeds.ts'
import { ADMIN, call, type TestServer } from './server.ts'

/** A caller: a session with its role, a key with its permission, or neither. */
export type Asker = {
  who: string
  token: string | undefined
  role?: Role
  may?: readonly Permission[]
  company_id?: number
}

/** The contract's verdict on such a request. */
export type Verdict = 'allowed' | 'unauthorized' | 'forbidden' | 'unknown'

/** The access rule, derived from the route's `may` and from the company that owns the named thing. */
export function verdictOn(route: Route, asker: Asker, names: number | undefined): Verdict {
  if (route.may === 'anyone') return 'allowed'
  if (asker.role === undefined && asker.may === undefined) return 'unauthorized'
  const may = asker.role ? holds(asker.role, route.may) : asker.may!.includes(route.may)
  if (!may) return 'forbidden'
  const sees = asker.role === 'superadmin' || names === undefined || names === asker.company_id
  return sees ? 'allowed' : 'unknown'
}

/** Sessions and keys that expire before the test begins, as its clock advances thirteen hours. */
export async function expiredAskers(server: TestServer, clock: TestClock): Promise<Asker[]> {
  const session = await enter(server, ADMIN.username, ADMIN.password)
  const expires_at = new Date(clock.now() + HOUR).toISOString()
  const body = { name: 'expired', expires_at }
  const key = await call(server, apiKeys.createApiKey, { token: session.token, body })
  clock.advance(13 * HOUR)
  return [
    { who: 'an expired session', token: session.token },
    { who: 'an expired key', token: key.body.key },
  ]
}

/** Callers without any access: with an old token, an invented one, or none. */
export async function strangers(
  server: TestServer,
  superadmin: string,
  company: MarkedCompany,
): Promise<Asker[]> {
  const left = await enter(server, ADMIN.username, ADMIN.password)
  await call(server, auth.logout, { token: left.token })
  const off = await newUser(server, superadmin, { role: 'admin', companyId: company.id })
  const disabled = { id: off.id, name: off.name, email: off.email, role: 'admin', enabled: false }
  await call(server, users.saveUser, { token: superadmin, body: disabled })
  const moved = await newUser(server, superadmin, { role: 'admin', companyId: company.id })
  const demoted = { id: moved.id, name: moved.name, email: moved.email, role: 'user' }
  await call(server, users.saveUser, { token: superadmin, body: demoted })
  const revoked = await company.newKey()
  const params = { id: revoked.id }
  await call(server, apiKeys.revokeApiKey, { token: company.admin.token, params })
  const { secret } = await linkTestDevice(server, company.admin.token, `${company.mark}-curious`)
  const { key } = company.key
  return [
    { who: 'nobody', token: undefined },
    { who: 'an empty token', token: '' },
    { who: 'garbage', token: 'sds_garbage' },
    { who: 'a truncated session', token: superadmin.slice(0, -1) },
    { who: 'a session with a tail', token: `${superadmin}A` },
    { who: 'a session in another case', token: swapCase(superadmin) },
    { who: 'who has logged out', token: left.token },
    { who: 'a disabled user', token: off.token },
    { who: 'a session from before the role changed', token: moved.token },
    { who: 'a device', token: secret },
    { who: 'an invented key', token: `sdk_${'A'.repeat(43)}` },
    { who: 'a truncated key', token: key.slice(0, -1) },
    { who: 'a key that claims to be a session', token: key.replace('sdk_', 'sds_') },
    { who: 'a session that claims to be a key', token: superadmin.replace('sds_', 'sdk_') },
    { who: 'a webhook secret', token: company.key.webhook_secret },
    { who: 'a revoked key', token: revoked.key },
  ]
}

/** Callers of a company with some access: one of each role, and a key with each permission a key can have. */
export async function insiders(company: MarkedCompany): Promise<Asker[]> {
  const company_id = company.id
  const keys = await Promise.all(
    keyPermissions.map(async (may) => ({
      who: `a key that may ${may}`,
      token: (await company.newKey([may])).key,
      may: [may],
      company_id,
    })),
  )
  return [
    { who: 'user', token: company.user.token, role: 'user', company_id },
    { who: 'admin', token: company.admin.token, role: 'admin', company_id },
    ...keys,
    { who: 'a key that may all', token: company.key.key, may: keyPermissions, company_id },
  ]
}

/** The same caller with a new session, for a call that may end the session or change its user. */
export async function another(server: TestServer, superadmin: string, asker: Asker): Promise<Asker> {
  if (!asker.role) return asker
  const { token } = await newUser(server, superadmin, { role: asker.role, companyId: asker.company_id })
  return { ...asker, token }
}

function swapCase(text: string): string {
  return text.replace(/[a-z]/gi, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  )
}
