import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { listAudit } from '@sdd/contract/accounts/audit.ts'
import * as auth from '@sdd/contract/accounts/auth.ts'
import * as factor from '@sdd/contract/accounts/second-factor.ts'
import * as users from '@sdd/contract/accounts/users.ts'
import { MINUTE, SECOND, type TestClock, testClock } from './clock.ts'
import { appCode, fromBase32 } from './authenticator.ts'
import { withTables } from './engine.ts'
import { enter, newUser, PASSWORD } from './seeds.ts'
import { ADMIN, call, startServer, type TestServer } from './server.ts'

/** A server with a stopped clock, its superadmin, and a user of the same company. */
async function begin(t: TestContext) {
  const clock = testClock('2026-06-01T10:00:10Z')
  const server = await startServer({ clock })
  t.after(() => server.stop())
  const { token } = await enter(server, ADMIN.username, ADMIN.password)
  const ana = await newUser(server, token, { name: 'Ana' })
  return { clock, server, token, ana }
}

/** Turns it on; returns a function for app codes, offset by steps from now. */
async function turnOn(server: TestServer, token: string, clock: TestClock) {
  const { body: enrolment } = await call(server, factor.enrolSecondFactor, {
    token,
    body: { password: PASSWORD },
  })
  const code = (away = 0) => appCode(enrolment.secret, clock.now(), away)
  const { status, body } = await call(server, factor.confirmSecondFactor, { token, body: { code: code() } })
  assert.equal(status, 200)
  // The code that confirmed it is used up.
  clock.advance(30 * SECOND)
  return { enrolment, code, recovery_codes: body.recovery_codes }
}

function logIn(server: TestServer, code?: string, password = PASSWORD) {
  const body = { username: 'Ana', password, ...(code !== undefined && { code }) }
  return call(server, auth.login, { body })
}

const state = async (server: TestServer, token: string) =>
  (await call(server, factor.readSecondFactor, { token })).body

test('once it is on, a login needs a code as well as the password, and a wrong password reveals nothing', async (t) => {
  const { clock, server, ana } = await begin(t)
  assert.deepEqual(await state(server, ana.token), { enabled: false, since: null, recovery_codes_left: 0 })
  const { code, enrolment } = await turnOn(server, ana.token, clock)
  assert.match(
    enrolment.uri,
    /^otpauth:\/\/totp\/SMS%20DRONE%20DASH:Ana%20\(127\.0\.0\.1\)\?secret=[A-Z2-7]{32}&/,
  )
  assert.deepEqual(await state(server, ana.token), {
    enabled: true,
    since: '2026-06-01T10:00:10.000Z',
    recovery_codes_left: 10,
  })

  for (const given of [undefined, '', '  ']) {
    const without = await logIn(server, given)
    assert.deepEqual([without.status, without.body.code], [401, 'second_factor_required'])
  }
  const wrong = await logIn(server, '000000')
  assert.deepEqual([wrong.status, wrong.body.code], [401, 'bad_code'])
  const stranger = await logIn(server, code(), 'not the password')
  assert.deepEqual(stranger.body, {
    detail: 'Usuario o contraseña incorrectos',
    code: 'bad_credentials',
    params: {},
  })
  const right = await logIn(server, ` ${code().slice(0, 3)} ${code().slice(3)} `)
  assert.equal(right.status, 200)
  assert.equal((await state(server, right.body.access_token)).enabled, true)
})

test('each code is accepted once, and none older than an accepted one', async (t) => {
  const { clock, server, ana } = await begin(t)
  const { code } = await turnOn(server, ana.token, clock)
  assert.equal((await logIn(server, code(1))).status, 200)
  assert.equal((await logIn(server, code(1))).body.code, 'bad_code')
  assert.equal((await logIn(server, code(0))).body.code, 'bad_code')
  clock.advance(60 * SECOND)
  const both = await Promise.all([logIn(server, code()), logIn(server, code())])
  assert.equal(both.filter(({ status }) => status === 200).length, 1)
  assert.equal(both.filter(({ body }) => body.code === 'bad_code').length, 1)
})

