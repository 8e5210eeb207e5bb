import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { repeatCallback } from '#server/outward/callbacks/callbacks.ts'
import { instant } from '#server/core/clock.ts'
import { createCompany } from '#server/accounts/companies/companies.ts'
import type { Database } from '#server/database/open.ts'
import { openReceiving, told } from './callback-bench.ts'
import { eventually } from './device.ts'
import { SUPERADMIN } from './model/world.ts'
import type { Answer } from './receiver.ts'

const hang: Answer = () => {}
test('a task has a callback for each of its states, in their order, signed with its key’s secret', async (t) => {
  const { task, end, deliver, until, secret, callbacks, company_id, receiver } = await openReceiving(t)
  await task('order-1', `${receiver.url}/hook?shop=1`, { from_number: '+34611', sent_stamp: 'noon' })
  for (const state of ['sent', 'delivered', 'replied'] as const) await end('order-1', state)
  deliver()
  const all = await until(3)
  assert.deepEqual(
    all.map(told),
    ['task.sent', 'task.delivered', 'task.replied'].map((type) => `order-1 ${type}`),
  )
  for (const { text, headers, method, path } of all) {
    assert.deepEqual([method, path, headers['content-type']], ['POST', '/hook?shop=1', 'application/json'])
    assert.match(headers['webhook-id']!, /^msg_[\w-]{24}$/)
    assert.deepEqual(new Webhook(secret).verify(text, headers), JSON.parse(text))
  }
  assert.equal(new Set(all.map(({ headers }) => headers['webhook-id'])).size, 3)
  const { at, task: seen } = all[0]!.body
  assert.deepEqual(seen, {
    company_id,
    guid: 'order-1',
    from_number: '+34611',
    to_number: '+34600111222',
    text: 'text',
    sent_stamp: 'noon',
    silent: false,
    class: 'transactional',
    created_at: at,
    device_guid_assigned: null,
    assigned_at: null,
    completed_at: at,
    discarded_at: null,
    state: 'completed',
    expires_at: seen.expires_at,
    attempts: 0,
    error_msg: null,
    error_msg_code: null,
    error_msg_params: null,
    delivery_at: null,
    reply: null,
    reply_at: null,
    waiting_for: null,
    waiting_code: null,
    waiting_params: null,
  })
  await eventually(async () => (await callbacks()).every(({ state }) => state === 'delivered'))
})

test('only states that a task reaches are called back, and each once', async (t) => {
  const { task, give, end, callbacks, clock } = await openReceiving(t)
  await task('all', 'http://a.example/')
  for (const state of ['failed', 'failed', 'uncertain', 'sent', 'sent', 'expired', 'cancelled'] as const)
    await end('all', state)
  await task('silent', 'http://a.example/', { silent: 1 })
  await task('console', 'http://a.example/', { task: 0 })
  await task('nobody', null)
  for (const guid of ['silent', 'console', 'nobody']) await end(guid, 'sent')
  await task('again', 'http://a.example/')
  await give('again')
  const due_at = instant(clock.now())
  await end('again', 'queued', { step: 'waiting', completed_at: null, due_at, attempt_state: null })
  await give('again')
  await end('again', 'handed', { step: 'given', completed_at: null, handed_timestamp: due_at })
  assert.deepEqual(
    (await callbacks()).map(({ guid, type }) => `${guid} ${type}`),
    ['all task.failed', 'all task.uncertain', 'all task.sent', 'all task.expired'],
  )
})

test('each webhook gets its chosen states of all tasks of its company, signed with its own secret', async (t) => {
  const { task, end, webhook, deliver, callbacks, receiver, db } = await openReceiving(t)
  const all = await webhook(`${receiver.url}/all`, ['task.sent', 'task.failed'])
  await webhook(`${receiver.url}/failed`, ['task.failed'])
  await webhook(`${receiver.url}/removed`, ['task.sent'], { removed_at: '2026-06-10T08:00:00.000Z' })
  const company_id = await db.write((tx) => createCompany(tx, 'Other', '2026-06-10T08:00:00.000Z'))
  await task('ours', `${receiver.url}/own`)
  await task('theirs', null, { company_id, api_key_id: null })
  await end('ours', 'sent')
  await end('theirs', 'failed')
  deliver()
  // No stored callback is left to post.
  await eventually(async () => (await callbacks()).every(({ state }) => state === 'delivered'))
  const posts = receiver.received
  assert.deepEqual(posts.map(({ path }) => path).sort(), ['/all', '/own'])
  const { text, headers } = posts.find(({ path }) => path === '/all')!
  assert.deepEqual(new Webhook(all.secret).verify(text, headers), JSON.parse(text))
})

