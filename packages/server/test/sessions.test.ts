import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { listAudit } from '@sdd/contract/accounts/audit.ts'
import * as auth from '@sdd/contract/accounts/auth.ts'
import { listDevices } from '@sdd/contract/fleet/devices.ts'
import * as sessions from '@sdd/contract/accounts/sessions.ts'
import { connectBrowser } from './browser.ts'
import { HOUR, MINUTE, testClock } from './clock.ts'
import { eventually } from './device.ts'
import { withTables } from './engine.ts'
import { enter, newUser, PASSWORD } from './seeds.ts'
import { ADMIN, call, startServer, type TestServer } from './server.ts'

async function begin(t: TestContext) {
  const clock = testClock('2026-06-01T10:00:00Z')
  const server = await startServer({ clock })
  t.after(() => server.stop())
  const { token, id } = await enter(server, ADMIN.username, ADMIN.password)
  const ana = await newUser(server, token, { name: 'Ana' })
  return { clock, server, token, id, ana }
}

async function list(server: TestServer, token: string, user?: number) {
  const query: Record<string, string> = user === undefined ? {} : { user: String(user) }
  return (await call(server, sessions.listSessions, { token, query })).body.sessions
}

const works = async (server: TestServer, token: string) =>
  (await call(server, listDevices, { token })).status === 200

test('the list of a user’s sessions shows each one’s start, address and client, and marks the current one', async (t) => {
  const { clock, server, ana } = await begin(t)
  clock.advance(HOUR)
  const body = new URLSearchParams({ username: 'Ana', password: PASSWORD })
  const headers = { 'user-agent': `Phone ${'x'.repeat(300)}` }
  const answer = await fetch(`${server.url}/api/login`, { method: 'POST', body, headers })
  const { access_token } = (await answer.json()) as { access_token: string }
  const [phone, first, ...none] = await list(server, access_token)
  assert.deepEqual(none, [])
  const { id, user_agent, ...rest } = phone!
  assert.equal(user_agent, headers['user-agent'].slice(0, 200))
  assert.deepEqual(rest, {
    created_at: '2026-06-01T11:00:00.000Z',
    last_used_at: '2026-06-01T11:00:00.000Z',
    expires_at: '2026-06-01T23:00:00.000Z',
    address: '127.0.0.1',
    current: true,
  })
  assert.deepEqual(
    [first!.created_at, first!.current, first!.user_agent],
    ['2026-06-01T10:00:00.000Z', false, 'node'],
  )
  assert.notEqual(id, first!.id)
  assert.deepEqual(
    (await list(server, ana.token)).map(({ current }) => current),
    [false, true],
  )
})

test('the time of last use is stored every 5 minutes at most, and an expired session is not listed', async (t) => {
  const { clock, server, ana } = await begin(t)
  const used = async () => (await list(server, ana.token))[0]!.last_used_at
  clock.advance(4 * MINUTE)
  assert.equal(await used(), '2026-06-01T10:00:00.000Z')
  clock.advance(MINUTE)
  assert.equal(await used(), '2026-06-01T10:05:00.000Z')
  clock.advance(11 * HOUR)
  const { token } = await enter(server, 'Ana')
  assert.equal((await list(server, token)).length, 2)
  clock.advance(2 * HOUR)
  assert.deepEqual(
    (await list(server, token)).map(({ current }) => current),
    [true],
  )
})

test('an ended session can make no more calls, and its live connection ends', async (t) => {
  const { server, ana } = await begin(t)
  const other = await enter(server, 'Ana')
  const browser = await connectBrowser(server, other.token)
  const { id } = (await list(server, ana.token)).find(({ current }) => !current)!
  const end = () => call(server, sessions.endSession, { token: ana.token, params: { id } })
  assert.equal((await end()).status, 204)
  assert.equal(await works(server, other.token), false)
  await browser.ended
  assert.equal(await works(server, ana.token), true)
  assert.equal((await end()).body.code, 'unknown_session')
})

test('ending all other sessions keeps the current one, and those of other users', async (t) => {
  const { server, token, ana } = await begin(t)
  const others = [await enter(server, 'Ana'), await enter(server, 'Ana')]
  const { body } = await call(server, sessions.endOtherSessions, { token: ana.token })
  assert.deepEqual(body, { ended: 2 })
  for (const other of others) assert.equal(await works(server, other.token), false)
  assert.ok((await works(server, ana.token)) && (await works(server, token)))
  const { entries } = (await call(server, listAudit, { token })).body
  assert.ok(entries.every(({ action }) => !action.includes('session')))
})

