import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createApiKey, listApiKeys, rotateApiKey } from '@sdd/contract/accounts/api-keys.ts'
import { listAudit } from '@sdd/contract/accounts/audit.ts'
import * as auth from '@sdd/contract/accounts/auth.ts'
import { createWebhook, rotateWebhook } from '@sdd/contract/outward/callbacks.ts'
import { createLinkCode, listDevices } from '@sdd/contract/fleet/devices.ts'
import type { Route } from '@sdd/contract/core/route.ts'
import * as factor from '@sdd/contract/accounts/second-factor.ts'
import { listSessions } from '@sdd/contract/accounts/sessions.ts'
import { readUser, saveUser } from '@sdd/contract/accounts/users.ts'
import { appCode } from './authenticator.ts'
import { connectBrowser } from './browser.ts'
import { MINUTE, SECOND, testClock } from './clock.ts'
import { eventually } from './device.ts'
import { enter, newUser, PASSWORD, someone } from './seeds.ts'
import { ADMIN, call, callOnce, startServer } from './server.ts'

const HOOK = 'https://192.0.2.1/hook'

/** A server with a stopped clock, and a freshly logged-in admin. */
async function begin(t: TestContext) {
  const clock = testClock('2026-06-01T10:00:10Z')
  const server = await startServer({ clock, settings: { CALLBACK_ADDRESSES: 'any' } })
  t.after(() => server.stop())
  const superadmin = (await enter(server, ADMIN.username, ADMIN.password)).token
  const ana = await newUser(server, superadmin, { name: 'Ana', role: 'admin', companyId: 2 })
  const { token } = ana
  const ask = <R extends Route>(route: R, input: object = {}, as = token) =>
    callOnce(server, route, { token: as, ...input })
  return {
    clock,
    server,
    superadmin,
    ana,
    ask,
    prove: (body: Record<string, unknown> = { password: PASSWORD }, as = token) =>
      ask(auth.proveSession, { body }, as),
    makeKey: (as = token) => ask(createApiKey, { body: { name: 'shop' } }, as),
  }
}

type Scene = Awaited<ReturnType<typeof begin>>

/** Turns on Ana's second factor; returns a function for her app's codes, offset by steps, and the recovery codes. */
async function turnOnFactor({ ask, clock }: Scene) {
  const { body } = await ask(factor.enrolSecondFactor, { body: { password: PASSWORD } })
  const code = (away = 0) => appCode(body.secret, clock.now(), away)
  const on = await ask(factor.confirmSecondFactor, { body: { code: code() } })
  clock.advance(30 * SECOND)
  return { code, recovery_codes: on.body.recovery_codes }
}

/** Every call that grants access, by name. */
async function givingCalls({ server, superadmin }: Scene) {
  const user = await newUser(server, superadmin, { companyId: 2 })
  const { id, name, email, role } = user
  const same = { id, name, email, role }
  const theirs = { token: superadmin, query: { company: '2' } }
  const key = await call(server, createApiKey, { ...theirs, body: { name: 'old' } })
  const hook = await call(server, createWebhook, { ...theirs, body: { url: HOOK } })
  return {
    'a new admin': [saveUser, { body: someone({ role: 'admin' }) }],
    'somebody made an admin': [saveUser, { body: { ...same, role: 'admin' } }],
    'a password for somebody else': [saveUser, { body: { ...same, password: 'brand new words 1' } }],
    'an API key': [createApiKey, { body: { name: 'shop' } }],
    'a new secret of an API key': [rotateApiKey, { params: { id: key.body.id }, body: {} }],
    'a webhook': [createWebhook, { body: { url: HOOK } }],
    'a new secret of a webhook': [rotateWebhook, { params: { id: hook.body.id }, body: {} }],
    'a link code': [createLinkCode, { body: {} }],
    'the end of a second factor': [factor.removeSecondFactor, { params: { id: user.id } }],
    user,
  } as const
}