test('later callbacks of a task wait for earlier ones, and no others do', async (t) => {
  const { task, end, deliver, until, advance, callbacks, receiver, passRound } = await openReceiving(
    t,
    (one, response) =>
      response.writeHead(one.body.task.guid === 'stuck' && one.body.type === 'task.sent' ? 500 : 204).end(),
  )
  for (const guid of ['stuck', 'other']) {
    await task(guid, receiver.url)
    for (const state of ['sent', 'delivered'] as const) await end(guid, state)
  }
  deliver()
  await until(3)
  await eventually(async () => (await callbacks())[0]!.tries === 1)
  await passRound()
  assert.deepEqual(receiver.received.map(told).sort(), [
    'other task.delivered',
    'other task.sent',
    'stuck task.sent',
  ])
  const behind = (await callbacks()).find(({ guid, type }) => guid === 'stuck' && type === 'task.delivered')
  assert.deepEqual([behind!.state, behind!.due_at, behind!.tries], ['waiting', null, 0])
  // Callbacks that are added meanwhile queue up behind it.
  await end('stuck', 'replied')
  receiver.answer = (_, response) => response.writeHead(204).end()
  advance(5_000)
  await until(6)
  assert.deepEqual(receiver.received.slice(3).map(told), [
    'stuck task.sent',
    'stuck task.delivered',
    'stuck task.replied',
  ])
})

test('a callback that is sent again goes before later ones of its task', async (t) => {
  const { task, end, deliver, until, callbacks, receiver, ...needs } = await openReceiving(
    t,
    ({ body }, response) => response.writeHead(body.type === 'task.sent' ? 204 : 500).end(),
  )
  await task('order', receiver.url)
  for (const state of ['sent', 'delivered'] as const) await end('order', state)
  deliver()
  const [sent] = await eventually(async () => {
    const rows = await callbacks()
    return rows[1]!.tries === 1 && rows
  })
  receiver.answer = hang
  const again = await repeatCallback(needs, SUPERADMIN, sent!.id)
  assert.deepEqual([again.state, again.tries], ['waiting', 1])
  const [, , repeated] = await until(3)
  assert.equal(repeated!.headers['webhook-id'], sent!.webhook_id)
  assert.deepEqual(
    (await callbacks()).map(({ state, due_at }) => [state, due_at === null]),
    [
      ['waiting', false],
      ['waiting', true],
    ],
  )
  await assert.rejects(repeatCallback(needs, { ...SUPERADMIN, scope: { company_id: 999 } }, sent!.id), {
    code: 'unknown_callback',
  })
})

test('stopping waits for callbacks under way and stores their outcomes', async (t) => {
  const stopping = Promise.withResolvers<void>()
  const { task, end, deliver, until, callbacks, receiver } = await openReceiving(t, async (_, response) => {
    await stopping.promise
    response.writeHead(204).end()
  })
  await task('order', receiver.url)
  await end('order', 'sent')
  const delivery = deliver()
  await until(1)
  const stopped = delivery.stop()
  stopping.resolve()
  await stopped
  assert.deepEqual(
    (await callbacks()).map(({ state, tries }) => [state, tries]),
    [['delivered', 1]],
  )
})

test('stopping leaves a hanging callback to the next start', async (t) => {
  const { task, end, deliver, until, callbacks, receiver } = await openReceiving(t, hang)
  await task('order', receiver.url)
  await end('order', 'sent')
  const first = deliver()
  await until(1)
  await first.stop()
  const [row] = await callbacks()
  assert.deepEqual([row!.state, row!.tries, row!.due_at], ['waiting', 0, row!.created_at])
  receiver.answer = (_, response) => response.writeHead(204).end()
  deliver()
  await until(2)
  await eventually(async () => (await callbacks())[0]!.state === 'delivered')
})

test('while the database cannot be written, delivered callbacks are not posted again', async (t) => {
  let full = false
  const { task, end, deliver, until, callbacks, receiver, db } = await openReceiving(t, (_, response) => {
    full = true
    response.writeHead(204).end()
  })
  await task('order', receiver.url)
  await end('order', 'sent')
  let refused = 0
  const filling: Database = {
    ...db,
    write: (work) => (full ? Promise.reject(new Error(`full, ${++refused}`)) : db.write(work)),
  }
  deliver({ db: filling })
  await until(1)
  await eventually(() => refused >= 3)
  assert.equal(receiver.received.length, 1)
  full = false
  await eventually(async () => (await callbacks())[0]!.state === 'delivered')
  assert.equal(receiver.received.length, 1)
})

test('browsers hear of new callbacks and of their outcomes', async (t) => {
  const { task, end, deliver, until, changed, company_id, receiver } = await openReceiving(t)
  await task('order', receiver.url)
  await end('order', 'sent')
  deliver()
  await until(1)
  await eventually(() => changed.length > 0)
  changed.length = 0
  receiver.answer = hang
  await task('next', receiver.url)
  await end('next', 'sent')
  await eventually(() => changed.length > 0)
  assert.deepEqual(new Set(changed), new Set([`${company_id} callbacks`]))
})
