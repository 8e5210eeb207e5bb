import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { routes } from '@sdd/contract/app/api.ts'
import * as apiKeys from '@sdd/contract/accounts/api-keys.ts'
import * as audit from '@sdd/contract/accounts/audit.ts'
import * as auth from '@sdd/contract/accounts/auth.ts'
import * as callbacks from '@sdd/contract/outward/callbacks.ts'
import * as destinations from '@sdd/contract/messages/destinations.ts'
import * as devices from '@sdd/contract/fleet/devices.ts'
import * as campaigns from '@sdd/contract/people/campaigns.ts'
import * as contacts from '@sdd/contract/people/contacts.ts'
import * as conversations from '@sdd/contract/people/conversations.ts'
import * as keywords from '@sdd/contract/messages/keywords.ts'
import * as templates from '@sdd/contract/people/templates.ts'
import * as messages from '@sdd/contract/messages/messages.ts'
import * as optOuts from '@sdd/contract/messages/opt-outs.ts'
import * as quotas from '@sdd/contract/accounts/quotas.ts'
import { holds, type Role } from '@sdd/contract/core/roles.ts'
import type { Route } from '@sdd/contract/core/route.ts'
import * as secondFactor from '@sdd/contract/accounts/second-factor.ts'
import * as sessions from '@sdd/contract/accounts/sessions.ts'
import * as settings from '@sdd/contract/accounts/settings.ts'
import { saveDeviceLimit } from '@sdd/contract/fleet/limits.ts'
import * as tasks from '@sdd/contract/tasks/tasks.ts'
import * as users from '@sdd/contract/accounts/users.ts'
import { hashSecret } from '#server/core/secrets.ts'
import { addDeadCallback } from './callback-rows.ts'
import { appCode } from './authenticator.ts'
import { connectBrowser } from './browser.ts'
import { testClock } from './clock.ts'
import { eventually, linkTestDevice } from './device.ts'
import { withTables } from './engine.ts'
import { enter, newUser, PASSWORD, someone } from './seeds.ts'
import { ADMIN, call, startServer, type TestServer } from './server.ts'

type Asked = {
  params?: Record<string, string | number>
  query?: Record<string, string>
  body?: Record<string, unknown>
}
type Admin = Awaited<ReturnType<typeof newAdmin>>

/** Routes that write without an audit entry, and why. */
const unrecorded = new Map<Route, string>([
  [auth.logout, 'who comes and goes changes nothing'],
  [auth.proveSession, 'it changes nothing by itself'],
  [users.chooseLanguage, 'it changes only what the caller sees'],
  [secondFactor.enrolSecondFactor, 'it does nothing until it is confirmed'],
  [messages.sendSms, 'the transaction log has each message'],
  [conversations.answerConversation, 'the transaction log has each message'],
  [conversations.discardAnswer, 'the transaction log has each message'],
  [conversations.changeConversation, 'it is daily work on messages, which the conversation shows'],
  [campaigns.uploadRows, 'it fills a draft, and the audit log has its start'],
  [callbacks.testWebhook, 'it sends a test, and stores nothing'],
  [tasks.createTasks, 'another system does it; the tasks are a log of their own'],
])

const CAMPAIGN = { name: 'Reminders', text: 'x', class: 'transactional' } as const
const NUMBER = { number: '+34600111222' }

