import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { CALLBACK_DELAYS_MS } from '@sdd/contract/callbacks.ts'
import { Webhook } from 'standardwebhooks'
import { repeatCallback } from '#server/callbacks/callbacks.ts'
import { createCompany } from '#server/companies/companies.ts'
import type { Database } from '#server/database/open.ts'
import { anywhere, openBench } from './callback-bench.ts'
import { eventually } from './device.ts'
import { type Answer, type Received, startReceiver } from './receiver.ts'

async function begin(t: TestContext, answer?: Answer) {
  const bench = await openBench(t)
  const receiver = await startReceiver(answer)
  t.after(() => receiver.stop())
  return { ...bench, receiver, until: (count: number) => received(receiver, count) }
}

/** What a receiver has been told, as soon as it is so much. */
function received(receiver: { received: Received[] }, count: number): Promise<Received[]> {
  return eventually(() => receiver.received.length >= count && receiver.received)
}

const told = ({ body }: Received) => `${body.task.guid} ${body.type}`
const refuse: Answer = (_, response) => response.writeHead(503).end()
const hang: Answer = () => {}
/** Long enough for the loop to have done what it must not do. */
const A_WHILE_MS = 350

test('a task is told of at each of its states, in their order, signed with the secret of its key', async (t) => {
  const { task, end, deliver, until, secret, callbacks, company_id, receiver } = await begin(t)
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
    created_at: at,
    device_guid_assigned: null,
    assigned_at: null,
    completed_at: at,
    discarded_at: null,
    state: 'completed',
    expires_at: seen.expires_at,
    attempts: 0,
    error_msg: null,
    delivery_at: null,
    reply: null,
    reply_at: null,
    waiting_for: null,
  })
  await eventually(async () => (await callbacks()).every(({ state }) => state === 'delivered'))
})

test('only what a task comes to is told, and each state once', async (t) => {
  const { task, end, callbacks } = await begin(t)
  await task('all', 'http://a.example/')
  for (const state of ['failed', 'failed', 'uncertain', 'sent', 'sent', 'expired', 'cancelled'] as const)
    await end('all', state)
  await task('silent', 'http://a.example/', { silent: 1 })
  await task('console', 'http://a.example/', { task: 0 })
  await task('nobody', null)
  for (const guid of ['silent', 'console', 'nobody']) await end(guid, 'sent')
  await task('again', 'http://a.example/')
  await end('again', 'queued', { step: 'waiting', completed_at: null, error: 'no_network' })
  await end('again', 'handed', { step: 'given', completed_at: null })
  assert.deepEqual(
    (await callbacks()).map(({ guid, type }) => `${guid} ${type}`),
    ['all task.failed', 'all task.uncertain', 'all task.sent', 'all task.expired'],
  )
})

test('each webhook hears what it wants to, of all tasks of its company, signed with its own secret', async (t) => {
  const { task, end, webhook, deliver, until, receiver, db } = await begin(t)
  const all = await webhook(`${receiver.url}/all`, ['task.sent', 'task.failed'])
  await webhook(`${receiver.url}/failed`, ['task.failed'])
  await webhook(`${receiver.url}/removed`, ['task.sent'], { removed_at: '2026-06-10T08:00:00.000Z' })
  const company_id = await db.write((tx) => createCompany(tx, 'Other', '2026-06-10T08:00:00.000Z'))
  await task('ours', `${receiver.url}/own`)
  await task('theirs', null, { company_id, api_key_id: null })
  await end('ours', 'sent')
  await end('theirs', 'failed')
  deliver()
  const posts = await until(2)
  await wait(A_WHILE_MS)
  assert.deepEqual(posts.map(({ path }) => path).sort(), ['/all', '/own'])
  const { text, headers } = posts.find(({ path }) => path === '/all')!
  assert.deepEqual(new Webhook(all.secret).verify(text, headers), JSON.parse(text))
})

