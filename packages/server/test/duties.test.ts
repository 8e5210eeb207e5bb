import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { createApiKey } from '@sdd/contract/accounts/api-keys.ts'
import { routes } from '@sdd/contract/app/api.ts'
import { changePassword, logout } from '@sdd/contract/accounts/auth.ts'
import { listDevices } from '@sdd/contract/fleet/devices.ts'
import type { Route } from '@sdd/contract/core/route.ts'
import * as factor from '@sdd/contract/accounts/second-factor.ts'
import { readGlobalSettings, saveGlobalSettings } from '@sdd/contract/accounts/settings.ts'
import { listTasks } from '@sdd/contract/tasks/tasks.ts'
import { saveUser } from '@sdd/contract/accounts/users.ts'
import { say } from './asking.ts'
import { appCode } from './authenticator.ts'
import { connectBrowser } from './browser.ts'
import { enter, enterFirst, FIRST_PASSWORD, newUser, PASSWORD, someone } from './seeds.ts'
import { ADMIN, call, startServer } from './server.ts'

/** Duties of users: until they are done, the API is closed except for the calls that fulfil them. */

async function begin(t: TestContext, settings: Record<string, string> = {}) {
  const server = await startServer({ settings })
  t.after(() => server.stop())
  return server
}

const nameOf = ({ method, path }: Route) => `${method} ${path}`

/** The routes that answer this session with anything but 403 and this code. */
async function openTo(server: { url: string }, token: string, code: string): Promise<string[]> {
  const open: string[] = []
  // Routes that may end the session come last.
  const inOrder = routes.toSorted((a, b) => Number(a === logout) - Number(b === logout))
  for (const route of inOrder.filter(({ may }) => may !== 'anyone')) {
    const params = {
      id: 1,
      uid: 'no-such',
      guid: 'no-such',
      iccid: '8934000000000000000',
      number: '+34600000000',
    }
    const body = route.method === 'POST' ? {} : undefined
    const reply = await say(server, route, { params, body }, token)
    if (reply.status !== 403 || reply.body.code !== code) open.push(nameOf(route))
  }
  return open.sort()
}

test('a user whose password was set by another can only change it or log out', async (t) => {
  const server = await begin(t)
  const { token: superadmin } = await enter(server, ADMIN.username, ADMIN.password)
  for (const role of ['user', 'admin', 'superadmin']) {
    const body = someone({ role, password: FIRST_PASSWORD })
    assert.equal((await call(server, saveUser, { token: superadmin, body })).status, 201)
    const session = await enter(server, body.name, FIRST_PASSWORD)
    assert.equal(session.status, 200)
    assert.equal(session.role, role)
    await assert.rejects(connectBrowser(server, session.token), /Not authorized|Bad User/i)
    const open = await openTo(server, session.token, 'password_change_required')
    assert.deepEqual(open, ['POST /api/logout', 'POST /api/password'])
  }
})

test('with their own password users have full access again in the same session, live connection included', async (t) => {
  const server = await begin(t)
  const { token: superadmin } = await enter(server, ADMIN.username, ADMIN.password)
  const ana = await newUser(server, superadmin, { role: 'admin' })
  const given = { id: ana.id, name: ana.name, email: ana.email, role: 'admin', password: FIRST_PASSWORD }
  assert.equal((await call(server, saveUser, { token: superadmin, body: given })).status, 200)
  const { token } = await enter(server, ana.name, FIRST_PASSWORD)
  const change = (new_password: string) =>
    call(server, changePassword, { token, body: { password: FIRST_PASSWORD, new_password } })

  const same = await change(FIRST_PASSWORD)
  assert.equal(same.status, 422)
  assert.deepEqual(Object.keys(same.body.fields!), ['new_password'])
  const wrong = { password: 'not the old one', new_password: PASSWORD }
  assert.equal((await call(server, changePassword, { token, body: wrong })).status, 422)
  const refused = await call(server, listDevices, { token })
  assert.deepEqual([refused.status, refused.body.code], [403, 'password_change_required'])

  assert.equal((await change(PASSWORD)).status, 204)
  assert.equal((await call(server, listDevices, { token })).status, 200)
  await (await connectBrowser(server, token)).stop()
  const again = await enter(server, ana.name)
  assert.equal((await call(server, listDevices, { token: again.token })).status, 200)
})

