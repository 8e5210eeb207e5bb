import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import * as auth from '@sdd/contract/accounts/auth.ts'
import * as devices from '@sdd/contract/fleet/devices.ts'
import * as users from '@sdd/contract/accounts/users.ts'
import { PASSWORD_COST, type PasswordCost } from '#server/accounts/passwords/passwords.ts'
import { connectBrowser } from './browser.ts'
import { HOUR, MINUTE, SECOND, testClock } from './clock.ts'
import { everythingStored } from './engine.ts'
import { enter, newUser, PASSWORD } from './seeds.ts'
import { ADMIN, call, startServer, type TestServer } from './server.ts'

const START = '2026-06-01T10:00:00Z'

/** A separate server with a stopped clock, and its superadmin. */
async function begin(t: TestContext, needs: { passwordCost?: PasswordCost } = {}) {
  const clock = testClock(START)
  const server = await startServer({ clock, ...needs })
  t.after(() => server.stop())
  const { token } = await enter(server, ADMIN.username, ADMIN.password)
  return { clock, server, token }
}

function tryLogin(server: TestServer, username: string, password = 'wrong') {
  return call(server, auth.login, { body: { username, password } })
}

async function works(server: TestServer, token: string): Promise<boolean> {
  const { status } = await call(server, devices.listDevices, { token })
  assert.ok(status === 200 || status === 401, `${status}`)
  return status === 200
}

test('a form with a name or an e-mail in any letter case opens a session', async (t) => {
  const { server, token } = await begin(t)
  const anna = await newUser(server, token, { name: 'Añna López', email: 'Anna@Example.com', role: 'admin' })
  for (const username of ['Añna López', 'añna lópez', 'AÑNA LÓPEZ', 'anna@example.COM']) {
    const { status, body } = await tryLogin(server, username, PASSWORD)
    assert.equal(status, 200, username)
    const { access_token, ...rest } = body
    assert.deepEqual(rest, { token_type: 'bearer', role: 'admin', id: anna.id, language: null })
    assert.ok(await works(server, access_token))
  }
  assert.equal((await tryLogin(server, 'Añna López', PASSWORD.toUpperCase())).status, 401)
})

test('a login that is not a form, or lacks a field, is refused with that reason', async (t) => {
  const { server } = await begin(t)
  const login = (init: RequestInit) => fetch(new URL('/api/login', server.url), { method: 'POST', ...init })
  const headers = { 'content-type': 'application/json' }
  assert.equal((await login({ headers, body: JSON.stringify(ADMIN) })).status, 415)
  const missing = await login({ body: new URLSearchParams({ username: ADMIN.username }) })
  assert.equal(missing.status, 422)
  assert.deepEqual(Object.keys(((await missing.json()) as { fields: object }).fields), ['password'])
  const empty = await login({ body: new URLSearchParams({ username: '', password: '' }) })
  const { fields } = (await empty.json()) as { fields: object }
  assert.deepEqual(Object.keys(fields), ['username', 'password'])
})

test('ten failures lock a name in any letter case, even for the right password', async (t) => {
  const { clock, server, token } = await begin(t)
  const bea = await newUser(server, token)
  const other = await newUser(server, token)
  for (let n = 0; n < 5; n++) assert.equal((await tryLogin(server, bea.name.toUpperCase())).status, 401)
  clock.advance(5 * MINUTE)
  for (let n = 0; n < 5; n++) assert.equal((await tryLogin(server, bea.name)).status, 401)
  const locked = await tryLogin(server, bea.name, PASSWORD)
  assert.deepEqual([locked.status, locked.body.code], [429, 'too_many_attempts'])
  assert.equal(Number(locked.headers.get('retry-after')), 10 * 60)
  assert.equal((await tryLogin(server, other.name, PASSWORD)).status, 200)
  assert.ok(await works(server, bea.token), 'a session that is open stays open')

  clock.advance(10 * MINUTE - SECOND)
  assert.equal((await tryLogin(server, bea.name, PASSWORD)).status, 429)
  clock.advance(SECOND)
  assert.equal((await tryLogin(server, bea.name, PASSWORD)).status, 200)
  for (let n = 0; n < 5; n++) assert.equal((await tryLogin(server, bea.name)).status, 401)
  assert.equal((await tryLogin(server, bea.name, PASSWORD)).status, 429, 'five of the ten still count')
})

