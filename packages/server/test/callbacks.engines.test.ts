import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createApiKey } from '@sdd/contract/accounts/api-keys.ts'
import { listAudit } from '@sdd/contract/accounts/audit.ts'
import * as contract from '@sdd/contract/outward/callbacks.ts'
import type { TaskReceipt } from '@sdd/contract/tasks/tasks.ts'
import { Webhook } from 'standardwebhooks'
import { openCompany } from './callback-company.ts'
import { HOUR, MINUTE, SECOND } from './clock.ts'
import { connectDevice, eventually, linkTestDevice } from './device.ts'
import type { Answer } from './receiver.ts'
import { newUser } from './seeds.ts'
import { call } from './server.ts'

const gone: Answer = (_, response) => response.writeHead(410).end()
const refuse: Answer = (_, response) => response.writeHead(500).end()
const take: Answer = (_, response) => response.writeHead(204).end()

test('a task from another system calls back, signed with the secret of its API key', async (t) => {
  const { expire, receiver, webhook_secret, until } = await openCompany(t)
  await expire(['order-1'], { callback_url: `${receiver.url}/hook` })
  const [callback] = await until('delivered')
  const [{ text, headers, body }] = receiver.received as [(typeof receiver.received)[0]]
  assert.deepEqual(new Webhook(webhook_secret).verify(text, headers), body)
  assert.deepEqual([body.type, body.task.guid, body.task.state], ['task.expired', 'order-1', 'expired'])
  assert.deepEqual(contract.CallbackBody.parse(body), body)
  const { id, company_id, created_at, last_tried_at, delivered_at, ...rest } = callback!
  assert.deepEqual([company_id, created_at], [2, body.at])
  assert.ok(id > 0 && last_tried_at !== null && delivered_at !== null)
  assert.deepEqual(rest, {
    webhook_id: headers['webhook-id'],
    type: 'task.expired',
    guid: 'order-1',
    url: `${receiver.url}/hook`,
    state: 'delivered',
    tries: 1,
    last_status: 204,
    last_error: null,
    last_error_code: null,
    last_error_params: null,
    next_try_at: null,
  })
})

test('a device’s reports about a task are called back in order, the end of all retries included, but no single retry', async (t) => {
  const { server, token, submitTasks, receiver, clock } = await openCompany(t)
  const drone = await connectDevice(await linkTestDevice(server, token, 'drone'))
  const task = { to_number: '600111222', text: 'hola', callback_url: receiver.url }
  await submitTasks({ ...task, guid: 'good' })
  await drone.until(1)
  const guid = 'good'
  await drone.report({ guid, state: 'delivered' }, { guid, state: 'sent' }, { guid, state: 'accepted' })
  await drone.publish('inbox', {
    id: '1',
    from: '+34600111222',
    text: 'gracias',
    at: new Date().toISOString(),
  })
  await drone.report({ guid, state: 'delivered' })
  await submitTasks({ ...task, guid: 'bad' })
  for (let attempt = 1; attempt <= 3; attempt++) {
    await eventually(() => drone.commands.length === 1 + attempt)
    await drone.report({ guid: 'bad', attempt, state: 'failed', code: 'no_network' })
    clock.advance(MINUTE)
  }
  await eventually(() => receiver.received.length === 3)
  assert.deepEqual(
    receiver.received.map(({ body: { type, task } }) => [type, task.guid, task.state, task.attempts]),
    [
      ['task.delivered', 'good', 'completed', 1],
      ['task.replied', 'good', 'completed', 1],
      ['task.failed', 'bad', 'failed', 3],
    ],
  )
})