test('a call that grants access is refused without a proof and changes nothing, and works with one', async (t) => {
  const scene = await begin(t)
  const { ask, server, superadmin, prove } = scene
  const { user, ...giving } = await givingCalls(scene)
  const log = async () => {
    const { entries } = (await callOnce(server, listAudit, { token: superadmin })).body
    return Map.groupBy(entries, ({ action }) => (action === 'call.refused' ? 'refused' : 'done'))
  }
  const before = (await log()).get('done')
  for (const [what, [route, input]] of Object.entries(giving)) {
    const { status, body } = await ask(route, input)
    assert.deepEqual([status, body.code], [403, 'proof_required'], what)
  }
  const after = await log()
  assert.deepEqual(after.get('done'), before)
  assert.ok(after.get('refused')?.some(({ by }) => by === scene.ana.name))
  assert.equal((await ask(readUser, { params: { id: user.id } })).body.role, 'user')
  const keys = (await ask(listApiKeys)).body.api_keys
  assert.deepEqual(
    keys.map(({ name, previous_until }) => [name, previous_until]),
    [['old', null]],
  )

  assert.equal((await prove()).status, 204)
  for (const [what, [route, input]] of Object.entries(giving)) {
    const { status, body } = await ask(route, input)
    if (route === factor.removeSecondFactor) assert.equal(body.code, 'second_factor_off')
    else assert.ok(status === 200 || status === 201, `${what}: ${status}`)
  }
})

test('creating a superadmin requires a proof', async (t) => {
  const { ask, prove, server, ana } = await begin(t)
  const { id, name, email } = ana
  const { token } = await enter(server, ADMIN.username, ADMIN.password)
  const raise = () => ask(saveUser, { body: { id, name, email, role: 'superadmin' } }, token)
  assert.equal((await raise()).body.code, 'proof_required')
  assert.equal((await prove({ password: ADMIN.password }, token)).status, 204)
  assert.equal((await raise()).status, 200)
})

test('removing access, other edits and reading need no proof', async (t) => {
  const scene = await begin(t)
  const { ask, server, superadmin } = scene
  const { user } = await givingCalls(scene)
  const { id, name, email } = user
  const admin = await newUser(server, superadmin, { role: 'admin', companyId: 2 })
  for (const body of [
    someone(),
    { id, name: `${name} jr`, email, role: 'user' },
    { id, name, email, role: 'user', enabled: false },
    { id, name, email, role: 'user', enabled: true },
    { id: admin.id, name: admin.name, email: admin.email, role: 'user' },
  ])
    assert.ok((await ask(saveUser, { body })).status < 300, JSON.stringify(body))
  assert.equal((await ask(listSessions)).status, 200)
})

test('a proof is valid for one session and 5 minutes, and a login is not a proof', async (t) => {
  const { clock, server, prove, makeKey } = await begin(t)
  const elsewhere = await enter(server, 'Ana')
  assert.equal((await makeKey()).body.code, 'proof_required')
  assert.equal((await prove()).status, 204)
  assert.equal((await makeKey()).status, 201)
  assert.equal((await makeKey(elsewhere.token)).body.code, 'proof_required')
  clock.advance(5 * MINUTE - SECOND)
  assert.equal((await makeKey()).status, 201)
  clock.advance(SECOND)
  assert.equal((await makeKey()).body.code, 'proof_required')
  assert.equal((await prove()).status, 204)
  assert.equal((await makeKey()).status, 201)
})

test('a missing permission or a bad request is reported before the need for a proof', async (t) => {
  const scene = await begin(t)
  const { ask, server, superadmin, ana } = scene
  const user = await newUser(server, superadmin, { companyId: 2 })
  const boss = (await enter(server, ADMIN.username, ADMIN.password)).id
  for (const [route, input, as, status, code] of [
    [createApiKey, { body: { name: 'x' } }, user.token, 403, 'forbidden'],
    [saveUser, { body: someone({ role: 'superadmin' }) }, ana.token, 403, 'forbidden'],
    [factor.removeSecondFactor, { params: { id: boss } }, superadmin, 403, 'forbidden'],
    [createApiKey, { body: { name: '' } }, ana.token, 422, 'invalid'],
    [createApiKey, { body: { name: 'x', expires_at: '2020-01-01T00:00:00Z' } }, ana.token, 422, 'invalid'],
    [createWebhook, { body: { url: 'nowhere' } }, ana.token, 422, 'invalid'],
    [
      createWebhook,
      { body: { url: HOOK, types: ['sms.received'], format: 'twilio' } },
      ana.token,
      422,
      'invalid',
    ],
    [rotateApiKey, { params: { id: 999 }, body: {} }, ana.token, 404, 'unknown_api_key'],
    [rotateApiKey, { params: { id: 999 }, body: { overlap_hours: 169 } }, ana.token, 422, 'invalid'],
    [rotateApiKey, { params: { id: 999 }, body: {} }, user.token, 403, 'forbidden'],
    [createLinkCode, { body: { uses: 0 } }, ana.token, 422, 'invalid'],
    [saveUser, { body: { ...someone({ role: 'admin' }), password: undefined } }, ana.token, 422, 'invalid'],
    [createApiKey, { body: { name: 'x' } }, 'sds_nobody', 401, 'unauthorized'],
    [auth.proveSession, { body: { password: PASSWORD } }, 'sds_nobody', 401, 'unauthorized'],
  ] as const) {
    const answer = await ask(route, input, as)
    assert.deepEqual(
      [answer.status, answer.body.code],
      [status, code],
      `${route.path} ${JSON.stringify(input)}`,
    )
  }
})

