import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { routes } from '@sdd/contract/api.ts'
import { changePassword, logout } from '@sdd/contract/auth.ts'
import { listDevices } from '@sdd/contract/devices.ts'
import type { Route } from '@sdd/contract/route.ts'
import { saveUser } from '@sdd/contract/users.ts'
import { say } from './asking.ts'
import { connectBrowser } from './browser.ts'
import { enter, enterFirst, FIRST_PASSWORD, newUser, PASSWORD, someone } from './seeds.ts'
import { ADMIN, call, startServer } from './server.ts'

/** What users have to do before anything else: until then nothing is open to them but what it takes to do it. */

async function begin(t: TestContext, settings: Record<string, string> = {}) {
  const server = await startServer({ settings })
  t.after(() => server.stop())
  return server
}

const nameOf = ({ method, path }: Route) => `${method} ${path}`

/** The routes that answer this session anything but 403 with the code. */
async function openTo(server: { url: string }, token: string, code: string): Promise<string[]> {
  const open: string[] = []
  // Those that may end the session come last.
  const inOrder = routes.toSorted((a, b) => Number(a === logout) - Number(b === logout))
  for (const route of inOrder.filter(({ may }) => may !== 'anyone')) {
    const params = { id: 1, uid: 'no-such', guid: 'no-such' }
    const body = route.method === 'POST' ? {} : undefined
    const said = await say(server, route, { params, body }, token)
    if (said.status !== 403 || said.body.code !== code) open.push(nameOf(route))
  }
  return open.sort()
}

test('a password that another set opens nothing but its change and the logout', async (t) => {
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

test('with a password of their own everything is open again, in the same session, live too', async (t) => {
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

test('a change that leaves the password alone does not ask for another', async (t) => {
  const server = await begin(t)
  const { token: superadmin } = await enter(server, ADMIN.username, ADMIN.password)
  const { id, name, email, token } = await newUser(server, superadmin)
  const body = { id, name, email: `new.${email}`, role: 'user' }
  assert.equal((await call(server, saveUser, { token: superadmin, body })).status, 200)
  assert.equal((await call(server, listDevices, { token })).status, 200)
})

test('the password that the first start made up has to be changed, one that the operator chose has not', async (t) => {
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
