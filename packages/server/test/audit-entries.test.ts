import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as audit from '@sdd/contract/accounts/audit.ts'
import * as devices from '@sdd/contract/fleet/devices.ts'
import * as optOuts from '@sdd/contract/messages/opt-outs.ts'
import * as settings from '@sdd/contract/accounts/settings.ts'
import { saveDeviceLimit } from '@sdd/contract/fleet/limits.ts'
import * as users from '@sdd/contract/accounts/users.ts'
import { HOUR, testClock } from './clock.ts'
import { connectDevice, linkTestDevice } from './device.ts'
import { proveIt } from './proving.ts'
import { enter, newUser } from './seeds.ts'
import { ADMIN, call, startServer, type TestServer } from './server.ts'

const clock = testClock('2026-06-10T08:00:00Z')
let server: TestServer
let superadmin: string
let companies = 1

before(async () => {
  server = await startServer({ clock })
  superadmin = (await enter(server, ADMIN.username, ADMIN.password)).token
})
after(() => server.stop())

/** An admin with proved identity; otherwise each request for a proof would add an entry. */
async function newAdmin() {
  const admin = await newUser(server, superadmin, { role: 'admin', companyId: ++companies })
  assert.ok(await proveIt(server, admin.token))
  return admin
}

async function aUser(token: string) {
  const { id, name, email } = await newUser(server, token)
  return { id, name, email }
}

let linked = 0
async function aDevice(token: string) {
  const { uid } = await linkTestDevice(server, token, `audited-${++linked}`)
  return { params: { uid } }
}