test('a proof is the password, an app code or a recovery code, each code once', async (t) => {
  const scene = await begin(t)
  const { prove, makeKey } = scene
  const { code, recovery_codes } = await turnOnFactor(scene)
  for (const body of [{ password: PASSWORD }, { code: code() }, { code: recovery_codes[0] }]) {
    assert.equal((await prove(body)).status, 204)
    assert.equal((await makeKey()).status, 201)
    if (body.code === undefined) continue
    const again = await prove(body)
    assert.deepEqual([again.status, Object.keys(again.body.fields!)], [422, ['code']])
  }
})

test('a wrong proof names its field and proves nothing', async (t) => {
  const { prove, makeKey } = await begin(t)
  for (const [body, fields] of [
    [{ password: 'not the password' }, ['password']],
    [{ code: '123456' }, ['code']],
    [{ password: PASSWORD, code: '123456' }, ['code']],
    [{ password: '' }, ['password']],
    [{}, ['password', 'code']],
    [{ password: null, code: null }, ['password', 'code']],
  ] as const) {
    const refused = await prove(body)
    assert.deepEqual([refused.status, Object.keys(refused.body.fields!)], [422, fields], JSON.stringify(body))
  }
  assert.equal((await makeKey()).body.code, 'proof_required')
})

test('ten wrong proofs within 15 minutes lock out even the right one, and count with other wrong passwords', async (t) => {
  const { clock, ask, prove } = await begin(t)
  const wrong = { password: 'not the password' }
  const change = { ...wrong, new_password: 'another password' }
  for (let round = 0; round < 5; round++) {
    assert.equal((await prove(wrong)).status, 422)
    assert.equal((await ask(auth.changePassword, { body: change })).status, 422)
  }
  const late = await prove()
  assert.deepEqual([late.status, late.body.code], [429, 'too_many_attempts'])
  assert.ok(Number(late.headers.get('retry-after')) > 800)
  assert.equal((await ask(auth.changePassword, { body: change })).status, 429)
  clock.advance(15 * MINUTE)
  assert.equal((await prove()).status, 204)
})

test('wrong codes of a proof count together with those of logins', async (t) => {
  const scene = await begin(t)
  const { prove, server } = scene
  const { code } = await turnOnFactor(scene)
  const logIn = (given: string) =>
    callOnce(server, auth.login, { body: { username: 'Ana', password: PASSWORD, code: given } })
  for (let round = 0; round < 5; round++) {
    assert.equal((await prove({ code: '000000' })).status, 422)
    assert.equal((await logIn('000000')).status, 401)
  }
  assert.equal((await prove({ code: code() })).status, 429)
  assert.equal((await logIn(code())).status, 429)
})

test('switching on a second factor ends the user’s other sessions and their live connections, but not this one', async (t) => {
  const scene = await begin(t)
  const { server, ana, ask } = scene
  const elsewhere = await enter(server, 'Ana')
  const [here, there] = [
    await connectBrowser(server, ana.token),
    await connectBrowser(server, elsewhere.token),
  ]
  await turnOnFactor(scene)
  assert.equal((await ask(listDevices, {}, elsewhere.token)).status, 401)
  await there.ended
  assert.equal((await ask(listDevices)).status, 200)
  // The change was published after the sessions ended.
  await eventually(() => here.changes.some(({ changed }) => changed.includes('users')))
  await here.stop()
})