/** A request for each of the other routes that write, and the action it records. */
const changing = new Map<Route, [action: string, of: (admin: Admin) => Asked | Promise<Asked>][]>([
  [
    contacts.saveContact,
    [['consent.recorded', () => ({ params: NUMBER, body: { consent: { how: 'web' } } })]],
  ],
  [contacts.deleteContact, [['consent.withdrawn', aContact]]],
  [
    contacts.importContacts,
    [['consent.recorded', () => ({ body: { rows: [{ ...NUMBER, consent: { how: 'web' } }] } })]],
  ],
  [templates.saveTemplate, [['settings.saved', () => ({ body: { name: 'Reminder', text: 'x' } })]]],
  [
    templates.deleteTemplate,
    [
      [
        'settings.saved',
        async ({ token }) => {
          const body = { name: 'Reminder', text: 'x' }
          return { params: { id: (await call(server, templates.saveTemplate, { token, body })).body.id } }
        },
      ],
    ],
  ],
  [keywords.saveKeyword, [['settings.saved', () => ({ body: { word: 'basta', action: 'stop' } })]]],
  [
    keywords.deleteKeyword,
    [
      [
        'settings.saved',
        async ({ token }) => {
          const body = { word: 'basta', action: 'stop' } as const
          return { params: { id: (await call(server, keywords.saveKeyword, { token, body })).body.id } }
        },
      ],
    ],
  ],
  [campaigns.createCampaign, [['campaign.created', () => ({ body: CAMPAIGN })]]],
  [
    campaigns.changeCampaign,
    [
      [
        'campaign.changed',
        async (admin) => ({ ...(await aCampaign(admin)), body: { ...CAMPAIGN, text: 'y' } }),
      ],
    ],
  ],
  [campaigns.deleteCampaign, [['campaign.removed', aCampaign]]],
  [
    campaigns.startCampaign,
    [['campaign.started', async (admin) => ({ ...(await aCampaign(admin, true)), body: { rows: 1 } })]],
  ],
  [campaigns.pauseCampaign, [['campaign.paused', aRunningCampaign]]],
  [
    campaigns.resumeCampaign,
    [
      [
        'campaign.resumed',
        async (admin) => {
          const { params } = await aRunningCampaign(admin)
          await call(server, campaigns.pauseCampaign, { token: admin.token, params })
          return { params }
        },
      ],
    ],
  ],
  [campaigns.stopCampaign, [['campaign.stopped', aRunningCampaign]]],
  [
    campaigns.retryCampaign,
    [
      [
        'campaign.created',
        async (admin) => {
          const { params } = await aRunningCampaign(admin)
          await call(server, campaigns.stopCampaign, { token: admin.token, params })
          // A row that failed without any remedy of its own.
          await withTables(server, ({ all }) =>
            all(`update campaign_rows set state = 'failed' where campaign_id = ?`, params.id),
          )
          return { params }
        },
      ],
    ],
  ],
  [
    users.saveUser,
    [
      ['user.created', () => ({ body: someone({ password: 'a password of a user' }) })],
      ['user.edited', async ({ token }) => ({ body: { ...(await aUser(token)), role: 'admin' } })],
    ],
  ],
  [
    auth.changePassword,
    [['user.edited', () => ({ body: { password: PASSWORD, new_password: 'the password after' } })]],
  ],
  [sessions.endSession, [['user.session_ended', aSession]]],
  [
    sessions.endOtherSessions,
    [['user.sessions_ended', async ({ token }) => ({ query: { user: `${(await aUser(token)).id}` } })]],
  ],
  [
    secondFactor.confirmSecondFactor,
    [
      [
        'user.second_factor_enabled',
        async ({ token }) => ({ body: { code: appCode(await enrol(token), clock.now()) } }),
      ],
    ],
  ],
  [secondFactor.renewRecoveryCodes, [['user.recovery_codes_renewed', aProof]]],
  [secondFactor.disableSecondFactor, [['user.second_factor_disabled', aProof]]],
  [
    secondFactor.removeSecondFactor,
    [
      [
        'user.second_factor_removed',
        async ({ token }) => {
          const user = await newUser(server, token)
          await aProof(user)
          return { params: { id: user.id } }
        },
      ],
    ],
  ],
  [devices.enableDevice, [['device.enabled', ({ token }) => aDevice(token, false)]]],
  [devices.disableDevice, [['device.disabled', ({ token }) => aDevice(token)]]],
  [
    devices.changeDevice,
    [['device.changed', async ({ token }) => ({ ...(await aDevice(token)), body: { name: 'Roof' } })]],
  ],
  [
    devices.changeDevices,
    [
      [
        'device.changed',
        async ({ token }) => ({
          body: { uids: [(await aDevice(token)).params.uid], change: { note: 'By the stairs' } },
        }),
      ],
    ],
  ],
  [devices.renewSecret, [['device.secret_renewed', ({ token }) => aDevice(token)]]],
  [devices.unlinkDevice, [['device.unlinked', ({ token }) => aDevice(token)]]],
  [devices.createLinkCode, [['link_code.created', () => ({ body: { uses: 3 } })]]],
  [
    devices.revokeLinkCode,
    [
      [
        'link_code.revoked',
        async ({ token }) => {
          const { body } = await call(server, devices.createLinkCode, { token, body: {} })
          return { params: { id: body.id } }
        },
      ],
    ],
  ],
  [
    settings.saveGlobalSettings,
    [['settings.saved', () => ({ body: { spoof_time_secs: 7, send_enabled: true } })]],
  ],
  [
    saveDeviceLimit,
    [
      [
        'device.limit_saved',
        async ({ token }) => ({ body: { ...(await aDevice(token)).params, max_sms_dayly: 7 } }),
      ],
    ],
  ],
  [
    quotas.saveQuotas,
    [
      [
        'settings.quotas_changed',
        ({ companyId }) => ({ query: { company: `${companyId}` }, body: { webhooks: 7 } }),
      ],
    ],
  ],
  [
    destinations.saveDestinations,
    [['destinations.changed', () => ({ body: { allow: ['+34'], deny: [], max_per_recipient_dayly: null } })]],
  ],
  [apiKeys.createApiKey, [['api_key.created', () => ({ body: { name: 'shop' } })]]],
  [apiKeys.revokeApiKey, [['api_key.revoked', ({ token }) => aKey(token)]]],
  [apiKeys.rotateApiKey, [['api_key.rotated', ({ token }) => aKey(token)]]],
  [apiKeys.endPreviousKey, [['api_key.previous_ended', ({ token }) => aKey(token, true)]]],
  [
    callbacks.createWebhook,
    [['webhook.created', () => ({ body: { url: 'https://192.0.2.1/hook?token=of-the-receiver' } })]],
  ],
  [callbacks.deleteWebhook, [['webhook.removed', ({ token }) => aWebhook(token)]]],
  [callbacks.rotateWebhook, [['webhook.rotated', ({ token }) => aWebhook(token)]]],
  [callbacks.endPreviousSecret, [['webhook.previous_ended', ({ token }) => aWebhook(token, true)]]],
  [
    tasks.discardTask,
    [
      [
        'task.discarded',
        async ({ token }) => {
          const task = { guid: `discarded-${++linked}`, to_number: '600111444', text: 'hola' }
          await call(server, tasks.createTasks, { token, body: task })
          return { params: { guid: task.guid } }
        },
      ],
    ],
  ],
  [
    callbacks.repeatCallback,
    [
      [
        'callback.repeated',
        async ({ companyId }) => ({ params: { id: await addDeadCallback(server, companyId) } }),
      ],
    ],
  ],
  [
    callbacks.repeatDeadCallbacks,
    [
      [
        'callback.repeated',
        async ({ companyId }) => {
          await addDeadCallback(server, companyId)
          return {}
        },
      ],
    ],
  ],
  [optOuts.addOptOut, [['opt_out.added', () => ({ body: { number: '600111222' } })]]],
  [
    optOuts.liftOptOut,
    [
      [
        'opt_out.lifted',
        async ({ token }) => {
          const body = { number: '600111333' }
          return { params: { id: (await call(server, optOuts.addOptOut, { token, body })).body.id } }
        },
      ],
    ],
  ],
])

