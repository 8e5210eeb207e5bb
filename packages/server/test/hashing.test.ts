import assert from 'node:assert/strict'
import { createHook } from 'node:async_hooks'
import { type TestContext, test } from 'node:test'
import { createApiKey } from '@sdd/contract/accounts/api-keys.ts'
import * as auth from '@sdd/contract/accounts/auth.ts'
import { saveQuotas } from '@sdd/contract/accounts/quotas.ts'
import * as devices from '@sdd/contract/fleet/devices.ts'
import { saveUser } from '@sdd/contract/accounts/users.ts'
import { PASSWORD_COST, type PasswordCost } from '#server/accounts/passwords/passwords.ts'
import { say } from './asking.ts'
import { withTables } from './engine.ts'
import { enter, newUser, PASSWORD, someone } from './seeds.ts'
import { ADMIN, call, startServer } from './server.ts'

/** The server is behind a proxy, so that a test can send from any address. */
async function begin(t: TestContext, needs: { passwordCost?: PasswordCost } = {}) {
  const server = await startServer({ settings: { PROXIES: '127.0.0.1' }, ...needs })
  t.after(() => server.stop())
  const { token } = await enter(server, ADMIN.username, ADMIN.password)
  const loginFrom = (address: string, username: string, password = 'wrong') =>
    say(server, auth.login, { body: { username, password } }, undefined, { 'x-forwarded-for': address })
  return { server, token, loginFrom }
}

/** The number of hashes that this process computes during `work`, and the most at once. */
async function hashesOf(work: () => Promise<unknown>): Promise<{ all: number; at_once: number }> {
  const under_way = new Set<number>()
  let [all, at_once] = [0, 0]
  const hook = createHook({
    init(id, type) {
      if (type !== 'ARGON2REQUEST') return
      all++
      at_once = Math.max(at_once, under_way.add(id).size)
    },
    before: (id) => void under_way.delete(id),
  }).enable()
  await work()
  hook.disable()
  return { all, at_once }
}

test('a new password is hashed only if the old one is right, and not at all if the user is throttled', async (t) => {
  const { server, token } = await begin(t)
  const user = await newUser(server, token)
  const change = (password: string) =>
    call(server, auth.changePassword, {
      token: user.token,
      body: { password, new_password: 'another long one 7' },
    })
  for (let n = 0; n < 10; n++) {
    const { all } = await hashesOf(async () => assert.equal((await change('wrong')).status, 422))
    assert.equal(all, 1)
  }
  const flood = await hashesOf(async () => {
    const answers = await Promise.all(Array.from({ length: 40 }, () => change('wrong')))
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([429]))
  })
  assert.equal(flood.all, 0)
  const other = await newUser(server, token)
  const body = { password: PASSWORD, new_password: 'another long one 7' }
  const { all } = await hashesOf(() => call(server, auth.changePassword, { token: other.token, body }))
  assert.equal(all, 2)
})

test('a user with any other error is refused without a hash', async (t) => {
  const { server, token } = await begin(t)
  const user = await newUser(server, token)
  const admin = await newUser(server, token, { role: 'admin' })
  const refused: [by: string, body: Record<string, unknown>, status: number][] = [
    [user.token, someone(), 403],
    [admin.token, someone({ role: 'superadmin' }), 403],
    [admin.token, someone({ companyId: 7 }), 403],
    [token, someone({ name: user.name }), 409],
    [token, someone({ email: user.email }), 409],
    [token, someone({ id: 999 }), 404],
    [token, someone({ password: 'short' }), 422],
  ]
  for (const [by, body, status] of refused) {
    const { all } = await hashesOf(async () =>
      assert.equal((await call(server, saveUser, { token: by, body })).status, status),
    )
    assert.equal(all, 0, `${status}`)
  }
})