test('an admin sees and ends the sessions of users they may change, and this is audited', async (t) => {
  const { server, token, id, ana } = await begin(t)
  const admin = await newUser(server, token, { role: 'admin' })
  const far = await newUser(server, token, { role: 'admin', companyId: 2 })
  await enter(server, 'Ana')
  const [newest, oldest] = await list(server, admin.token, ana.id)
  assert.deepEqual([newest!.current, oldest!.current], [false, false])

  const ask = (by: string, user: number) =>
    call(server, sessions.listSessions, { token: by, query: { user: String(user) } })
  const end = (by: string, session: number) =>
    call(server, sessions.endSession, { token: by, params: { id: session } })
  const endAll = (by: string, user: number) =>
    call(server, sessions.endOtherSessions, { token: by, query: { user: String(user) } })
  const [mine] = await list(server, token)
  for (const [by, user, session, status] of [
    [ana.token, admin.id, (await list(server, admin.token))[0]!.id, 403],
    [admin.token, id, mine!.id, 403],
    [far.token, ana.id, newest!.id, 404],
  ] as const) {
    assert.equal((await ask(by, user)).status, status)
    assert.equal((await endAll(by, user)).status, status)
    // Only users who may know the session's user learn that it exists.
    assert.equal((await end(by, session)).status, by === ana.token ? 404 : status)
  }
  assert.ok((await works(server, ana.token)) && (await works(server, token)))

  assert.equal((await end(admin.token, newest!.id)).status, 204)
  assert.deepEqual((await endAll(admin.token, ana.id)).body, { ended: 1 })
  assert.deepEqual((await endAll(admin.token, ana.id)).body, { ended: 0 })
  assert.equal(await works(server, ana.token), false)
  const { entries } = (await call(server, listAudit, { token: admin.token })).body
  assert.deepEqual(
    entries.slice(0, 2).map(({ by, action, name }) => [by, action, name]),
    [
      [admin.name, 'user.sessions_ended', 'Ana'],
      [admin.name, 'user.session_ended', 'Ana'],
    ],
  )
})

test('changing one’s own password requires it; other sessions end, and the change is audited', async (t) => {
  const { server, token, ana } = await begin(t)
  const other = await enter(server, 'Ana')
  const change = (password: string, new_password: string) =>
    call(server, auth.changePassword, { token: ana.token, body: { password, new_password } })
  const wrong = await change('not the password', 'another password')
  assert.deepEqual([wrong.status, Object.keys(wrong.body.fields!)], [422, ['password']])
  const short = await change(PASSWORD, 'short')
  assert.deepEqual([short.status, Object.keys(short.body.fields!)], [422, ['new_password']])
  assert.ok(await works(server, other.token))

  assert.equal((await change(PASSWORD, 'another password')).status, 204)
  assert.deepEqual([await works(server, other.token), await works(server, ana.token)], [false, true])
  assert.equal((await enter(server, 'Ana', PASSWORD)).status, 401)
  assert.equal((await enter(server, 'Ana', 'another password')).status, 200)
  const { entries } = (await call(server, listAudit, { token })).body
  const entry = entries.find(({ action }) => action.startsWith('user.'))
  assert.deepEqual(
    [entry!.action, entry!.changes],
    ['user.edited', { password: { from: null, to: 'changed' } }],
  )
})

test('a user who changes their own password keeps the live connection, and those of their other sessions end', async (t) => {
  const { server, token, ana } = await begin(t)
  const [elsewhere, deleted] = [await enter(server, 'Ana'), await newUser(server, token)]
  const [here, there, gone] = await Promise.all(
    [ana.token, elsewhere.token, deleted.token].map((one) => connectBrowser(server, one)),
  )
  let cut = false
  void here!.ended.then(() => (cut = true))
  const body = { password: PASSWORD, new_password: 'another password' }
  assert.equal((await call(server, auth.changePassword, { token: ana.token, body })).status, 204)
  await there!.ended
  // The check of all connections that ends this one has also checked Ana's.
  await withTables(server, ({ all }) => all('delete from sessions where user_id = ?', deleted.id))
  await gone!.ended
  const heard = here!.changes.length
  await newUser(server, token)
  await eventually(() => here!.changes.length > heard)
  assert.equal(cut, false)
  await here!.stop()
})
