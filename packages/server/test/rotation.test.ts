import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import * as apiKeys from '@sdd/contract/accounts/api-keys.ts'
import { listAudit } from '@sdd/contract/accounts/audit.ts'
import * as callbacks from '@sdd/contract/outward/callbacks.ts'
import { readMessage } from '@sdd/contract/insight/log.ts'
import { createTasks, listTasks } from '@sdd/contract/tasks/tasks.ts'
import { Webhook } from 'standardwebhooks'
import { openCompany } from './callback-company.ts'
import { HOUR, MINUTE, SECOND, testClock } from './clock.ts'
import { eventually } from './device.ts'
import { withTables } from './engine.ts'
import type { Received } from './receiver.ts'
import { enter, newUser } from './seeds.ts'
import { ADMIN, call, startServer } from './server.ts'

const NOW = '2026-06-10T08:00:00.000Z'
const hours = (count: number) => new Date(Date.parse(NOW) + count * HOUR).toISOString()

/** A company with an admin and an API key, and a stopped clock. */
async function begin(t: TestContext, folder?: string) {
  const clock = testClock(NOW)
  const server = await startServer({
    clock,
    settings: { CALLBACK_ADDRESSES: 'any' },
    ...(folder && { folder }),
  })
  t.after(() => server.stop())
  const superadmin = (await enter(server, ADMIN.username, ADMIN.password)).token
  const admin = await newUser(server, superadmin, { role: 'admin', companyId: 2 })
  let { token } = admin
  const make = async (body: object = {}) =>
    (await call(server, apiKeys.createApiKey, { token, body: { name: 'shop', ...body } })).body
  return {
    clock,
    server,
    admin,
    make,
    made: await make(),
    rotate: (id: number, body: object = {}) =>
      call(server, apiKeys.rotateApiKey, { token, params: { id }, body }),
    endPrevious: (id: number) => call(server, apiKeys.endPreviousKey, { token, params: { id } }),
    revoke: (id: number) => call(server, apiKeys.revokeApiKey, { token, params: { id } }),
    listed: async () => (await call(server, apiKeys.listApiKeys, { token })).body.api_keys,
    audit: async () => (await call(server, listAudit, { token })).body.entries,
    /** The answers that these keys get. */
    open: (...keys: string[]) =>
      Promise.all(keys.map(async (key) => (await call(server, listTasks, { token: key })).status)),
    /** Advances the clock; this outlasts the session. */
    async later(ms: number) {
      clock.advance(ms)
      token = (await enter(server, admin.name)).token
    },
  }
}