test('what fails is tried again after 5 s, 30 s, 2 min, 10 min, 1 h, 6 h and 24 h, then it is dead', async (t) => {
  const { task, end, deliver, until, advance, clock, secret, callbacks, receiver } = await begin(t, refuse)
  await task('order', receiver.url)
  await end('order', 'sent')
  const { figures } = deliver()
  for (const [tries, delay_ms] of CALLBACK_DELAYS_MS.entries()) {
    await until(tries + 1)
    const [row] = await eventually(async () => {
      const rows = await callbacks()
      return rows[0]!.tries === tries + 1 && rows
    })
    const due_at = new Date(clock.now() + delay_ms).toISOString()
    assert.deepEqual(
      [row!.state, row!.due_at, row!.last_status, row!.last_error, row!.last_tried_at],
      ['waiting', due_at, 503, null, new Date(clock.now()).toISOString()],
    )
    advance(delay_ms - 1)
    await wait(A_WHILE_MS)
    assert.equal(receiver.received.length, tries + 1, `${delay_ms} ms are not over`)
    advance(1)
  }
  const all = await until(8)
  const [row] = await eventually(async () => {
    const rows = await callbacks()
    return rows[0]!.state === 'dead' && rows
  })
  assert.deepEqual([row!.tries, row!.due_at, row!.delivered_at], [8, null, null])
  assert.deepEqual(new Set(all.map(({ headers }) => headers['webhook-id'])), new Set([row!.webhook_id]))
  assert.equal(new Set(all.map(({ headers }) => headers['webhook-timestamp'])).size, 8)
  for (const { text, headers } of all) {
    const at = new Date(Number(headers['webhook-timestamp']) * 1000)
    assert.equal(headers['webhook-signature'], new Webhook(secret).sign(row!.webhook_id, at, text))
  }
  advance(30 * 86_400_000)
  await wait(A_WHILE_MS)
  assert.equal(receiver.received.length, 8)
  const { values } = await figures.callbackTries.get()
  assert.deepEqual(
    values.map(({ labels, value }) => [labels.outcome, value]),
    [
      ['failed', 7],
      ['dead', 1],
    ],
  )
})

