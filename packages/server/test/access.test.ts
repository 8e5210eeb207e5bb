import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { routes } from '@sdd/contract/api.ts'
import * as apiKeys from '@sdd/contract/api-keys.ts'
import * as auth from '@sdd/contract/auth.ts'
import * as callbacks from '@sdd/contract/callbacks.ts'
import * as devices from '@sdd/contract/devices.ts'
import * as messages from '@sdd/contract/messages.ts'
import * as optOuts from '@sdd/contract/opt-outs.ts'
import { holds, keyPermissions, type Permission, type Role, roles } from '@sdd/contract/roles.ts'
import type { Route } from '@sdd/contract/route.ts'
import { createTasks, type TaskReceipt } from '@sdd/contract/tasks.ts'
import * as users from '@sdd/contract/users.ts'
import { addDeadCallback } from './callback-rows.ts'
import { connectDevice, linkTestDevice } from './device.ts'
import { enter, newUser, PASSWORD, someone } from './seeds.ts'
import { ADMIN, call, startServer, type TestServer } from './server.ts'

type Asked = {
  params?: Record<string, string | number>
  query?: Record<string, string>
  body?: Record<string, unknown>
}

/** Who may call a route and what it shows, as contract.md and section 6 of the specification have it. */
type Access = {
  /** The least role; `anyone` needs no session. */
  least: 'anyone' | Role
  /** What is asked about something that belongs to the company; nothing at all where absent. */
  of?: (company: Company) => Asked | Promise<Asked>
  /** The code of the 404 to a caller of another company. */
  hidden?: string
  /** For a list: the company of each row. */
  rows?: (body: any) => number[] // oxlint-disable-line typescript/no-explicit-any -- of whichever route
}

type Company = {
  id: number
  admin: string
  user: string
  device: string
  guid: string
  member: Member
  /** An API key that may do all that a key can. */
  key: string
}
type Member = { id: number; name: string; email: string }

const access: Record<string, Access> = {
  'POST /api/login': {
    least: 'anyone',
    of: ({ member }) => ({ body: { username: member.name, password: PASSWORD } }),
  },
  'POST /api/logout': { least: 'user' },
  'GET /api/my-users': { least: 'user', rows: (body) => body.users.map(companyId) },
  'POST /api/user': {
    least: 'admin',
    of: ({ member: { id, name, email } }) => ({ body: { id, name, email, role: 'user' } }),
    hidden: 'unknown_user',
  },
  'GET /api/user/:id': {
    least: 'user',
    of: ({ member }) => ({ params: { id: member.id } }),
    hidden: 'unknown_user',
  },
  'GET /api/device-list': { least: 'user', rows: (body) => body.devices.map(company_id) },
  'GET /api/device/:uid/networks': { least: 'user', of: itsDevice, hidden: 'unknown_device' },
  'POST /api/enable-device/:uid': { least: 'admin', of: itsDevice, hidden: 'unknown_device' },
  'POST /api/disable-device/:uid': { least: 'admin', of: itsIdleDevice, hidden: 'unknown_device' },
  'POST /api/link-codes': { least: 'admin' },
  'POST /api/devices/link': {
    least: 'anyone',
    of: async ({ admin }) => {
      const { body } = await call(server, devices.createLinkCode, { token: admin })
      return { body: { code: body.code } }
    },
  },
  'POST /api/device/:uid/secret': { least: 'admin', of: itsIdleDevice, hidden: 'unknown_device' },
  'DELETE /api/device/:uid': { least: 'admin', of: itsIdleDevice, hidden: 'unknown_device' },
  'POST /api/device-send-sms': { least: 'user', of: anSms, hidden: 'unknown_device' },
  'GET /api/logs/devices': { least: 'user', rows: (body) => body.logs.map(company_id) },
  'GET /api/logs/devices.csv': { least: 'user' },
  'GET /api/logs/queue/guid/:guid': {
    least: 'user',
    of: ({ guid }) => ({ params: { guid } }),
    hidden: 'unknown_message',
  },
  'POST /api/external-tasks': { least: 'user', of: () => ({ body: aTask }) },
  'GET /api/external-tasks': { least: 'user', rows: (body) => body.tasks.map(company_id) },
  'GET /api/external-tasks/:guid': { least: 'user', of: itsTask, hidden: 'unknown_task' },
  'DELETE /api/external-tasks/:guid': { least: 'user', of: itsTask, hidden: 'unknown_task' },
  'GET /api/api-keys': { least: 'admin', rows: (body) => body.api_keys.map(company_id) },
  'POST /api/api-keys': {
    least: 'admin',
    of: ({ id }) => ({ query: { company: String(id) }, body: { name: 'shop' } }),
    hidden: 'unknown_company',
  },
  'DELETE /api/api-keys/:id': { least: 'admin', of: itsIdleKey, hidden: 'unknown_api_key' },
  'GET /api/webhooks': { least: 'admin', rows: (body) => body.webhooks.map(company_id) },
  'POST /api/webhooks': {
    least: 'admin',
    of: ({ id }) => ({ query: { company: String(id) }, body: { url: 'https://1.1.1.1/' } }),
    hidden: 'unknown_company',
  },
  'DELETE /api/webhooks/:id': { least: 'admin', of: itsWebhook, hidden: 'unknown_webhook' },
  'GET /api/callbacks': { least: 'admin', rows: (body) => body.callbacks.map(company_id) },
  'POST /api/callbacks/:id/repeat': { least: 'admin', of: itsCallback, hidden: 'unknown_callback' },
  'GET /api/opt-outs': { least: 'admin', rows: (body) => body.opt_outs.map(company_id) },
  'POST /api/opt-outs': {
    least: 'admin',
    of: ({ id }) => ({ query: { company: String(id) }, body: { number: '+34600999000' } }),
    hidden: 'unknown_company',
  },
  'DELETE /api/opt-outs/:id': { least: 'admin', of: itsOptOut, hidden: 'unknown_opt_out' },
  'GET /api/audit-log': { least: 'admin', rows: (body) => body.entries.map(company_id) },
  'GET /api/dashboard': { least: 'user' },
  'GET /api/global-settings': { least: 'user', rows: (body) => body.settings.map(company_id) },
  'POST /api/global-settings': {
    least: 'admin',
    of: ({ id }) => ({ query: { company: String(id) }, body: { spoof_time_secs: 0, send_enabled: true } }),
    hidden: 'unknown_company',
  },
  'GET /api/device-list-settings': { least: 'user', rows: (body) => body.devices.map(company_id) },
  'POST /api/device-list-settings': {
    least: 'admin',
    of: ({ device }) => ({ body: { uid: device, max_sms_dayly: 50 } }),
    hidden: 'unknown_device',
  },
  'GET /api/openapi.json': { least: 'anyone' },
  'GET /healthz': { least: 'anyone' },
  'GET /readyz': { least: 'anyone' },
}

