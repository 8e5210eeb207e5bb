import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { createApiKey, listApiKeys, revokeApiKey } from '@sdd/contract/accounts/api-keys.ts'
import { listTasks } from '@sdd/contract/tasks/tasks.ts'
import { MINUTE, SECOND, testClock } from './clock.ts'
import { enter, newUser } from './seeds.ts'
import { ADMIN, call, startServer } from './server.ts'

const NOW = '2026-06-10T08:00:00.000Z'

async function begin(t: TestContext) {
  const clock = testClock(NOW)
  const server = await startServer({ clock })
  t.after(() => server.stop())
  const { token: superadmin } = await enter(server, ADMIN.username, ADMIN.password)
  const admin = await newUser(server, superadmin, { role: 'admin', companyId: 2 })
  const { token } = admin
  return {
    clock,
    server,
    superadmin,
    admin,
    create: (body: Record<string, unknown>, query?: Record<string, string>, as = token) =>
      call(server, createApiKey, { token: as, body, ...(query && { query }) }),
    listed: async (as = token) => (await call(server, listApiKeys, { token: as })).body.api_keys,
    use: async (key: string) => (await call(server, listTasks, { token: key })).status,
  }
}

test('a key is shown once with its webhook secret, and only its hash is stored', async (t) => {
  const { server, admin, create, listed } = await begin(t)
  const { status, body } = await create({ name: '  Shop ', may: ['tasks:read', 'tasks:read'] })
  assert.equal(status, 201)
  const { id, key, webhook_secret, ...rest } = body
  assert.match(key, /^sdk_[A-Za-z0-9_-]{43}$/)
  assert.match(webhook_secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  const classes = ['code', 'transactional', 'marketing']
  assert.deepEqual(rest, { name: 'Shop', may: ['tasks:read'], classes, expires_at: null })
  assert.deepEqual(await listed(), [
    {
      id,
      company_id: 2,
      name: 'Shop',
      may: ['tasks:read'],
      classes,
      hint: key.slice(0, 8),
      created_at: NOW,
      by: admin.name,
      created_by: admin.name,
      last_used_at: null,
      last_used_from: null,
      expires_at: null,
      previous_until: null,
    },
  ])
  for (const file of readdirSync(server.folder)) {
    assert.ok(!readFileSync(join(server.folder, file)).includes(key), `${file} holds the key`)
  }
})

test('a key created without permissions may submit and read tasks of all classes, and an unknown permission is refused', async (t) => {
  const { create } = await begin(t)
  const { may, classes } = (await create({ name: 'all' })).body
  assert.deepEqual(
    [may, classes],
    [
      ['tasks:write', 'tasks:read'],
      ['code', 'transactional', 'marketing'],
    ],
  )
  const refused: [Record<string, unknown>, string][] = [
    [{ name: ' ' }, 'name'],
    [{ name: 'none', may: [] }, 'may'],
    [{ name: 'users', may: ['users:manage'] }, 'may'],
    [{ name: 'none', classes: [] }, 'classes'],
    [{ name: 'spam', classes: ['spam'] }, 'classes'],
    [{ name: 'past', expires_at: NOW }, 'expires_at'],
    // In UTC, these are in the year 10000 and before the year 0.
    [{ name: 'far', expires_at: '9999-12-31T23:00:00-02:00' }, 'expires_at'],
    [{ name: 'first', expires_at: '0000-01-01T00:00:00+02:00' }, 'expires_at'],
  ]
  for (const [body, field] of refused) {
    const answer = await create(body)
    assert.deepEqual([answer.status, Object.keys(answer.body.fields ?? {})], [422, [field]])
  }
})

test('a revoked key stops working at once, leaves the list and cannot be revoked twice', async (t) => {
  const { server, admin, create, listed, use } = await begin(t)
  const { id, key } = (await create({ name: 'shop' })).body
  const kept = (await create({ name: 'kept' })).body
  assert.equal(await use(key), 200)
  const revoke = () => call(server, revokeApiKey, { token: admin.token, params: { id } })
  assert.equal((await revoke()).status, 204)
  assert.equal(await use(key), 401)
  assert.equal(await use(kept.key), 200)
  assert.deepEqual(
    (await listed()).map(({ name }) => name),
    ['kept'],
  )
  assert.equal((await revoke()).body.code, 'unknown_api_key')
})

test('a key may expire at the end of the last year', async (t) => {
  const { create } = await begin(t)
  assert.equal((await create({ name: 'never', expires_at: '9999-12-31T23:59:59Z' })).status, 201)
})

test('a key stops working at its expires_at', async (t) => {
  const { clock, create, listed, use } = await begin(t)
  const made = await create({ name: 'short', expires_at: '2026-06-10T10:01:00+02:00' })
  assert.equal(made.body.expires_at, '2026-06-10T08:01:00.000Z')
  clock.advance(MINUTE - 1)
  assert.equal(await use(made.body.key), 200)
  clock.advance(1)
  assert.equal(await use(made.body.key), 401)
  assert.deepEqual(await listed(), [])
})

test('a key’s last use is known to the minute', async (t) => {
  const { clock, create, listed, use } = await begin(t)
  const { key } = (await create({ name: 'shop' })).body
  const lastUsed = async () => {
    await use(key)
    return (await listed())[0]?.last_used_at
  }
  assert.equal(await lastUsed(), NOW)
  assert.equal((await listed())[0]?.last_used_from, '127.0.0.1')
  clock.advance(MINUTE - SECOND)
  assert.equal(await lastUsed(), NOW)
  clock.advance(SECOND)
  assert.equal(await lastUsed(), '2026-06-10T08:01:00.000Z')
})

test('a superadmin makes keys for any company, an admin only for their own', async (t) => {
  const { superadmin, create, listed } = await begin(t)
  assert.equal((await create({ name: 'theirs' }, { company: '1' })).body.code, 'unknown_company')
  assert.equal((await create({ name: 'nobody' }, { company: '9' }, superadmin)).body.code, 'unknown_company')
  assert.equal((await create({ name: 'ours' }, { company: '2' }, superadmin)).status, 201)
  assert.equal((await create({ name: 'its own' }, undefined, superadmin)).status, 201)
  const named = (keys: Awaited<ReturnType<typeof listed>>) =>
    keys.map(({ company_id, name }) => `${company_id} ${name}`)
  assert.deepEqual(named(await listed()), ['2 ours'])
  assert.deepEqual(named(await listed(superadmin)), ['1 its own', '2 ours'])
})