test('until its first code is confirmed, it is not required, and starting over gives another secret', async (t) => {
  const { clock, server, ana } = await begin(t)
  const { token } = ana
  const enrol = (password: string) => call(server, factor.enrolSecondFactor, { token, body: { password } })
  const refused = await enrol('not the password')
  assert.deepEqual([refused.status, Object.keys(refused.body.fields!)], [422, ['password']])
  const early = await call(server, factor.confirmSecondFactor, { token, body: { code: '123456' } })
  assert.equal(early.body.code, 'second_factor_off')

  const first = (await enrol(PASSWORD)).body
  assert.equal((await logIn(server)).status, 200)
  const second = (await enrol(PASSWORD)).body
  assert.notEqual(first.secret, second.secret)
  const confirm = (secret: string) =>
    call(server, factor.confirmSecondFactor, {
      token,
      body: { code: appCode(secret, clock.now()) },
    })
  const old = await confirm(first.secret)
  assert.deepEqual([old.status, Object.keys(old.body.fields!)], [422, ['code']])
  assert.equal((await confirm(second.secret)).status, 200)
  assert.equal((await enrol(PASSWORD)).body.code, 'second_factor_on')
  assert.equal((await confirm(second.secret)).body.code, 'second_factor_on')
})

test('a recovery code opens one session, however it is typed', async (t) => {
  const { clock, server, ana } = await begin(t)
  const { recovery_codes } = await turnOn(server, ana.token, clock)
  assert.equal(new Set(recovery_codes).size, 10)
  const [one, other] = recovery_codes as [string, string]
  assert.match(one, /^([2-9A-Z]{4}-){5}[2-9A-Z]{4}$/)
  assert.equal((await logIn(server, one)).status, 200)
  assert.equal((await logIn(server, one)).body.code, 'bad_code')
  assert.equal((await logIn(server, ` ${other.toLowerCase().replaceAll('-', ' ')}`)).status, 200)
  assert.equal((await state(server, ana.token)).recovery_codes_left, 8)
})

test('new recovery codes replace the old ones', async (t) => {
  const { clock, server, ana } = await begin(t)
  const { code, recovery_codes } = await turnOn(server, ana.token, clock)
  const body = { password: PASSWORD, code: code() }
  const renewed = await call(server, factor.renewRecoveryCodes, { token: ana.token, body })
  assert.equal(renewed.body.recovery_codes.length, 10)
  assert.equal((await logIn(server, recovery_codes[0])).body.code, 'bad_code')
  assert.equal((await logIn(server, renewed.body.recovery_codes[0])).status, 200)
})

test('turning it off requires the password and a code', async (t) => {
  const { clock, server, ana } = await begin(t)
  const { code } = await turnOn(server, ana.token, clock)
  const off = (body: { password: string; code: string }) =>
    call(server, factor.disableSecondFactor, { token: ana.token, body })
  for (const [body, field] of [
    [{ password: 'not the password', code: code() }, 'password'],
    [{ password: PASSWORD, code: '000000' }, 'code'],
  ] as const) {
    const refused = await off(body)
    assert.deepEqual([refused.status, Object.keys(refused.body.fields!)], [422, [field]])
    assert.equal((await state(server, ana.token)).enabled, true)
  }
  assert.equal((await off({ password: PASSWORD, code: code() })).status, 204)
  assert.deepEqual(await state(server, ana.token), { enabled: false, since: null, recovery_codes_left: 0 })
  assert.equal((await logIn(server)).status, 200)
  assert.equal((await off({ password: PASSWORD, code: code() })).body.code, 'second_factor_off')
})

