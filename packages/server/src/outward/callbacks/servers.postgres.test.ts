import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { createWebhook } from '@sdd/contract/outward/callbacks.ts'
import { createTasks } from '@sdd/contract/tasks/tasks.ts'
import { instant } from '#server/core/clock.ts'
import { type Database, openDatabase } from '#server/database/open.ts'
import { connectBrowser } from '#test/browser.ts'
import { anywhere, openBench, openRounds } from '#test/callback-bench.ts'
import { connectDevice, eventually, linkTestDevice } from '#test/device.ts'
import { preparedDatabase, runIn } from '#test/engine.ts'
import { type Answer, type Received, startReceiver } from '#test/receiver.ts'
import { enter } from '#test/seeds.ts'
import { ADMIN, call, startServer } from '#test/server.ts'
import { dueStore } from './due.store.ts'
import type { Outcome } from './outcome.ts'
import { settleDelivery } from './result.ts'

const DELIVERED: Outcome = { result: 'delivered', status: 204, error: null }
const FAILED: Outcome = { result: 'failed', status: 503, error: null }
const hang: Answer = () => {}

/** Two servers over one PostgreSQL, and a receiver. */
async function begin(t: TestContext, answer?: Answer) {
  const url = await preparedDatabase()
  const bench = await openBench(t, { url })
  const other = await openDatabase({ url, folder: '' })
  t.after(() => other.close())
  const receiver = await startReceiver(answer)
  bench.atEnd(receiver.stop)
  const { host } = new URL(receiver.url)
  const now = () => instant(bench.clock.now())
  return {
    ...bench,
    other,
    receiver,
    passRound: await openRounds(bench),
    take: (db: Database, server: string) => db.write((tx) => dueStore(tx).take(server, host, now(), [], 100)),
    /** As if the server with the claims had been silent for as long as a claim lasts. */
    endClaims: () => runIn(url, `update callback_claims set until = clock_timestamp()`),
    settleDelivery: (db: Database, id: number, server: string, outcome: Outcome) =>
      db.write((tx) => settleDelivery(tx, { id, server, outcome, tried_at: now() }, bench.clock.now())),
  }
}

const told = ({ body }: Received) => `${body.task.guid} ${body.type}`

test('two servers post each callback once, and those of a task in order', async (t) => {
  const guids = Array.from({ length: 40 }, (_, n) => `task-${n}`)
  const states = ['sent', 'delivered', 'replied'] as const
  const { task, end, deliver, other, receiver, callbacks } = await begin(t, async (_, response) => {
    await wait(20)
    response.writeHead(204).end()
  })
  for (const guid of guids) {
    await task(guid, receiver.url)
    for (const state of states) await end(guid, state)
  }
  const servers = [deliver(), deliver({ db: other })]
  await eventually(async () => (await callbacks()).every(({ state }) => state === 'delivered'), 30_000)
  const all = receiver.received.map(told)
  for (const guid of guids)
    assert.deepEqual(
      all.filter((one) => one.startsWith(`${guid} `)),
      states.map((state) => `${guid} task.${state}`),
    )
  for (const [number, { featureMetrics }] of servers.entries()) {
    const { values } = await featureMetrics.callbackTries.get()
    assert.ok(values[0]!.value > 0, `server ${number} delivered, too`)
  }
})

test('a callback that one server posts is not posted by another, until the first is silent for too long', async (t) => {
  const { task, end, deliver, other, receiver, callbacks, endClaims, passRound } = await begin(t, hang)
  await task('order', receiver.url)
  for (const state of ['sent', 'delivered'] as const) await end('order', state)
  // Closed at the end, so that the test does not wait for the receiver.
  const posting = anywhere()
  t.after(() => posting.close())
  const silent = deliver({ posting })
  await eventually(() => receiver.received.length === 1)
  receiver.answer = (_, response) => response.writeHead(204).end()
  const { featureMetrics } = deliver({ db: other })
  // Once the other server has posted something else, it has also looked at these.
  await eventually(async () => {
    await passRound()
    return (await featureMetrics.callbackTries.get()).values.length > 0
  }, 30_000)
  assert.equal(receiver.received.length, 1)
  await endClaims()
  await eventually(async () => (await callbacks()).every(({ state }) => state === 'delivered'))
  assert.deepEqual(
    receiver.received.map(told),
    ['sent', 'sent', 'delivered'].map((s) => `order task.${s}`),
  )
  const [first, second] = receiver.received
  assert.equal(first!.headers['webhook-id'], second!.headers['webhook-id'])
  // The outcome of the first try no longer counts.
  posting.close()
  await silent.stop()
  const ofOrder = (await callbacks()).filter(({ guid }) => guid === 'order')
  assert.deepEqual(
    ofOrder.map(({ state, tries }) => [state, tries]),
    [
      ['delivered', 1],
      ['delivered', 1],
    ],
  )
})