async function aKey(token: string, rotated = false) {
  const { body } = await call(server, apiKeys.createApiKey, { token, body: { name: 'shop' } })
  const params = { id: body.id }
  if (rotated) keepSecrets((await call(server, apiKeys.rotateApiKey, { token, params, body: {} })).body)
  return { params }
}

async function aContact({ token }: Pick<Admin, 'token'>) {
  await call(server, contacts.saveContact, { token, params: NUMBER, body: { consent: { how: 'web' } } })
  return { params: NUMBER }
}

async function aCampaign({ token }: Pick<Admin, 'token'>, filled = false) {
  const { body } = await call(server, campaigns.createCampaign, { token, body: CAMPAIGN })
  const params = { id: body.id }
  if (filled)
    await call(server, campaigns.uploadRows, { token, params, body: { first_row: 1, rows: [NUMBER] } })
  return { params }
}

async function aRunningCampaign(admin: Pick<Admin, 'token'>) {
  const { params } = await aCampaign(admin, true)
  await call(server, campaigns.startCampaign, { token: admin.token, params, body: { rows: 1 } })
  return { params }
}

async function aWebhook(token: string, rotated = false) {
  const body = { url: 'https://192.0.2.1/other' }
  const params = { id: (await call(server, callbacks.createWebhook, { token, body })).body.id }
  if (rotated) keepSecrets((await call(server, callbacks.rotateWebhook, { token, params, body: {} })).body)
  return { params }
}

async function aUser(token: string) {
  const { id, name, email } = await newUser(server, token)
  return { id, name, email }
}

async function aSession({ token }: Pick<Admin, 'token'>) {
  const query = { user: `${(await aUser(token)).id}` }
  const { body } = await call(server, sessions.listSessions, { token, query })
  return { params: { id: body.sessions[0]!.id } }
}

async function enrol(token: string): Promise<string> {
  const { body } = await call(server, secondFactor.enrolSecondFactor, { token, body: { password: PASSWORD } })
  secrets.add(body.secret)
  return body.secret
}