test('ten wrong codes within 15 minutes lock out name and e-mail together, even for the right code', async (t) => {
  const { clock, server, ana } = await begin(t)
  const { code } = await turnOn(server, ana.token, clock)
  const byEmail = (given: string) =>
    call(server, auth.login, { body: { username: ana.email, password: PASSWORD, code: given } })
  for (let round = 0; round < 5; round++) {
    assert.equal((await logIn(server, '000000')).body.code, 'bad_code')
    assert.equal((await byEmail('000000')).body.code, 'bad_code')
  }
  for (const answer of [await logIn(server, code()), await byEmail(code())]) {
    assert.deepEqual([answer.status, answer.body.code], [429, 'too_many_attempts'])
    assert.ok(Number(answer.headers.get('retry-after')) > 800)
  }
  clock.advance(15 * MINUTE)
  assert.equal((await logIn(server, code())).status, 200)
})

test('a login without a code and then with one does not count as a failure', async (t) => {
  const { clock, server, ana } = await begin(t)
  const { code } = await turnOn(server, ana.token, clock)
  for (let round = 0; round < 11; round++) {
    assert.equal((await logIn(server)).body.code, 'second_factor_required')
    assert.equal((await logIn(server, code())).status, 200)
    clock.advance(30 * SECOND)
  }
})

test('wrong passwords within an open session count like failed logins', async (t) => {
  const { server, ana } = await begin(t)
  const enrol = (password: string) =>
    call(server, factor.enrolSecondFactor, { token: ana.token, body: { password } })
  for (let round = 0; round < 10; round++) assert.equal((await enrol('not the password')).status, 422)
  assert.equal((await enrol(PASSWORD)).status, 429)
})

test('an admin removes the second factor of a user they may change, and it is audited', async (t) => {
  const { clock, server, token, ana } = await begin(t)
  const admin = await newUser(server, token, { role: 'admin' })
  const other = await newUser(server, token, { role: 'admin', companyId: 2 })
  await turnOn(server, ana.token, clock)
  const remove = (by: string, id: number) =>
    call(server, factor.removeSecondFactor, { token: by, params: { id } })
  const listed = async () =>
    (await call(server, users.listUsers, { token })).body.users.find(({ id }) => id === ana.id)!.second_factor
  assert.equal(await listed(), true)

  assert.equal((await remove(other.token, ana.id)).body.code, 'unknown_user')
  assert.equal((await remove(ana.token, ana.id)).status, 403)
  const superadmin = (await enter(server, ADMIN.username, ADMIN.password)).id
  assert.equal((await remove(admin.token, superadmin)).status, 403)
  assert.equal((await remove(admin.token, admin.id)).status, 403)
  assert.equal(await listed(), true)

  assert.equal((await remove(admin.token, ana.id)).status, 204)
  assert.equal(await listed(), false)
  assert.equal((await logIn(server)).status, 200)
  assert.equal((await remove(admin.token, ana.id)).body.code, 'second_factor_off')
  const { entries } = (await call(server, listAudit, { token: admin.token })).body
  const changes = entries.filter(({ action }) => action.startsWith('user.'))
  assert.deepEqual(
    changes.slice(0, 2).map(({ by, action, name }) => [by, action, name]),
    [
      [admin.name, 'user.second_factor_removed', 'Ana'],
      ['Ana', 'user.second_factor_enabled', 'Ana'],
    ],
  )
})

test('neither secret nor recovery codes appear in the audit log or a list of users, or are stored in readable form', async (t) => {
  const { clock, server, token, ana } = await begin(t)
  const { enrolment, recovery_codes } = await turnOn(server, ana.token, clock)
  const shown = JSON.stringify([
    await call(server, listAudit, { token }),
    await call(server, users.listUsers, { token }),
    await state(server, ana.token),
  ])
  const stored = JSON.stringify(await withTables(server, ({ all }) => all('select * from recovery_codes')))
  assert.match(stored, /code_hash/)
  for (const secret of [enrolment.secret, fromBase32(enrolment.secret).toString('base64url')]) {
    assert.ok(!shown.includes(secret))
  }
  for (const code of recovery_codes)
    assert.ok(!stored.includes(code) && !stored.includes(code.replaceAll('-', '')))
})