const nameOf = ({ method, path }: Route) => `${method} ${path}`
const company_id = (row: { company_id: number }) => row.company_id
const companyId = (row: { companyId: number }) => row.companyId

function itsDevice({ device }: Company): Asked {
  return { params: { uid: device } }
}

const NOWHERE = 999_999

let idle = 0
/** A device of its own for what would spoil the company's. */
async function itsIdleDevice({ id, admin, device }: Company): Promise<Asked> {
  if (id === NOWHERE) return { params: { uid: device } }
  const { uid } = await linkTestDevice(server, admin, `idle-${id}-${++idle}`)
  return { params: { uid } }
}

/** It waits for a SIM that no device has. */
const aTask = { to_number: '+34600111222', text: 'hola', from_number: '+34699999999' }

/** A task of its own, as it ends with the call. */
async function itsTask({ id, user }: Company): Promise<Asked> {
  if (id === NOWHERE) return { params: { guid: 'no-such-task' } }
  const { body } = await call(server, createTasks, { token: user, body: aTask })
  return { params: { guid: (body as TaskReceipt).guid } }
}

/** A key of its own, as it is gone after the call. */
async function itsIdleKey({ id, admin }: Company): Promise<Asked> {
  if (id === NOWHERE) return { params: { id: NOWHERE } }
  const { body } = await call(server, apiKeys.createApiKey, { token: admin, body: { name: 'idle' } })
  return { params: { id: body.id } }
}

/** Its first, or a new one where that was removed. */
async function itsWebhook({ id, admin }: Company): Promise<Asked> {
  if (id === NOWHERE) return { params: { id: NOWHERE } }
  const [first] = (await call(server, callbacks.listWebhooks, { token: admin })).body.webhooks
  if (first) return { params: { id: first.id } }
  const body = { url: 'https://1.1.1.1/' }
  return { params: { id: (await call(server, callbacks.createWebhook, { token: admin, body })).body.id } }
}

function itsCallback({ id }: Company): Asked {
  return { params: { id: id === NOWHERE ? NOWHERE : addDeadCallback(server, id) } }
}

/** A block of its own, as it is gone after the call. */
async function itsOptOut({ id, admin }: Company): Promise<Asked> {
  if (id === NOWHERE) return { params: { id: NOWHERE } }
  const number = `60055500${++idle}`
  const { body } = await call(server, optOuts.addOptOut, { token: admin, body: { number } })
  return { params: { id: body.id } }
}