test('a change that leaves the password as it is does not require a new one', async (t) => {
  const server = await begin(t)
  const { token: superadmin } = await enter(server, ADMIN.username, ADMIN.password)
  const { id, name, email, token } = await newUser(server, superadmin)
  const body = { id, name, email: `new.${email}`, role: 'user' }
  assert.equal((await call(server, saveUser, { token: superadmin, body })).status, 200)
  assert.equal((await call(server, listDevices, { token })).status, 200)
})

test('the generated password of the first start must be changed, and one that the operator chose need not be', async (t) => {
  const made = await begin(t, { ADMIN_PASSWORD: '' })
  const { username, password } = made.firstUser!
  const { token } = await enter(made, username, password)
  assert.equal((await call(made, listDevices, { token })).body.code, 'password_change_required')
  await enterFirst(made, username, password)
  const own = await enter(made, username)
  assert.equal((await call(made, listDevices, { token: own.token })).status, 200)

  const chosen = await begin(t)
  const boss = await enter(chosen, ADMIN.username, ADMIN.password)
  assert.equal((await call(chosen, listDevices, { token: boss.token })).status, 200)
})

/** A company with a user of each role, and a superadmin of the first company. */
async function beginRequired(t: TestContext) {
  const server = await begin(t)
  const { token: superadmin } = await enter(server, ADMIN.username, ADMIN.password)
  const companyId = 2
  const admin = await newUser(server, superadmin, { role: 'admin', companyId })
  const require = (require_second_factor: boolean, token = admin.token) =>
    call(server, saveGlobalSettings, {
      token,
      body: { spoof_time_secs: 0, send_enabled: true, require_second_factor },
    })
  return { server, superadmin, companyId, admin, require }
}

/** Sets up the second factor of this session's user, and returns a function for app codes, offset by half minutes. */
async function setUp(server: { url: string }, token: string) {
  const enrolment = await call(server, factor.enrolSecondFactor, { token, body: { password: PASSWORD } })
  assert.equal(enrolment.status, 201)
  const now = Date.now()
  const code = (away: number) => appCode(enrolment.body.secret, now, away)
  const on = await call(server, factor.confirmSecondFactor, { token, body: { code: code(0) } })
  assert.equal(on.status, 200)
  return code
}

const statusOf = async (server: { url: string }, token: string) => {
  const { status, body } = await call(server, listDevices, { token })
  return [status, body.code]
}

test('a company’s second-factor setting is off at first, and a change without the field keeps it', async (t) => {
  const { server, admin, require } = await beginRequired(t)
  const { body } = await call(server, readGlobalSettings, { token: admin.token })
  assert.equal(body.settings[0]!.require_second_factor, false)
  await setUp(server, admin.token)
  assert.equal((await require(true)).body.require_second_factor, true)
  const silent = { spoof_time_secs: 3, send_enabled: true }
  const saved = await call(server, saveGlobalSettings, { token: admin.token, body: silent })
  assert.equal(saved.body.require_second_factor, true)
  const odd = { ...silent, require_second_factor: 'yes' }
  const refused = await call(server, saveGlobalSettings, { token: admin.token, body: odd })
  assert.deepEqual([refused.status, Object.keys(refused.body.fields!)], [422, ['require_second_factor']])
})