test('a rotated key and its predecessor both work until the overlap ends, and then only the new one', async (t) => {
  const { made, rotate, listed, open, later, clock, admin } = await begin(t)
  assert.deepEqual(await open(made.key), [200])
  const before = (await listed())[0]!
  assert.equal(before.previous_until, null)
  const { status, body } = await rotate(made.id)
  assert.equal(status, 200)
  const { key, webhook_secret, ...record } = body
  assert.match(key, /^sdk_[A-Za-z0-9_-]{43}$/)
  assert.match(webhook_secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  assert.notEqual(key, made.key)
  assert.notEqual(webhook_secret, made.webhook_secret)
  assert.deepEqual(record, { ...before, hint: key.slice(0, 8), previous_until: hours(24), by: admin.name })
  assert.deepEqual(await listed(), [record])
  assert.deepEqual(await open(made.key, key), [200, 200])

  await later(24 * HOUR - 1)
  assert.deepEqual(await open(made.key, key), [200, 200])
  clock.advance(1)
  assert.deepEqual(await open(made.key, key), [401, 200])
  assert.equal((await listed())[0]!.previous_until, null)
})

test('the overlap is 0 to 168 hours; with 0 the previous key is dead at once', async (t) => {
  const { made, rotate, open } = await begin(t)
  for (const overlap_hours of [-1, 169, 0.5, '24', null]) {
    const { status, body } = await rotate(made.id, { overlap_hours })
    assert.deepEqual([status, Object.keys(body.fields ?? {})], [422, ['overlap_hours']], `${overlap_hours}`)
  }
  assert.deepEqual(await open(made.key), [200])
  const { body } = await rotate(made.id, { overlap_hours: 0 })
  assert.equal(body.previous_until, null)
  assert.deepEqual(await open(made.key, body.key), [401, 200])
  assert.equal((await rotate(made.id, { overlap_hours: 168 })).body.previous_until, hours(168))
})

test('a rotation during an overlap ends the older key at once', async (t) => {
  const { made, rotate, open } = await begin(t)
  const second = (await rotate(made.id)).body.key
  const third = (await rotate(made.id, { overlap_hours: 1 })).body.key
  assert.deepEqual(await open(made.key, second, third), [401, 200, 200])
})

test('ending an overlap early keeps the new key working', async (t) => {
  const { made, rotate, endPrevious, listed, open } = await begin(t)
  const { key } = (await rotate(made.id)).body
  assert.deepEqual(await open(made.key, key), [200, 200])
  assert.equal((await endPrevious(made.id)).status, 204)
  assert.deepEqual(await open(made.key, key), [401, 200])
  assert.equal((await listed())[0]!.previous_until, null)
  assert.equal((await endPrevious(made.id)).status, 204)
})

test('revoking a key also ends its predecessor', async (t) => {
  const { made, rotate, endPrevious, revoke, open } = await begin(t)
  const { key } = (await rotate(made.id)).body
  assert.deepEqual(await open(made.key, key), [200, 200])
  assert.equal((await revoke(made.id)).status, 204)
  assert.deepEqual(await open(made.key, key), [401, 401])
  for (const again of [rotate, endPrevious]) assert.equal((await again(made.id)).body.code, 'unknown_api_key')
})

test('no overlap outlasts the key, and an expired key cannot be rotated', async (t) => {
  const { make, rotate, clock, open } = await begin(t)
  const { id, key } = await make({ name: 'short', expires_at: hours(2) })
  const { body } = await rotate(id)
  assert.deepEqual([body.previous_until, body.expires_at], [hours(2), hours(2)])
  clock.advance(2 * HOUR)
  assert.deepEqual(await open(key, body.key), [401, 401])
  assert.equal((await rotate(id)).body.code, 'unknown_api_key')
})

test('a key keeps its name, maker and tasks through a rotation, which is audited', async (t) => {
  const { server, made, rotate, endPrevious, listed, audit, admin, open } = await begin(t)
  const { key } = (await rotate(made.id)).body
  for (const [guid, token] of [
    ['by-the-old', made.key],
    ['by-the-new', key],
  ] as const) {
    const body = { guid, to_number: '600111222', text: 'hola' }
    assert.equal((await call(server, createTasks, { token, body })).status, 202)
    const record = await call(server, readMessage, { token: admin.token, params: { guid } })
    assert.equal(record.body.queued_by, 'shop')
  }
  assert.deepEqual(
    (await listed()).map(({ id, name, by, created_by }) => ({ id, name, by, created_by })),
    [{ id: made.id, name: 'shop', by: admin.name, created_by: admin.name }],
  )
  await endPrevious(made.id)
  await endPrevious(made.id)
  await rotate(made.id, { overlap_hours: 0 })
  assert.deepEqual(await open(key), [401])
  const key_changed = { from: null, to: 'changed' }
  const until = hours(24)
  const entries = (await audit()).slice(0, 3)
  for (const { by, address, name } of entries)
    assert.deepEqual([by, address, name], [admin.name, '127.0.0.1', 'shop'])
  assert.deepEqual(
    entries.map(({ action, changes }) => [action, changes]),
    [
      ['api_key.rotated', { key: key_changed }],
      ['api_key.previous_ended', { previous_until: { from: until, to: null } }],
      ['api_key.rotated', { key: key_changed, previous_until: { from: null, to: until } }],
    ],
  )
})

/** The positions of the secrets that signed it, in the order of the signatures. */
function signers({ text, headers }: Received, secrets: readonly string[]): number[] {
  const [id, at] = [headers['webhook-id']!, new Date(Number(headers['webhook-timestamp']) * SECOND)]
  const signed = secrets.map((secret) => new Webhook(secret).sign(id, at, text))
  return headers['webhook-signature']!.split(' ').map((signature) => signed.indexOf(signature))
}

/** A company with a webhook, and its callbacks. */
async function beginWebhook(t: TestContext) {
  const company = await openCompany(t)
  const { server, token, receiver, expire } = company
  const { body: webhook } = await company.create({ url: `${receiver.url}/hook?token=mine` })
  const params = { id: webhook.id }
  return {
    ...company,
    webhook,
    rotate: (body: object = {}) => call(server, callbacks.rotateWebhook, { token, params, body }),
    endPrevious: () => call(server, callbacks.endPreviousSecret, { token, params }),
    /** The callback of a task that has just ended. */
    async told(guid: string) {
      await expire([guid])
      return eventually(() => receiver.received.find(({ body }) => body.task.guid === guid))
    },
  }
}

test('during an overlap a webhook’s callbacks are signed with both secrets, and then only with the new one', async (t) => {
  const { webhook, rotate, told, later, webhooks, clock } = await beginWebhook(t)
  const { webhook_secret: first, ...record } = webhook
  const { status, body } = await rotate({ overlap_hours: 1 })
  assert.equal(status, 200)
  const { webhook_secret: second, ...rotated } = body
  const previous_until = new Date(clock.now() + HOUR).toISOString()
  assert.deepEqual(rotated, { ...record, previous_until })
  assert.deepEqual(await webhooks(), [rotated])
  assert.deepEqual(signers(await told('both'), [second, first]), [0, 1])
  await later(HOUR - 3 * MINUTE)
  assert.deepEqual(signers(await told('just-before'), [second, first]), [0, 1])
  assert.deepEqual(signers(await told('after'), [second, first]), [0])
  assert.equal((await webhooks())[0]!.previous_until, null)
})

test('the older secret of a webhook ends with the next rotation, with 0 hours, or when it is ended early', async (t) => {
  const { webhook, rotate, endPrevious, told, webhooks, server, token } = await beginWebhook(t)
  const secrets = [webhook.webhook_secret]
  const again = async (body?: object) => void secrets.push((await rotate(body)).body.webhook_secret)
  await again()
  await again()
  assert.deepEqual(signers(await told('a-second-rotation'), secrets), [2, 1])
  assert.equal((await endPrevious()).status, 204)
  assert.deepEqual(signers(await told('ended-early'), secrets), [2])
  assert.equal((await webhooks())[0]!.previous_until, null)
  await again({ overlap_hours: 0 })
  assert.deepEqual(signers(await told('without-an-overlap'), secrets), [3])
  const { entries } = (await call(server, listAudit, { token, query: { subject: 'webhook' } })).body
  assert.deepEqual(
    entries.map(({ action, name }) => [action, name]),
    ['rotated', 'previous_ended', 'rotated', 'rotated', 'created'].map((what) => [
      `webhook.${what}`,
      webhook.url.replace(/\?.*/, ''),
    ]),
  )
})

test('neither a removed nor an unknown webhook can be rotated', async (t) => {
  const { rotate, endPrevious, remove, webhook } = await beginWebhook(t)
  assert.equal((await rotate({ overlap_hours: 169 })).status, 422)
  await remove(webhook.id)
  for (const again of [rotate, endPrevious]) assert.equal((await again()).body.code, 'unknown_webhook')
})

test('the callbacks of a key’s tasks are signed with both of its secrets during an overlap', async (t) => {
  const { server, token, receiver, expire, later, webhook_secret: first } = await openCompany(t)
  const { id } = (await call(server, apiKeys.listApiKeys, { token })).body.api_keys[0]!
  const { body } = await call(server, apiKeys.rotateApiKey, { token, params: { id }, body: {} })
  const told = async (guid: string, key?: string) => {
    await expire([guid], { callback_url: receiver.url }, key)
    return eventually(() => receiver.received.find((one) => one.body.task.guid === guid))
  }
  // Submitted with the previous key.
  assert.deepEqual(signers(await told('both'), [body.webhook_secret, first]), [0, 1])
  await later(24 * HOUR)
  assert.deepEqual(signers(await told('after', body.key), [body.webhook_secret, first]), [0])
})

test('secrets of ended overlaps are removed from the database', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sdd-rotation-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const { server, made, make, rotate, clock, admin } = await begin(t, folder)
  const longer = await make({ name: 'longer' })
  await rotate(made.id, { overlap_hours: 1 })
  await rotate(longer.id, { overlap_hours: 2 })
  const { token } = admin
  const hook = await call(server, callbacks.createWebhook, { token, body: { url: 'https://192.0.2.1/' } })
  const params = { id: hook.body.id }
  await call(server, callbacks.rotateWebhook, { token, params, body: { overlap_hours: 1 } })
  await server.stop()
  const kept = () =>
    withTables({ folder }, ({ all }) =>
      all(`select name, previous_key_hash is not null and previous_webhook_secret is not null as kept
        from api_keys where previous_until is not null
        union all select url, previous_secret is not null from webhooks where previous_until is not null`),
    )
  assert.equal((await kept()).length, 3)
  clock.advance(HOUR)
  const again = await startServer({ clock, folder })
  t.after(() => again.stop())
  await eventually(async () => (await kept()).length === 1)
  assert.deepEqual(
    (await kept()).map(({ name, kept }) => [name, Boolean(kept)]),
    [['longer', true]],
  )
})