function anSms({ device }: Company) {
  return { body: { device_uid: device, telefono_to: '+34600111222', mensaje_sms: 'hola' } }
}

let server: TestServer
let superadmin: string
let ours: Company
let theirs: Company
const strangers: Record<string, string | undefined> = {}
/** Our keys, each with the one thing that it may do. */
const keys = new Map<Permission, string>()

before(async () => {
  server = await startServer()
  superadmin = (await enter(server, ADMIN.username, ADMIN.password)).token
  ours = await newCompany(1)
  theirs = await newCompany(2)
  for (const may of keyPermissions) {
    const body = { name: may, may: [may] }
    keys.set(may, (await call(server, apiKeys.createApiKey, { token: superadmin, body })).body.key)
  }
  const left = await enter(server, ADMIN.username, ADMIN.password)
  const { secret } = await linkTestDevice(server, superadmin, 'curious')
  await call(server, auth.logout, { token: left.token })
  const revoked = await call(server, apiKeys.createApiKey, { token: superadmin, body: { name: 'revoked' } })
  await call(server, apiKeys.revokeApiKey, { token: superadmin, params: { id: revoked.body.id } })
  Object.assign(strangers, {
    nobody: undefined,
    garbage: 'sds_garbage',
    'no token at all': '',
    'a truncated token': superadmin.slice(0, -1),
    'a token with a tail': `${superadmin}A`,
    'who has logged out': left.token,
    'a device': secret,
    'an invented key': 'sdk_garbage',
    'a truncated key': ours.key.slice(0, -1),
    'a revoked key': revoked.body.key,
  })
})
after(() => server.stop())

async function newCompany(id: number): Promise<Company> {
  const admin = await newUser(server, superadmin, { role: 'admin', companyId: id })
  const user = await newUser(server, admin.token)
  const device = await connectDevice(await linkTestDevice(server, admin.token, `device-${id}`))
  const made = await call(server, apiKeys.createApiKey, { token: admin.token, body: { name: 'all' } })
  const company = {
    id,
    admin: admin.token,
    user: user.token,
    device: device.uid,
    guid: '',
    member: user,
    key: made.body.key,
  }
  const { body } = await call(server, messages.sendSms, { token: user.token, ...anSms(company) })
  await call(server, optOuts.addOptOut, { token: admin.token, body: { number: '600555000' } })
  await call(server, createTasks, { token: user.token, body: aTask })
  await itsWebhook(company)
  addDeadCallback(server, id)
  return { ...company, guid: body.guid }
}

async function ask(route: Route, token: string | undefined, company: Company) {
  const asked = (await access[nameOf(route)]?.of?.(company)) ?? {}
  return call(server, route, { token, ...asked })
}

test('every route of the contract is in the table of this test, and no other', () => {
  assert.deepEqual(Object.keys(access).sort(), routes.map(nameOf).sort())
  const about = routes.filter(({ params }) => params).map(nameOf)
  assert.deepEqual(
    about.filter((name) => access[name]?.hidden === undefined),
    [],
    'what is asked about one thing must be hidden from other companies',
  )
})