test('if the company requires a second factor, its admins can only set it up', async (t) => {
  const { server, superadmin, companyId, admin, require } = await beginRequired(t)
  const boss = await newUser(server, superadmin, { role: 'superadmin', companyId })
  const user = await newUser(server, superadmin, { companyId })
  const { key } = (await call(server, createApiKey, { token: admin.token, body: { name: 'shop' } })).body
  const browsers = await Promise.all([admin, boss, user].map(({ token }) => connectBrowser(server, token)))
  assert.equal((await require(true)).status, 200)

  const open = [
    'GET /api/second-factor',
    'POST /api/logout',
    'POST /api/password',
    'POST /api/proof',
    'POST /api/second-factor',
    'POST /api/second-factor/confirm',
  ]
  for (const { token } of [admin, boss]) {
    // In its own session, which the logout ends.
    const session = await enter(server, token === admin.token ? admin.name : boss.name)
    const found = await openTo(server, session.token, 'second_factor_setup_required')
    assert.deepEqual(found, open)
    assert.deepEqual(await statusOf(server, token), [403, 'second_factor_setup_required'])
  }
  await Promise.all(browsers.slice(0, 2).map(({ ended }) => ended))
  await assert.rejects(connectBrowser(server, admin.token), /Not authorized|Bad User/i)
  // Others continue: users, API keys, and a superadmin whose company does not require a second factor.
  assert.ok(browsers[2]!.client.connected)
  await browsers[2]!.stop()
  assert.equal((await call(server, listDevices, { token: user.token })).status, 200)
  assert.equal((await call(server, listTasks, { token: key })).status, 200)
  assert.equal((await call(server, listDevices, { token: superadmin })).status, 200)

  const code = await setUp(server, admin.token)
  assert.equal((await call(server, listDevices, { token: admin.token })).status, 200)
  await (await connectBrowser(server, admin.token)).stop()

  const off = await call(server, factor.disableSecondFactor, {
    token: admin.token,
    body: { password: PASSWORD, code: code(1) },
  })
  assert.deepEqual([off.status, off.body.code], [409, 'second_factor_enforced'])
  assert.equal((await require(false)).status, 200)
  assert.deepEqual(await statusOf(server, boss.token), [200, undefined])
  const body = { password: PASSWORD, code: code(1) }
  const now = await call(server, factor.disableSecondFactor, { token: admin.token, body })
  assert.equal(now.status, 204, 'the code was not used up by the refusal')
})

test('setting a new password comes before the second factor, and both before the role', async (t) => {
  const { server, superadmin, companyId, require } = await beginRequired(t)
  await require(true)
  const eva = someone({ role: 'admin', companyId, password: FIRST_PASSWORD })
  assert.equal((await call(server, saveUser, { token: superadmin, body: eva })).status, 201)
  const { token } = await enter(server, eva.name, FIRST_PASSWORD)
  const enrol = () => call(server, factor.enrolSecondFactor, { token, body: { password: FIRST_PASSWORD } })
  assert.equal((await enrol()).body.code, 'password_change_required')
  const body = { password: FIRST_PASSWORD, new_password: PASSWORD }
  assert.equal((await call(server, changePassword, { token, body })).status, 204)
  assert.deepEqual(await statusOf(server, token), [403, 'second_factor_setup_required'])

  const uli = someone({ companyId, password: FIRST_PASSWORD })
  await call(server, saveUser, { token: superadmin, body: uli })
  const session = await enter(server, uli.name, FIRST_PASSWORD)
  const refused = await call(server, saveUser, { token: session.token, body: someone() })
  assert.deepEqual([refused.status, refused.body.code], [403, 'password_change_required'])
})

test('an admin whose second factor a colleague removed must first set it up again', async (t) => {
  const { server, superadmin, companyId, admin, require } = await beginRequired(t)
  const other = await newUser(server, superadmin, { role: 'admin', companyId })
  await setUp(server, admin.token)
  await setUp(server, other.token)
  await require(true)
  const params = { id: other.id }
  const token = admin.token
  assert.equal((await call(server, factor.removeSecondFactor, { token, params })).status, 204)
  assert.deepEqual(await statusOf(server, other.token), [403, 'second_factor_setup_required'])
})
