import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { CALLBACK_DELAYS_MS } from '@sdd/contract/outward/callbacks.ts'
import { Webhook } from 'standardwebhooks'
import { anywhere, openReceiving, told } from './callback-bench.ts'
import { eventually } from './device.ts'
import { type Answer, startReceiver } from './receiver.ts'

const refuse: Answer = (_, response) => response.writeHead(503).end()
const hang: Answer = () => {}

test('a failed callback is retried after 5 s, 30 s, 2 min, 10 min, 1 h, 6 h and 24 h, then it is dead', async (t) => {
  const { task, end, deliver, until, advance, clock, secret, callbacks, receiver, passRound } =
    await openReceiving(t, refuse)
  await task('order', receiver.url)
  await end('order', 'sent')
  const { featureMetrics } = deliver()
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
    await passRound()
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
  await passRound()
  assert.equal(receiver.received.length, 8)
  const { values } = await featureMetrics.callbackTries.get()
  const triesOf = (outcome: string) => values.find(({ labels }) => labels.outcome === outcome)?.value
  assert.deepEqual([triesOf('failed'), triesOf('dead')], [7, 1])
})

test('410 Gone ends a callback, and the task’s next one is sent', async (t) => {
  const { task, end, deliver, until, callbacks, receiver } = await openReceiving(t, (_, response) =>
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

test('a hanging receiver holds eight of its callbacks at once, and delays no other', async (t) => {
  const { task, end, deliver, until, receiver } = await openReceiving(t)
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
  // Closed at the end, so that the test does not wait for the slow receiver.
  const posting = anywhere()
  t.after(() => posting.close())
  deliver({ posting })
  const quick = await until(50)
  assert.equal(new Set(quick.map(told)).size, 50)
  assert.ok(receiver.connections <= 8, `${receiver.connections} connections`)
  assert.equal(slow.received.length, 8)
  posting.close()
})

test('a failing receiver gets one callback at a time until one succeeds', async (t) => {
  let open = 0
  const atOnce: number[] = []
  const answer: Answer = async (_, response) => {
    const place = atOnce.push(++open)
    await wait(5)
    open--
    response.writeHead(place < 20 ? 500 : 204).end()
  }
  const { task, end, deliver, until, callbacks, receiver } = await openReceiving(t, answer)
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

test('a try cut short by a crash is repeated with the same id', async (t) => {
  const { task, end, deliver, until, callbacks, receiver } = await openReceiving(t, hang)
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

test('a callback without a secret to sign it is dead, and says so', async (t) => {
  const { task, end, deliver, callbacks, receiver } = await openReceiving(t)
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