for (const route of routes) {
  const { least, hidden, rows } = access[nameOf(route)] ?? { least: 'superadmin' }
  const good = [route.status, route.otherStatus]

  test(`${nameOf(route)} is ${least === 'anyone' ? 'for anyone' : `refused without a session`}`, async () => {
    for (const [who, token] of Object.entries(strangers)) {
      const { status, body } = await ask(route, token, ours)
      if (least === 'anyone') assert.ok(good.includes(status as 200), `${who}: ${status}`)
      else assert.deepEqual([status, body.code, typeof body.detail], [401, 'unauthorized', 'string'], who)
    }
  })

  if (least === 'anyone') continue

  test(`${nameOf(route)} is for the role ${least} and above`, async () => {
    for (const role of roles) {
      const may: boolean = roles.indexOf(role) >= roles.indexOf(least)
      assert.equal(holds(role, route.may), may, `the contract's declaration for ${role}`)
      const { status, body } = await ask(route, await tokenOf(role, route), ours)
      if (may) assert.ok(good.includes(status as 200), `${role}: ${status} ${JSON.stringify(body)}`)
      else assert.deepEqual([status, body.code, typeof body.detail], [403, 'forbidden', 'string'], role)
    }
  })

  const forKeys = (keyPermissions as readonly Permission[]).includes(route.may)
  test(`${nameOf(route)} is ${forKeys ? 'for API keys that may' : 'refused to every API key'}`, async () => {
    for (const [held, token] of keys) {
      const { status, body } = await ask(route, token, ours)
      if (held === route.may) assert.ok(good.includes(status as 200), `${held}: ${status}`)
      else assert.deepEqual([status, body.code, typeof body.detail], [403, 'forbidden', 'string'], held)
    }
  })

  if (hidden !== undefined) {
    if (forKeys) {
      test(`${nameOf(route)} shows an API key nothing of another company`, async () => {
        const foreign = await ask(route, theirs.key, ours)
        assert.deepEqual([foreign.status, foreign.body.code], [404, hidden])
      })
    }
    test(`${nameOf(route)} shows an admin nothing of another company, and a superadmin all`, async () => {
      const foreign = await ask(route, theirs.admin, ours)
      assert.deepEqual([foreign.status, foreign.body.code], [404, hidden])
      const unknown = await ask(route, theirs.admin, nowhere(ours))
      assert.deepEqual([unknown.status, unknown.body.code], [404, hidden])
      const seen = await ask(route, superadmin, theirs)
      assert.ok(good.includes(seen.status as 200), `superadmin: ${seen.status}`)
    })
  }

  if (rows) {
    test(`${nameOf(route)} lists the caller's company alone, and to a superadmin all`, async () => {
      const seenBy = async (token: string) => new Set(rows((await ask(route, token, ours)).body))
      for (const { id, admin, user, key } of [ours, theirs]) {
        assert.deepEqual(await seenBy(admin), new Set([id]))
        if (least === 'user') assert.deepEqual(await seenBy(user), new Set([id]))
        if (forKeys) assert.deepEqual(await seenBy(key), new Set([id]))
      }
      assert.deepEqual(await seenBy(superadmin), new Set([ours.id, theirs.id]))
    })
  }
}

/** A session of that role in our company; a new one for the call that ends it. */
async function tokenOf(role: Role, route: Route): Promise<string> {
  if (route === auth.logout && role === 'superadmin')
    return (await enter(server, ADMIN.username, ADMIN.password)).token
  if (route === auth.logout) return (await newUser(server, superadmin, { role })).token
  return { user: ours.user, admin: ours.admin, superadmin }[role]
}

/** The same company, with nothing in it that there is. */
function nowhere(company: Company): Company {
  const member = { ...someone(), id: NOWHERE }
  return { ...company, id: NOWHERE, device: 'no-such-device', guid: 'no-such-guid', member }
}

test('a link code joins a device to the company of the admin who made it, whatever else the caller says', async () => {
  const { uid } = await linkTestDevice(server, theirs.admin, 'joined')
  const seenBy = async (token: string) =>
    (await call(server, devices.listDevices, { token })).body.devices.some((device) => device.uid === uid)
  assert.deepEqual([await seenBy(theirs.user), await seenBy(ours.admin)], [true, false])
  const code = await call(server, devices.createLinkCode, { token: theirs.admin })
  const meant = { code: code.body.code, uid: 'meant', company_id: ours.id }
  assert.equal((await call(server, devices.linkDevice, { token: ours.admin, body: meant })).status, 201)
  const { body } = await call(server, devices.listDevices, { token: superadmin })
  assert.equal(body.devices.find((device) => device.uid === 'meant')?.company_id, theirs.id)
})

test('a token counts behind Bearer in the Authorization header alone', async () => {
  const url = new URL('/api/device-list', server.url)
  const status = async (headers: Record<string, string>, query = '') =>
    (await fetch(url.href + query, { headers })).status
  assert.equal(await status({ authorization: `bearer ${superadmin}` }), 200)
  assert.equal(await status({ authorization: superadmin }), 401)
  assert.equal(await status({ authorization: `Basic ${superadmin}` }), 401)
  assert.equal(await status({ authorization: `Bearer ${superadmin} ${superadmin}` }), 401)
  assert.equal(await status({ cookie: `token=${superadmin}; access_token=${superadmin}` }), 401)
  assert.equal(await status({}, `?token=${superadmin}&access_token=${superadmin}`), 401)
})

test('the log of another company is not found by any filter, nor its users by any field', async () => {
  const queries: Record<string, string>[] = [
    { search: ours.guid },
    { device_uid: ours.device },
    { state: 'queued', limit: '1000' },
  ]
  for (const query of queries) {
    const { body } = await call(server, messages.listLogs, { token: theirs.admin, query })
    assert.ok(
      body.logs.every((entry) => entry.company_id === theirs.id),
      JSON.stringify(query),
    )
  }
  const { body } = await call(server, users.listUsers, { token: theirs.admin })
  assert.ok(body.users.every(({ company }) => company !== 'Main'))
})
