import { after } from 'node:test'
import type { Role } from '@sdd/contract/core/roles.ts'
import { testClock } from './clock.ts'
import { enter, newUser, PASSWORD } from './seeds.ts'
import { ADMIN, startServer } from './server.ts'

/** The server whose audit log is tested. */
export const clock = testClock('2026-06-10T08:00:00Z')
export const server = await startServer({ clock, settings: { CALLBACK_ADDRESSES: 'any' } })
after(() => server.stop())

const superadmin = (await enter(server, ADMIN.username, ADMIN.password)).token
let companies = 1

export type Admin = Awaited<ReturnType<typeof newAdmin>>

/** Each has its own company. */
export async function newAdmin(role: Role = 'admin') {
  const companyId = ++companies
  return { ...(await newUser(server, superadmin, { role, companyId })), companyId }
}
/** Secrets that only their receivers may know. */
export const secrets = new Set<string>([PASSWORD, ADMIN.password, 'a password of a user', 'of-the-receiver'])

export function keepSecrets(body: object): void {
  // `error_msg_code` and the like are words of the API, not secrets.
  for (const [name, value] of Object.entries(body))
    if (typeof value === 'string' && /secret|token|(?<!_)code|key|password/.test(name)) secrets.add(value)
}