test('a webhook hears of its company’s tasks from its creation on, and its secret is shown once', async (t) => {
  const { server, token, superadmin, create, webhooks, expire, receiver, until } = await openCompany(t)
  await expire(['before'])
  const made = await create({ url: receiver.url })
  assert.equal(made.status, 201)
  const { webhook_secret, ...webhook } = made.body
  assert.match(webhook_secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  assert.deepEqual(await webhooks(), [webhook])
  assert.match(webhook.by!, /^someone /)
  assert.deepEqual(webhook.types, [...contract.usualTypes])
  await create({ url: receiver.url }, superadmin)
  await create({ url: `${receiver.url}/sent`, types: ['task.sent', 'task.sent'] })
  await expire(['after'])
  await until('delivered')
  const [{ text, headers, body }, ...more] = receiver.received as [(typeof receiver.received)[0]]
  assert.deepEqual([body.task.guid, more], ['after', []])
  assert.deepEqual(new Webhook(webhook_secret).verify(text, headers), body)
  const audit = await call(server, listAudit, { token, query: { subject: 'webhook' } })
  assert.deepEqual(
    audit.body.entries.map(({ action, name, changes }) => [action, name, changes.types?.to]),
    [
      ['webhook.created', `${receiver.url}/sent`, ['task.sent']],
      ['webhook.created', receiver.url, [...contract.usualTypes]],
    ],
  )
  assert.ok(!JSON.stringify(audit.body).includes('whsec_'))
})

test('an invalid webhook is refused with its field', async (t) => {
  const { create } = await openCompany(t, { allowed: 'public' })
  const invalid: [Record<string, unknown>, string][] = [
    [{ url: 'ftp://shop.example/' }, 'url'],
    [{ url: 'https://me:secret@shop.example/' }, 'url'],
    [{ url: 'https://192.168.0.1/' }, 'url'],
    [{ url: 'http://localhost:8080/' }, 'url'],
    [{ url: `https://shop.example/${'x'.repeat(2_000)}` }, 'url'],
    [{ url: 'https://1.1.1.1/', types: [] }, 'types'],
    [{ url: 'https://1.1.1.1/', types: ['task.invented'] }, 'types'],
    [{}, 'url'],
  ]
  for (const [body, field] of invalid) {
    const refused = await create(body)
    assert.deepEqual([refused.status, refused.body.code], [422, 'invalid'])
    assert.deepEqual(Object.keys(refused.body.fields!), [field])
  }
  for (let n = 0; n < 20; n++) assert.equal((await create({ url: `https://1.1.1.1/${n}` })).status, 201)
  const tooMany = await create({ url: 'https://1.1.1.1/20' })
  assert.deepEqual(
    [tooMany.status, tooMany.body.fields],
    [422, { url: 'is one too many: a company has 20 webhooks at most' }],
  )
})

test('a removed webhook is not called any more, and its waiting callbacks are given up', async (t) => {
  const { create, remove, webhooks, expire, receiver, listed, until, repeat, later } = await openCompany(t, {
    answer: refuse,
  })
  const { id } = (await create({ url: receiver.url })).body
  const guids = Array.from({ length: 30 }, (_, n) => `task-${n}`)
  await expire(guids)
  await eventually(async () => (await listed()).callbacks.some(({ tries }) => tries > 0))
  assert.equal((await remove(id)).status, 204)
  assert.deepEqual(await webhooks(), [])
  const dead = await until('dead', 30)
  assert.ok(dead.every(({ next_try_at }) => next_try_at === null))
  assert.ok(dead.some(({ last_error }) => last_error === 'The webhook was removed.'))
  const calls = receiver.received.length
  await expire(['later'])
  await later(48 * HOUR)
  assert.deepEqual([(await remove(id)).status, (await remove(id)).body.code], [404, 'unknown_webhook'])
  const again = await repeat(dead[0]!.id)
  assert.deepEqual([again.status, again.body.code], [404, 'unknown_webhook'])
  assert.equal((await listed()).callbacks.length, 30)
  assert.ok(receiver.received.length <= calls + 1, 'one may have been under way')
})

test('a dead letter is counted for its webhook, and on request sent again with the same id', async (t) => {
  const { create, webhooks, expire, receiver, until, repeat, clock, server } = await openCompany(t, {
    answer: gone,
  })
  await create({ url: receiver.url })
  await expire(['order'])
  const [dead] = await until('dead')
  assert.deepEqual([dead!.tries, dead!.last_status, dead!.next_try_at], [1, 410, null])
  assert.deepEqual(
    (await webhooks()).map((webhook) => webhook.dead),
    [1],
  )
  // A try is counted when it is stored, shortly after its row shows it.
  const metrics = await eventually(async () => {
    const text = await (await fetch(`${server.url}/metrics`)).text()
    return /^sdd_callback_tries_total\{outcome="dead"\} 1$/m.test(text) && text
  })
  assert.match(metrics, /^sdd_callbacks\{state="dead"\} 1$/m)
  assert.match(metrics, /^sdd_callbacks\{state="waiting"\} 0$/m)

  receiver.answer = refuse
  const again = await repeat(dead!.id)
  assert.equal(again.status, 202)
  assert.deepEqual([again.body.state, again.body.id, again.body.tries], ['waiting', dead!.id, 1])
  const [waiting] = await eventually(async () => {
    const rows = await until('waiting')
    return rows[0]!.tries === 2 && rows
  })
  assert.equal(
    waiting!.next_try_at,
    new Date(clock.now() + 5 * SECOND).toISOString(),
    'all its tries are new',
  )
  assert.match(await (await fetch(`${server.url}/metrics`)).text(), /^sdd_callbacks_oldest_seconds 0$/m)

  receiver.answer = take
  assert.equal((await repeat(dead!.id)).status, 202)
  const [delivered] = await until('delivered')
  assert.deepEqual([delivered!.tries, delivered!.last_status], [3, 204])
  assert.equal((await repeat(dead!.id)).status, 202, 'a delivered callback may be sent again too')
  await eventually(() => receiver.received.length === 4)
  assert.deepEqual(
    new Set(receiver.received.map(({ headers, text }) => headers['webhook-id'] + text)).size,
    1,
  )
})

test('a dead letter counts for a week', async (t) => {
  const { create, webhooks, expire, receiver, until, later } = await openCompany(t, { answer: gone })
  await create({ url: receiver.url })
  await expire(['order'])
  await until('dead')
  await later(7 * 24 * HOUR - MINUTE)
  assert.deepEqual(
    (await webhooks()).map((webhook) => webhook.dead),
    [1],
  )
  await later(2 * MINUTE)
  assert.deepEqual(
    (await webhooks()).map((webhook) => webhook.dead),
    [0],
  )
})

test('the log of callbacks is paged newest first, and filtered by state and task', async (t) => {
  const { server, superadmin, expire, receiver, until, listed, token } = await openCompany(t, {
    answer: ({ body }, response) => response.writeHead(body.task.guid === 'c' ? 410 : 204).end(),
  })
  const callback_url = receiver.url
  await expire(['a', 'b', 'c', 'd', 'e'], { callback_url })
  await until('delivered', 4)
  await until('dead', 1)
  const theirs = await newUser(server, superadmin, { role: 'admin', companyId: 3 })
  const key = (await call(server, createApiKey, { token: theirs.token, body: { name: 'x' } })).body.key
  await expire(['a'], { callback_url }, key)
  await eventually(async () => (await listed({ state: 'delivered' }, theirs.token)).callbacks.length === 1)

  const pages = async (query: Record<string, string>, as = token) => {
    const guids: string[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const page = await listed({ ...query, limit: '2', ...(cursor && { cursor }) }, as)
      guids.push(page.callbacks.map(({ guid }) => guid).join(''))
      cursor = page.next_cursor
    }
    return guids.join(' ')
  }
  assert.deepEqual([...(await pages({})).replaceAll(' ', '')].sort().join(''), 'abcde')
  assert.equal((await pages({})).split(' ').length, 3)
  assert.deepEqual(
    [await pages({ state: 'dead' }), await pages({ guid: 'a' }), await pages({ guid: 'a', state: 'dead' })],
    ['c', 'a', ''],
  )
  assert.deepEqual(
    [await pages({ state: 'dead' }, superadmin), await pages({ guid: 'a' }, superadmin)],
    ['c', 'aa'],
  )
  assert.equal((await pages({ state: 'delivered' }, superadmin)).replaceAll(' ', '').length, 5)
  const ids = (await listed()).callbacks.map(({ id }) => id)
  assert.deepEqual(
    ids,
    ids.toSorted((a, b) => b - a),
  )
  for (const [name, value] of [
    ['state', 'lost'],
    ['limit', '0'],
    ['cursor', 'x'],
  ] as const) {
    const { status, body } = await call(server, contract.listCallbacks, { token, query: { [name]: value } })
    assert.deepEqual([status, Object.keys(body.fields!)], [422, [name]])
  }
})

test('a task submitted without an API key has no secret to sign with, and no callback_url', async (t) => {
  const { submitTasks, token, receiver } = await openCompany(t)
  const task = { to_number: '600111222', text: 'hola' }
  const refused = await submitTasks({ ...task, callback_url: receiver.url }, token)
  assert.deepEqual([refused.status, Object.keys(refused.body.fields!)], [422, ['callback_url']])
  const { status, body } = await submitTasks(task, token)
  assert.deepEqual([status, (body as TaskReceipt).status], [202, 'received'])
})

test('a webhook is tested with one signed event that is neither stored nor repeated', async (t) => {
  let answer: Answer = take
  const company = await openCompany(t, { answer: (...asked) => answer(...asked) })
  const { server, superadmin, receiver, create, listed, token } = company
  const { id, webhook_secret } = (await create({ url: `${receiver.url}/hook` })).body
  const tested = (as = token) => call(server, contract.testWebhook, { token: as, params: { id } })
  const { body } = await tested()
  const none = { last_error: null, last_error_code: null, last_error_params: null }
  const { took_ms, ...outcome } = body
  assert.ok(took_ms >= 0)
  assert.deepEqual(outcome, { delivered: true, status: 204, ...none })
  const [{ text, headers, body: event }] = receiver.received as [(typeof receiver.received)[0]]
  assert.deepEqual(new Webhook(webhook_secret).verify(text, headers), event)
  const { type, webhook } = event as unknown as { type: string; webhook: number }
  assert.deepEqual([type, webhook], ['webhook.test', id])
  answer = refuse
  const refused = (await tested()).body
  assert.deepEqual([refused.delivered, refused.status], [false, 500])
  assert.deepEqual((await listed()).callbacks, [])
  const theirs = await newUser(server, superadmin, { role: 'admin', companyId: 3 })
  assert.equal((await tested(theirs.token)).body.code, 'unknown_webhook')
})

test('a callback is read with its body and the earlier one that it waits for, and all dead ones are repeated', async (t) => {
  let answer: Answer = gone
  const company = await openCompany(t, { answer: (...asked) => answer(...asked) })
  const { server, superadmin, receiver, expire, until, listed, token } = company
  await expire(['a', 'b'], { callback_url: receiver.url })
  const dead = await until('dead', 2)
  const read = (id: number, as = token) => call(server, contract.readCallback, { token: as, params: { id } })
  const { body } = await read(dead[0]!.id)
  assert.equal((JSON.parse(body.body) as contract.CallbackBody).task.guid, dead[0]!.guid)
  assert.equal(body.behind, null)
  const theirs = await newUser(server, superadmin, { role: 'admin', companyId: 3 })
  assert.equal((await read(dead[0]!.id, theirs.token)).body.code, 'unknown_callback')
  const repeatAll = (as = token) => call(server, contract.repeatDeadCallbacks, { token: as })
  assert.deepEqual((await repeatAll(theirs.token)).body, { repeated: 0, more: false })
  answer = take
  const { status, body: repeated } = await repeatAll()
  assert.deepEqual([status, repeated], [202, { repeated: 2, more: false }])
  await until('delivered', 2)
  assert.deepEqual((await listed({ state: 'dead' })).callbacks, [])
})
