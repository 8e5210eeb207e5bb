import * as apiKeys from '@sdd/contract/accounts/api-keys.ts'
import * as callbacks from '@sdd/contract/outward/callbacks.ts'
import * as devices from '@sdd/contract/fleet/devices.ts'
import * as campaignRows from '@sdd/contract/people/campaign-rows.ts'
import * as campaigns from '@sdd/contract/people/campaigns.ts'
import * as contacts from '@sdd/contract/people/contacts.ts'
import * as secondFactor from '@sdd/contract/accounts/second-factor.ts'
import * as sessions from '@sdd/contract/accounts/sessions.ts'
import { appCode } from './authenticator.ts'
import { linkTestDevice } from './device.ts'
import { withTables } from './engine.ts'
import { newUser, PASSWORD } from './seeds.ts'
import { call } from './server.ts'
import { type Admin, clock, keepSecrets, secrets, server } from './audited-server.ts'

export const CAMPAIGN = { name: 'Reminders', text: 'x', class: 'transactional' } as const
export const NUMBER = { number: '+34600111222' }

export async function aKey(token: string, rotated = false) {
  const { body } = await call(server, apiKeys.createApiKey, { token, body: { name: 'shop' } })
  const params = { id: body.id }
  if (rotated) keepSecrets((await call(server, apiKeys.rotateApiKey, { token, params, body: {} })).body)
  return { params }
}

export async function aContact({ token }: Pick<Admin, 'token'>) {
  await call(server, contacts.saveContact, { token, params: NUMBER, body: { consent: { how: 'web' } } })
  return { params: NUMBER }
}

export async function aCampaign({ token }: Pick<Admin, 'token'>, filled = false) {
  const { body } = await call(server, campaigns.createCampaign, { token, body: CAMPAIGN })
  const params = { id: body.id }
  if (filled)
    await call(server, campaignRows.uploadRows, { token, params, body: { first_row: 1, rows: [NUMBER] } })
  return { params }
}

/** In the database, as rules take their time. */
export function anOpenAlert(company_id: number): Promise<number> {
  return withTables(server, async ({ all }) => {
    const now = new Date().toISOString()
    const [row] = await all(
      `insert into alerts (company_id, rule_id, condition, subject_kind, subject_id, since, opened_at, facts)
        values (?, 0, 'device_quarantined', 'device', 'drone', ?, ?, '{"reason":null}') returning id`,
      company_id,
      now,
      now,
    )
    return Number(row!['id'])
  })
}

export async function aRunningCampaign(admin: Pick<Admin, 'token'>) {
  const { params } = await aCampaign(admin, true)
  await call(server, campaigns.startCampaign, { token: admin.token, params, body: { rows: 1 } })
  return { params }
}

export async function aWebhook(token: string, rotated = false) {
  const body = { url: 'https://192.0.2.1/other' }
  const params = { id: (await call(server, callbacks.createWebhook, { token, body })).body.id }
  if (rotated) keepSecrets((await call(server, callbacks.rotateWebhook, { token, params, body: {} })).body)
  return { params }
}

export async function aUser(token: string) {
  const { id, name, email } = await newUser(server, token)
  return { id, name, email }
}

export async function aSession({ token }: Pick<Admin, 'token'>) {
  const query = { user: `${(await aUser(token)).id}` }
  const { body } = await call(server, sessions.listSessions, { token, query })
  return { params: { id: body.sessions[0]!.id } }
}

export async function enrol(token: string): Promise<string> {
  const { body } = await call(server, secondFactor.enrolSecondFactor, { token, body: { password: PASSWORD } })
  secrets.add(body.secret)
  return body.secret
}

/** A code of the user's active second factor. */
export async function aProof({ token }: Pick<Admin, 'token'>) {
  const secret = await enrol(token)
  const code = (away: number) => appCode(secret, clock.now(), away)
  const on = await call(server, secondFactor.confirmSecondFactor, { token, body: { code: code(0) } })
  for (const recovery_code of on.body.recovery_codes) secrets.add(recovery_code)
  return { body: { password: PASSWORD, code: code(1) } }
}

let linked = 0
export async function aDevice(token: string, enabled = true) {
  const { uid } = await linkTestDevice(server, token, `audited-${++linked}`)
  if (!enabled) await call(server, devices.disableDevice, { token, params: { uid } })
  return { params: { uid } }
}