test('what came later of a task waits for what came earlier, and nothing else does', async (t) => {
  const { task, end, deliver, until, advance, callbacks, receiver } = await begin(t, (one, response) =>
    response.writeHead(one.body.task.guid === 'stuck' && one.body.type === 'task.sent' ? 500 : 204).end(),
  )
  for (const guid of ['stuck', 'other']) {
    await task(guid, receiver.url)
    for (const state of ['sent', 'delivered'] as const) await end(guid, state)
  }
  deliver()
  await until(3)
  await wait(A_WHILE_MS)
  assert.deepEqual(receiver.received.map(told).sort(), [
    'other task.delivered',
    'other task.sent',
    'stuck task.sent',
  ])
  const behind = (await callbacks()).find(({ guid, type }) => guid === 'stuck' && type === 'task.delivered')
  assert.deepEqual([behind!.state, behind!.due_at, behind!.tries], ['waiting', null, 0])
  // What comes while it waits goes behind it, too.
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

test('what is sent again goes before what comes later of its task', async (t) => {
  const { task, end, deliver, until, callbacks, receiver, ...needs } = await begin(t, ({ body }, response) =>
    response.writeHead(body.type === 'task.sent' ? 204 : 500).end(),
  )
  await task('order', receiver.url)
  for (const state of ['sent', 'delivered'] as const) await end('order', state)
  deliver()
  const [sent] = await eventually(async () => {
    const rows = await callbacks()
    return rows[1]!.tries === 1 && rows
  })
  receiver.answer = hang
  const again = await repeatCallback(needs, 'all', sent!.id)
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
  await assert.rejects(repeatCallback(needs, { company_id: 999 }, sent!.id), { code: 'unknown_callback' })
})

test('410 Gone is the end of a callback, and the next of its task goes', async (t) => {
  const { task, end, deliver, until, callbacks, receiver } = await begin(t, (_, response) =>
    response.writeHead(410).end(),
  )
  await task('order', receiver.url)
  for (const state of ['sent', 'delivered'] as const) await end('order', state)
  deliver()
  assert.deepEqual((await until(2)).map(told), ['order task.sent', 'order task.delivered'])
  const rows = await eventually(async () => {
    const rows = await callbacks()
    return rows.every(({ state }) => state === 'dead') && rows
  })
  assert.deepEqual(rows[0]!.last_error, 'It answered 410 Gone: it wants no more.')
})

test('a receiver that hangs has eight of its callbacks at once, and holds up nobody else', async (t) => {
  const { task, end, deliver, until, receiver } = await begin(t)
  const slow = await startReceiver(hang)
  t.after(() => slow.stop())
  for (let n = 0; n < 100; n++) {
    await task(`slow-${n}`, slow.url)
    await end(`slow-${n}`, 'sent')
  }
  for (let n = 0; n < 50; n++) {
    await task(`quick-${n}`, receiver.url)
    await end(`quick-${n}`, 'sent')
  }
  // Cut at the end, for the test not to wait for the slow one.
  const posting = anywhere()
  t.after(() => posting.close())
  deliver({ posting })
  const quick = await until(50)
  assert.equal(new Set(quick.map(told)).size, 50)
  assert.ok(receiver.connections <= 8, `${receiver.connections} connections`)
  assert.equal(slow.received.length, 8)
  posting.close()
})

test('a receiver that fails is called by one at a time until one goes well', async (t) => {
  let open = 0
  const atOnce: number[] = []
  const answer: Answer = async (_, response) => {
    const place = atOnce.push(++open)
    await wait(5)
    open--
    response.writeHead(place < 20 ? 500 : 204).end()
  }
  const { task, end, deliver, until, callbacks, receiver } = await begin(t, answer)
  await task('first', receiver.url)
  await end('first', 'sent')
  deliver()
  await eventually(async () => (await callbacks())[0]!.tries === 1)
  for (let n = 0; n < 60; n++) {
    await task(`task-${n}`, receiver.url)
    await end(`task-${n}`, 'sent')
  }
  await until(61)
  assert.deepEqual(new Set(atOnce.slice(0, 20)), new Set([1]))
  const most = Math.max(...atOnce)
  assert.ok(most > 1 && most <= 8, `${most} at once`)
})

test('a try that a crash cuts is made again, with the same id', async (t) => {
  const { task, end, deliver, until, callbacks, receiver } = await begin(t, hang)
  await task('order', receiver.url)
  await end('order', 'sent')
  const posting = anywhere()
  const first = deliver({ posting })
  await until(1)
  posting.close()
  await first.stop()
  assert.deepEqual(
    (await callbacks()).map(({ state, tries }) => [state, tries]),
    [['waiting', 0]],
  )
  receiver.answer = (_, response) => response.writeHead(204).end()
  deliver()
  const [one, again] = await until(2)
  assert.equal(one!.headers['webhook-id'], again!.headers['webhook-id'])
  assert.equal(one!.text, again!.text)
})

test('a stop waits for what is under way, and writes down what came of it', async (t) => {
  const { task, end, deliver, until, callbacks, receiver } = await begin(t, async (_, response) => {
    await wait(300)
    response.writeHead(204).end()
  })
  await task('order', receiver.url)
  await end('order', 'sent')
  const delivery = deliver()
  await until(1)
  await delivery.stop()
  assert.deepEqual(
    (await callbacks()).map(({ state, tries }) => [state, tries]),
    [['delivered', 1]],
  )
})

test('a stop leaves what hangs to the next start', async (t) => {
  const { task, end, deliver, until, callbacks, receiver } = await begin(t, hang)
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

test('while nothing can be written, what was delivered is not posted again', async (t) => {
  let full = false
  const { task, end, deliver, until, callbacks, receiver, db } = await begin(t, (_, response) => {
    full = true
    response.writeHead(204).end()
  })
  await task('order', receiver.url)
  await end('order', 'sent')
  const filling: Database = {
    ...db,
    write: (work) => (full ? Promise.reject(new Error('full')) : db.write(work)),
  }
  deliver({ db: filling })
  await until(1)
  await wait(A_WHILE_MS)
  assert.equal(receiver.received.length, 1)
  full = false
  await eventually(async () => (await callbacks())[0]!.state === 'delivered')
  assert.equal(receiver.received.length, 1)
})

test('what no secret can sign is dead, and says so', async (t) => {
  const { task, end, deliver, callbacks, receiver } = await begin(t)
  await task('order', receiver.url, { api_key_id: null })
  await end('order', 'sent')
  deliver()
  const [row] = await eventually(async () => {
    const rows = await callbacks()
    return rows[0]!.state === 'dead' && rows
  })
  assert.match(row!.last_error!, /^No API key handed the task in/)
  assert.equal(receiver.received.length, 0)
})

test('browsers hear of new callbacks, and of what comes of them', async (t) => {
  const { task, end, deliver, until, changed, company_id, receiver } = await begin(t)
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