test('a lock reveals neither that a name exists nor whose e-mail it is', async (t) => {
  const { server, token } = await begin(t)
  const bea = await newUser(server, token)
  const lock = async (name: string) => {
    const answers = []
    for (let n = 0; n < 11; n++) answers.push(await tryLogin(server, name))
    return answers.map(({ status, body, headers }) => [status, body, headers.get('retry-after')])
  }
  assert.deepEqual(await lock(bea.name), await lock('nobody'))
  assert.equal((await tryLogin(server, bea.email)).status, 401)
  assert.equal((await tryLogin(server, bea.email, PASSWORD)).status, 200)
})

test('an unknown name is locked like a known one', async (t) => {
  const { server } = await begin(t)
  for (let n = 0; n < 10; n++) assert.equal((await tryLogin(server, `Nobody`)).status, 401)
  assert.equal((await tryLogin(server, 'nobody')).status, 429)
  assert.equal((await tryLogin(server, 'somebody')).status, 401)
})

test('fifty failures lock an address, whatever the names', async (t) => {
  const { clock, server, token } = await begin(t)
  for (let n = 0; n < 50; n++) assert.equal((await tryLogin(server, `guess ${n}`)).status, 401)
  const locked = await tryLogin(server, ADMIN.username, ADMIN.password)
  assert.equal(locked.status, 429)
  assert.equal(Number(locked.headers.get('retry-after')), 15 * 60)
  assert.ok(await works(server, token))
  clock.advance(15 * MINUTE)
  assert.equal((await tryLogin(server, ADMIN.username, ADMIN.password)).status, 200)
})

test('a locked name stays locked after a restart of the server', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sdd-login-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const clock = testClock(START)
  const first = await startServer({ clock, folder })
  for (let n = 0; n < 10; n++) await tryLogin(first, ADMIN.username)
  await first.stop()
  const second = await startServer({ clock, folder })
  t.after(() => second.stop())
  assert.equal((await tryLogin(second, ADMIN.username, ADMIN.password)).status, 429)
  clock.advance(15 * MINUTE)
  assert.equal((await tryLogin(second, ADMIN.username, ADMIN.password)).status, 200)
})

test('guesses sent all at once count as at most ten, and those refused by a full queue do not count', async (t) => {
  const { server } = await begin(t, { passwordCost: PASSWORD_COST })
  const counts: Record<number, number> = {}
  for (let round = 0; round < 2; round++) {
    const answers = Array.from({ length: 30 }, () => tryLogin(server, ADMIN.username))
    for (const { status } of await Promise.all(answers)) counts[status] = (counts[status] ?? 0) + 1
  }
  assert.equal(counts[401], 10)
  assert.equal(counts[401] + (counts[429] ?? 0) + (counts[503] ?? 0), 60)
})

test('a successful login does not count as a failure, one by one or all at once', async (t) => {
  const { server } = await begin(t)
  const right = () => tryLogin(server, ADMIN.username, ADMIN.password)
  for (let n = 0; n < 9; n++) assert.equal((await tryLogin(server, ADMIN.username)).status, 401)
  for (let n = 0; n < 3; n++) assert.equal((await right()).status, 200)
  const statuses = await Promise.all(Array.from({ length: 9 }, async () => (await right()).status))
  assert.deepEqual(statuses, Array(9).fill(200))
  assert.equal((await tryLogin(server, ADMIN.username)).status, 401)
  assert.equal((await right()).status, 429)
})