/** A code of the user's active second factor. */
async function aProof({ token }: Pick<Admin, 'token'>) {
  const secret = await enrol(token)
  const code = (away: number) => appCode(secret, clock.now(), away)
  const on = await call(server, secondFactor.confirmSecondFactor, { token, body: { code: code(0) } })
  for (const recovery_code of on.body.recovery_codes) secrets.add(recovery_code)
  return { body: { password: PASSWORD, code: code(1) } }
}

let linked = 0
async function aDevice(token: string, enabled = true) {
  const { uid } = await linkTestDevice(server, token, `audited-${++linked}`)
  if (!enabled) await call(server, devices.disableDevice, { token, params: { uid } })
  return { params: { uid } }
}

const clock = testClock('2026-06-10T08:00:00Z')
let server: TestServer
let superadmin: string
let companies = 1

before(async () => {
  server = await startServer({ clock, settings: { CALLBACK_ADDRESSES: 'any' } })
  superadmin = (await enter(server, ADMIN.username, ADMIN.password)).token
})
after(() => server.stop())

async function newAdmin(role: Role = 'admin') {
  const companyId = ++companies
  return { ...(await newUser(server, superadmin, { role, companyId })), companyId }
}

async function log(token: string, query: Record<string, string> = {}) {
  const { status, body } = await call(server, audit.listAudit, { token, query })
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

const nameOf = ({ method, path }: Route) => `${method} ${path}`

test('this test has every route by which a person changes something', () => {
  const writing = routes.filter(({ method, may }) => method !== 'GET' && may !== 'anyone')
  assert.deepEqual(
    writing.filter((route) => !changing.has(route) && !unrecorded.has(route)).map(nameOf),
    [],
    'a change must be in the audit log, or unrecorded for a reason',
  )
})

/** Secrets that only their receivers may know. */
const secrets = new Set<string>([PASSWORD, ADMIN.password, 'a password of a user', 'of-the-receiver'])

function keepSecrets(body: object): void {
  // `error_msg_code` and the like are words of the API, not secrets.
  for (const [name, value] of Object.entries(body))
    if (typeof value === 'string' && /secret|token|(?<!_)code|key|password/.test(name)) secrets.add(value)
}

// Each has its own company. With higher concurrency, too many passwords would queue.
describe('what a person changes', { concurrency: 4 }, () => {
  for (const [route, cases] of changing) {
    for (const [action, of] of cases) {
      test(`${nameOf(route)} leaves ${action} in the audit log, and browsers hear of it`, async (t) => {
        const admin = await newAdmin(holds('admin', route.may) ? 'admin' : 'superadmin')
        const asked = await of(admin)
        const { code } = (await call(server, devices.createLinkCode, { token: admin.token, body: {} })).body
        const browser = await connectBrowser(server, admin.token)
        t.after(() => browser.stop())
        const heard = (list: string) => browser.changes.some(({ changed }) => changed.includes(list))
        // This live change comes after all earlier ones.
        assert.equal((await call(server, devices.linkDevice, { body: { code } })).status, 201)
        await eventually(() => heard('devices'))
        const [last] = (await log(admin.token)).entries
        browser.changes.length = 0
        const answer = await call(server, route, { token: admin.token, ...asked })
        assert.ok(answer.status >= 200 && answer.status < 300, JSON.stringify(answer.body))
        keepSecrets((answer.body as object | undefined) ?? {})
        // A superadmin reads the changes that other tests make meanwhile, too.
        const isFresh = ({ id, user_id }: { id: number; user_id: number | null }) =>
          id > (last?.id ?? 0) && user_id === admin.id
        const fresh = (await log(admin.token)).entries.filter(isFresh)
        assert.deepEqual(
          fresh.map(({ action, by, user_id, address }) => ({ action, by, user_id, address })),
          [{ action, by: admin.name, user_id: admin.id, address: '127.0.0.1' }],
        )
        assert.equal(fresh[0]!.subject, action.split('.')[0])
        assert.ok(fresh[0]!.name)
        await eventually(() => heard('audit'))
      })
    }
  }
})

test('no secret or hash of one is in the audit log', async () => {
  const rows = await withTables(server, ({ all }) => all('select * from audit_log'))
  const text = JSON.stringify(rows)
  assert.ok(rows.length > changing.size)
  assert.ok(secrets.size >= 7, [...secrets].join(' '))
  for (const secret of secrets) {
    assert.ok(!text.includes(secret), secret)
    assert.ok(!text.includes(hashSecret(secret)), secret)
  }
  assert.doesNotMatch(text, /argon2|[0-9a-f]{64}|sd[adks]_|whsec_/)
})