test('a server that slept cannot settle a callback that another has claimed since, whatever the outcome', async (t) => {
  const { task, end, db, other, receiver, callbacks, take, endClaims, settleDelivery } = await begin(t)
  await task('order', receiver.url)
  for (const state of ['sent', 'delivered'] as const) await end('order', state)
  const [row] = await take(db, 'sleeper')
  assert.deepEqual(await take(other, 'other'), [])
  await endClaims()
  assert.equal((await take(other, 'other'))[0]!.id, row!.id)
  for (const outcome of [DELIVERED, FAILED])
    assert.equal(await settleDelivery(db, row!.id, 'sleeper', outcome), undefined)
  const standing = async () => (await callbacks()).map(({ state, tries, due_at }) => [state, tries, !!due_at])
  assert.deepEqual(await standing(), [
    ['waiting', 0, true],
    ['waiting', 0, false],
  ])
  assert.equal((await settleDelivery(other, row!.id, 'other', DELIVERED))!.outcome, 'delivered')
  assert.deepEqual(await standing(), [
    ['delivered', 1, false],
    ['waiting', 0, true],
  ])
  assert.equal(await settleDelivery(db, row!.id, 'sleeper', DELIVERED), undefined)
})

test('a late server settles its try if no other has claimed the callback', async (t) => {
  const { task, end, db, receiver, take, endClaims, settleDelivery } = await begin(t)
  await task('order', receiver.url)
  await end('order', 'sent')
  const [row] = await take(db, 'late')
  await endClaims()
  assert.equal((await settleDelivery(db, row!.id, 'late', DELIVERED))!.outcome, 'delivered')
})

test('the outcome of a try releases its callback: another server may make the next try', async (t) => {
  const { task, end, db, other, advance, receiver, take, settleDelivery } = await begin(t)
  await task('order', receiver.url)
  await end('order', 'sent')
  const [row] = await take(db, 'first')
  assert.equal((await settleDelivery(db, row!.id, 'first', FAILED))!.outcome, 'failed')
  assert.deepEqual(await take(other, 'other'), [], 'it is not due yet')
  advance(5_000)
  assert.equal((await take(other, 'other')).length, 1)
})

test('another server may repeat a try at once that a stop has aborted', async (t) => {
  const { task, end, deliver, other, receiver, callbacks } = await begin(t, hang)
  await task('order', receiver.url)
  await end('order', 'sent')
  const posting = anywhere()
  const first = deliver({ posting })
  await eventually(() => receiver.received.length === 1)
  receiver.answer = (_, response) => response.writeHead(204).end()
  posting.close()
  await first.stop()
  deliver({ db: other })
  await eventually(async () => (await callbacks())[0]!.state === 'delivered')
  assert.equal(receiver.received.length, 2)
})

test('browsers at every server are notified of a callback, whichever server stored it and whichever posted it', async (t) => {
  const url = await preparedDatabase()
  const receiver = await startReceiver()
  const folder = mkdtempSync(join(tmpdir(), 'sdd-servers-'))
  const settings = { DATABASE_URL: url, CALLBACK_ADDRESSES: 'any' }
  const servers = [await startServer({ folder, settings }), await startServer({ folder, settings })] as const
  t.after(async () => {
    for (const server of servers) await server.stop()
    await receiver.stop()
    rmSync(folder, { recursive: true })
  })
  const { token } = await enter(servers[0], ADMIN.username, ADMIN.password)
  const browsers = await Promise.all(servers.map((server) => connectBrowser(server, token)))
  t.after(() => Promise.all(browsers.map((browser) => browser.stop())))
  const link = await linkTestDevice(servers[0], token, 'drone')
  const device = await connectDevice({ ...link, mqtt_url: servers[1].mqtt_url })
  const body = { url: `${receiver.url}/hook`, types: ['task.sent', 'task.delivered'] }
  assert.equal((await call(servers[0], createWebhook, { token, body })).status, 201)

  const guids = Array.from({ length: 6 }, (_, n) => `order-${n}`)
  const tasks = guids.map((guid) => ({ guid, to_number: '+34600111222', text: 'hola' }))
  assert.equal((await call(servers[0], createTasks, { token, body: { tasks } })).status, 202)
  for (const browser of browsers) browser.changes.length = 0
  for (let n = 0; n < guids.length; n++) {
    const { guid } = (await device.until(n + 1, 20_000))[n]!
    await device.report({ guid, state: 'sent' }, { guid, state: 'delivered' })
  }
  await eventually(() => receiver.received.length >= 2 * guids.length, 20_000)
  for (const browser of browsers)
    await eventually(() => browser.changes.some(({ changed }) => changed.includes('callbacks')))
  for (const guid of guids)
    assert.deepEqual(
      receiver.received.map(told).filter((one) => one.startsWith(`${guid} `)),
      [`${guid} task.sent`, `${guid} task.delivered`],
    )
})