test('a logout ends the session and its live connection at once, and no other', async (t) => {
  const { server, token } = await begin(t)
  const other = (await enter(server, ADMIN.username, ADMIN.password)).token
  const [browser, stays] = [await connectBrowser(server, token), await connectBrowser(server, other)]
  const { status, body } = await call(server, auth.logout, { token })
  assert.deepEqual([status, body], [204, undefined])
  assert.ok(!(await works(server, token)))
  assert.equal((await call(server, auth.logout, { token })).status, 401)
  await within(1_000, browser.ended)
  await assert.rejects(connectBrowser(server, token), /Not authorized|Bad User/i)
  assert.ok(await works(server, other))
  assert.ok(stays.client.connected)
  await stays.stop()
})

test('an unused session expires, one in use continues, and its live connection ends within 5 s of its expiry', async (t) => {
  const { clock, server, token } = await begin(t)
  const used = (await enter(server, ADMIN.username, ADMIN.password)).token
  const browser = await connectBrowser(server, token)
  for (let hour = 0; hour < 11; hour++) {
    clock.advance(HOUR)
    assert.ok(await works(server, used))
  }
  assert.ok(browser.client.connected)
  clock.advance(2 * HOUR)
  await within(5_000, browser.ended)
  assert.ok(!(await works(server, token)))
  assert.ok(await works(server, used))
  for (let day = 0; day < 62; day++) {
    clock.advance(11 * HOUR)
    await works(server, used)
  }
  assert.ok(await works(server, used), 'after 28 days of use')
  clock.advance(11 * HOUR)
  await works(server, used)
  for (let day = 0; day < 4; day++) {
    clock.advance(11 * HOUR)
    await works(server, used)
  }
  assert.ok(!(await works(server, used)), 'it ends after 30 days, even in use')
})

test('disabling a user ends all their sessions and live connections', async (t) => {
  const { server, token } = await begin(t)
  const user = await newUser(server, token, { role: 'admin' })
  const browser = await connectBrowser(server, user.token)
  await change(server, token, user, { enabled: false })
  assert.ok(!(await works(server, user.token)))
  await within(5_000, browser.ended)
  const refused = await tryLogin(server, user.name, PASSWORD)
  assert.deepEqual([refused.status, refused.body.code], [401, 'bad_credentials'])
  await change(server, token, user, { enabled: true })
  assert.ok(!(await works(server, user.token)), 'the old session is not back')
  assert.equal((await tryLogin(server, user.name, PASSWORD)).status, 200)
})

test('a login with a password that is being changed at that moment leaves no session', async (t) => {
  const { server, token } = await begin(t, { passwordCost: PASSWORD_COST })
  const user = await newUser(server, token)
  const opened: string[] = []
  for (let round = 0; round < 4; round++) {
    const old = `${PASSWORD} ${round - 1}`
    if (round > 0) await change(server, token, user, { password: old })
    const logins = Array.from({ length: 3 }, async (_, n) => {
      await wait(n * 10)
      return tryLogin(server, user.name, round > 0 ? old : PASSWORD)
    })
    await change(server, token, user, { password: `${PASSWORD} new` })
    opened.push(...(await Promise.all(logins)).flatMap(({ body }) => body.access_token ?? []))
  }
  for (const late of opened) assert.ok(!(await works(server, late)))
})

test('the server stores neither passwords nor tokens in readable form', async (t) => {
  const { server, token } = await begin(t)
  const user = await newUser(server, token)
  const stored = await everythingStored(server)
  assert.ok(stored.includes(user.name), 'the user is stored')
  for (const secret of [ADMIN.password, PASSWORD, token, user.token]) assert.ok(!stored.includes(secret))
})

async function change(
  server: TestServer,
  token: string,
  { id, name, email }: { id: number; name: string; email: string },
  more: { enabled?: boolean; password?: string },
): Promise<void> {
  const body = { id, name, email, role: 'user', ...more }
  assert.equal((await call(server, users.saveUser, { token, body })).status, 200)
}

async function within(ms: number, ended: Promise<void>): Promise<void> {
  const late = AbortSignal.timeout(ms)
  await Promise.race([
    ended,
    new Promise((_, reject) =>
      late.addEventListener('abort', () => reject(new Error(`not within ${ms} ms`))),
    ),
  ])
}