test('an SMPP password is hashed only if the key may be created, and counts with the passwords that the user sets', async (t) => {
  const { server, token } = await begin(t)
  const admin = await newUser(server, token, { role: 'admin', companyId: 2 })
  // The name is not the subject: `user 1` is the superadmin.
  await call(server, saveUser, {
    token,
    body: { ...admin, token: undefined, password: undefined, name: 'user 1' },
  })
  const create = async (status: number, hashes: number, query: Record<string, string> = {}) => {
    const body = { name: 'smpp', smpp: true }
    const { all } = await hashesOf(async () => {
      const created = await call(server, createApiKey, { token: admin.token, body, query })
      assert.equal(created.status, status, JSON.stringify(created.body))
    })
    assert.equal(all, hashes)
  }
  await call(server, auth.proveSession, { token: admin.token, body: { password: PASSWORD } })
  await create(201, 1)
  await create(404, 0, { company: '3' })
  await call(server, saveQuotas, { token, query: { company: '2' }, body: { api_keys: 1 } })
  await create(429, 0)
  await call(server, saveQuotas, { token, query: { company: '2' }, body: { api_keys: 9 } })
  await withTables(server, ({ run }) =>
    run(`with recursive n (n) as (select 1 union all select n + 1 from n where n < 299)
      insert into failures (subject, failed_at)
      select 'passwords by user ${admin.id}', '${new Date().toISOString()}' from n`),
  )
  await create(429, 0)
})

test('if an admin sets many passwords at once, one is hashed at a time, eight wait, and the rest are refused', async (t) => {
  const { server, token } = await begin(t, { passwordCost: PASSWORD_COST })
  const { at_once } = await hashesOf(async () => {
    const saved = await Promise.all(
      Array.from({ length: 30 }, () => call(server, saveUser, { token, body: someone() })),
    )
    const busy = saved.filter(({ status }) => status === 503)
    assert.ok(saved.length - busy.length >= 9, `${busy.length} of 30 were refused`)
    assert.ok(busy.length > 0)
    for (const { body, headers } of busy) {
      assert.equal((body as { code?: string }).code, 'busy')
      assert.equal(headers.get('retry-after'), '1')
    }
  })
  assert.equal(at_once, 1)
})

test('while logins from one network queue, a valid login from elsewhere succeeds, and two are hashed at a time', async (t) => {
  const { server, token, loginFrom } = await begin(t, { passwordCost: PASSWORD_COST })
  const user = await newUser(server, token)
  const { at_once } = await hashesOf(async () => {
    const flood = Array.from({ length: 80 }, (_, n) => loginFrom(`2001:db8:0:${n}::1`, `nobody ${n}`))
    const { status } = await loginFrom('198.51.100.7', user.name, PASSWORD)
    assert.equal(status, 200)
    const statuses = new Set((await Promise.all(flood)).map((answer) => answer.status))
    assert.deepEqual(statuses, new Set([401, 503]))
  })
  assert.equal(at_once, 2)
})

test('failed logins and link codes count per IPv6 /64, with a higher limit per /48, and mapped IPv4 by its address', async (t) => {
  const { server, loginFrom } = await begin(t)
  const fail = async (address: string) => (await loginFrom(address, `someone ${Math.random()}`)).status
  const link = (address: string) =>
    say(server, devices.linkDevice, { body: { code: 'AAAAA-AAAAA' } }, undefined, {
      'x-forwarded-for': address,
    })
  for (let n = 0; n < 50; n++) assert.equal(await fail(`2001:db8:1:1::${n}`), 401)
  assert.equal(await fail('2001:db8:1:1:ffff::1'), 429)
  for (let n = 0; n < 20; n++) assert.equal((await link(`2001:db8:1:1::${n}`)).status, 403)
  assert.equal((await link('2001:db8:1:1:ffff::1')).status, 429)
  for (let n = 0; n < 150; n++) assert.equal(await fail(`2001:db8:1:${(2 + (n >> 2)).toString(16)}::1`), 401)
  assert.equal(await fail('2001:db8:1:ffff::1'), 429)
  assert.equal(await fail('2001:db8:2::1'), 401)
  for (let n = 0; n < 50; n++) assert.equal(await fail('::ffff:192.0.2.1'), 401)
  assert.equal(await fail('192.0.2.1'), 429)
  assert.equal(await fail('::ffff:192.0.2.2'), 401)
})