async function log(token: string, query: Record<string, string> = {}) {
  const { status, body } = await call(server, audit.listAudit, { token, query })
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

/** The entries without the logins of new users. */
async function changes(token: string): Promise<audit.AuditEntry[]> {
  return (await log(token)).entries.filter(({ action }) => action !== 'login.succeeded')
}

test('a changed user is recorded field by field, but of a password only that it changed', async () => {
  const admin = await newAdmin()
  const { id, name, email } = await newUser(server, admin.token)
  const body = { id, name: `${name} II`, email, role: 'admin', enabled: false, password: 'another password' }
  assert.equal((await call(server, users.saveUser, { token: admin.token, body })).status, 200)
  const [edited, own, created] = await changes(admin.token)
  assert.equal(edited!.name, `${name} II`)
  assert.deepEqual(edited!.changes, {
    name: { from: name, to: `${name} II` },
    role: { from: 'user', to: 'admin' },
    enabled: { from: true, to: false },
    password: { from: null, to: 'changed' },
  })
  assert.deepEqual([own!.by, own!.changes], [name, { password: { from: null, to: 'changed' } }])
  assert.deepEqual(created!.changes, {
    name: { from: null, to: name },
    email: { from: null, to: email },
    role: { from: null, to: 'user' },
    enabled: { from: null, to: true },
    companyId: { from: null, to: companies },
  })
})

test('settings and limits are recorded with their old values, and unchanged fields are left out', async () => {
  const { token } = await newAdmin()
  const body = { spoof_time_secs: 30, send_enabled: false, retention_days: 90, stop_words: ['FIN'] }
  await call(server, settings.saveGlobalSettings, { token, body })
  await call(server, settings.saveGlobalSettings, { token, body: { ...body, spoof_time_secs: 31 } })
  const { params } = await aDevice(token)
  await call(server, saveDeviceLimit, { token, body: { ...params, max_sms_dayly: 7 } })
  const [limit, , , again, saved] = await changes(token)
  assert.deepEqual([limit!.name, limit!.changes], [params.uid, { max_sms_dayly: { from: 100, to: 7 } }])
  assert.deepEqual(again!.changes, { spoof_time_secs: { from: 30, to: 31 } })
  assert.deepEqual(saved!.changes, {
    spoof_time_secs: { from: 0, to: 30 },
    send_enabled: { from: true, to: false },
    retention_days: { from: 365, to: 90 },
    stop_words: { from: ['STOP', 'BAJA'], to: ['FIN'] },
  })
})

test('a call that changes nothing is not recorded, and a refused one is', async () => {
  const { token } = await newAdmin()
  const { params } = await aDevice(token)
  const user = await aUser(token)
  const before = (await changes(token)).length
  const calls = [
    await call(server, devices.enableDevice, { token, params }),
    await call(server, saveDeviceLimit, { token, body: { ...params, max_sms_dayly: 100 } }),
    await call(server, settings.saveGlobalSettings, {
      token,
      body: { spoof_time_secs: 0, send_enabled: true },
    }),
    await call(server, users.saveUser, { token, body: { ...user, role: 'user' } }),
    await call(server, users.saveUser, { token, body: { ...user, role: 'superadmin' } }),
    await call(server, users.saveUser, { token, body: { ...user, name: ADMIN.username, role: 'user' } }),
    await call(server, devices.disableDevice, { token, params: { uid: 'unknown' } }),
    await call(server, optOuts.liftOptOut, { token, params: { id: 999_999 } }),
  ]
  assert.deepEqual(
    calls.map(({ status }) => status),
    [200, 200, 200, 200, 403, 409, 404, 404],
  )
  const [refused, ...others] = await changes(token)
  assert.deepEqual([refused!.action, refused!.name], ['call.refused', 'POST /api/user'])
  assert.equal(others.length, before)
})

test('a block by an SMS is recorded without a user; lifting it has one', async () => {
  const { token } = await newAdmin()
  const device = await connectDevice(await linkTestDevice(server, token, 'listens'))
  const before = (await log(token)).entries.length
  const at = '2026-06-10T08:00:00Z'
  await device.publish('inbox', { id: '1', from: '+34600111222', text: 'STOP', at })
  assert.equal((await log(token)).entries.length, before)
  const [row] = (await call(server, optOuts.listOptOuts, { token })).body.opt_outs
  await call(server, optOuts.liftOptOut, { token, params: { id: row!.id } })
  const [entry] = (await log(token)).entries
  assert.deepEqual([entry!.action, entry!.name], ['opt_out.lifted', '+34600111222'])
  assert.deepEqual(entry!.changes['text'], { from: 'STOP', to: null })
})

test('a superadmin’s change is in the log of the affected company, of both if a user moves', async () => {
  const [one, other] = [await newAdmin(), await newAdmin()]
  const companyOf = async (token: string) =>
    (await call(server, settings.readGlobalSettings, { token })).body.settings[0]!.company_id
  const to = await companyOf(other.token)
  const { params } = await aDevice(one.token)
  await call(server, devices.disableDevice, { token: superadmin, params })
  const [disabled] = (await log(one.token)).entries
  assert.deepEqual([disabled!.action, disabled!.by], ['device.disabled', ADMIN.username])
  const user = await aUser(one.token)
  const body = { ...user, role: 'user', companyId: to }
  assert.equal((await call(server, users.saveUser, { token: superadmin, body })).status, 200)
  for (const token of [one.token, other.token]) {
    const [moved] = (await log(token)).entries
    assert.deepEqual([moved!.action, moved!.name], ['user.edited', user.name])
    assert.deepEqual(moved!.changes, { companyId: { from: await companyOf(one.token), to } })
  }
})

test('the audit log is paged newest first, and searched by subject, name, user and time', async () => {
  const admin = await newAdmin()
  const { token } = admin
  const began = clock.now()
  const { params } = await aDevice(token)
  for (const max_sms_dayly of [1, 2, 3]) {
    clock.advance(HOUR)
    await call(server, saveDeviceLimit, { token, body: { ...params, max_sms_dayly } })
  }
  await call(server, optOuts.addOptOut, { token, body: { number: '600444' } })
  const all = (await log(token)).entries
  const actions = async (query: Record<string, string>) =>
    (await log(token, query)).entries.map(({ action }) => action)
  const limits = Array(3).fill('device.limit_saved')
  assert.deepEqual(
    all.map(({ action }) => action),
    [
      'opt_out.added',
      ...limits,
      'device.linked',
      'link_code.created',
      'user.edited',
      'login.succeeded',
      'user.created',
    ],
  )
  const paged: number[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const page = await log(token, { limit: '4', ...(cursor && { cursor }) })
    paged.push(...page.entries.map(({ id }) => id))
    cursor = page.next_cursor
  }
  assert.deepEqual(
    paged,
    all.map(({ id }) => id),
  )
  assert.deepEqual(await actions({ subject: 'device' }), [...limits, 'device.linked'])
  assert.deepEqual(await actions({ search: params.uid.toUpperCase() }), [...limits, 'device.linked'])
  assert.deepEqual(await actions({ search: ADMIN.username }), ['user.created'])
  assert.deepEqual(await actions({ search: '%' }), [])
  assert.deepEqual(await actions({ search: '6004_4' }), [])
  const from = new Date(began + HOUR).toISOString()
  const to = new Date(began + 2 * HOUR).toISOString().replace('Z', '+00:00')
  assert.deepEqual(await actions({ from, to }), limits.slice(1))
  assert.deepEqual(await actions({ from, to, subject: 'user' }), [])
  const others = (await log(superadmin, { limit: '1000' })).entries
  assert.ok(new Set(others.map(({ company_id }) => company_id)).size > 1)
})
