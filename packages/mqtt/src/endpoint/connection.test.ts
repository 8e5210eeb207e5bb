import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { generate } from 'mqtt-packet'
import { WebSocket } from 'ws'
import {
  browser,
  connectPacket,
  device,
  rawClient,
  rawDevice,
  report,
  startBroker,
  until,
  status,
} from './testing.ts'

const will = { will: { topic: 'devices/dev-1/status', payload: Buffer.from('will') } }

test('a connection that sends no whole CONNECT in time is closed', async (t) => {
  const { broker, port, web_port } = await startBroker(t, { limits: { connect_ms: 100 } })
  const silent = await rawClient(t, port)
  const half = await rawClient(t, port)
  half.send(generate(connectPacket('dev-1')).subarray(0, 20))
  const web = new WebSocket(`ws://127.0.0.1:${web_port}/mqtt`, ['mqtt'])
  const web_closed = new Promise((resolve) => web.once('close', resolve))
  await Promise.all([silent.closed, half.closed, web_closed])
  await until(() => broker.tally.ended.no_connect === 3)
  assert.deepEqual(broker.counts(), { devices: 0, browsers: 0, pending: 0 })
})

test('rules that take longer than a client has for its CONNECT are waited for', async (t) => {
  const { port } = await startBroker(t, {
    limits: { connect_ms: 50 },
    async admitDevice() {
      await sleep(200)
      return { device_id: 1, company_id: 1, connection: 1 }
    },
  })
  await rawDevice(t, port, 'dev-1')
})

test('a refused client reads why, whatever it sent meanwhile, and is not reset', async (t) => {
  const { port } = await startBroker(t)
  const client = await rawClient(t, port)
  let error: Error | undefined
  client.socket.on('error', (given) => (error = given))
  client.send(connectPacket('dev-1', { password: Buffer.from('guess') }), Buffer.alloc(500_000))
  const answer = await client.next()
  assert.equal(answer.cmd === 'connack' && answer.returnCode, 4)
  await client.closed
  assert.equal(error, undefined)
})

test('a refused client that does not close its side is closed', async (t) => {
  const { broker, port } = await startBroker(t, { limits: { linger_ms: 100 } })
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  t.after(() => socket.destroy())
  socket.write(generate(connectPacket('dev-1', { keepalive: 0 })))
  await once(socket.resume(), 'end')
  assert.equal(broker.counts().pending, 1)
  await until(() => broker.counts().pending === 0)
})

test('a device silent for one and a half times its keep-alive is cut, one that pings stays', async (t) => {
  const { broker, port, told } = await startBroker(t)
  const silent = await rawDevice(t, port, 'dev-1', { keepalive: 1, ...will })
  const dripping = await rawDevice(t, port, 'dev-2', { keepalive: 1 })
  await device(t, `mqtt://127.0.0.1:${port}`, 'dev-3', { keepalive: 1, reschedulePings: true })
  const started = performance.now()
  const closings = [silent, dripping].map(({ closed }) => closed.then(() => performance.now() - started))
  for (const byte of generate(report('dev-2', 'a report of which a byte comes now and then', 1)).subarray(
    0,
    6,
  )) {
    dripping.send(Buffer.from([byte]))
    await sleep(200)
  }
  for (const waited of await Promise.all(closings))
    assert.ok(waited > 1_400 && waited < 4_000, `${waited} ms`)
  await sleep(600)
  assert.deepEqual(broker.counts(), { devices: 1, browsers: 0, pending: 0 })
  assert.deepEqual(told.toSorted(), ['dev-1 gone', 'dev-1 status will', 'dev-2 gone'])
  assert.equal(broker.tally.ended.keep_alive, 2)
})

test('a device that the server does not read is not called silent', async (t) => {
  const hold = Promise.withResolvers<void>()
  const { broker, port } = await startBroker(t, {
    limits: { waiting_packets: 1 },
    received: () => hold.promise,
  })
  const client = await rawDevice(t, port, 'dev-1', { keepalive: 1 })
  client.send(report('dev-1', 'x', 1))
  await sleep(2_000)
  assert.equal(broker.counts().devices, 1)
  hold.resolve()
  assert.equal((await client.next()).cmd, 'puback')
  await sleep(200)
  assert.equal(broker.counts().devices, 1, 'its silence begins anew')
})

test('a browser that answers no ping is dead', async (t) => {
  const { broker, web_port } = await startBroker(t, { limits: { ping_ms: 100 } })
  const dead = new WebSocket(`ws://127.0.0.1:${web_port}/mqtt`, ['mqtt'], { autoPong: false })
  dead.on('open', () =>
    dead.send(generate({ ...connectPacket('b'), keepalive: 0, password: Buffer.from('sds_one') })),
  )
  const closed = new Promise((resolve) => dead.once('close', resolve))
  await browser(t, web_port, 'sds_two', { keepalive: 0 })
  await closed
  await sleep(300)
  assert.deepEqual(
    [...broker.browsers()].map((who) => who.session_id),
    [2],
  )
})

test('of too many connections that wait to be admitted, the one that kept silent longest gives way', async (t) => {
  for (const limits of [{ pending: 2 }, { pending_per_address: 2 }]) {
    const { broker, port, logged } = await startBroker(t, { limits })
    const waiting = [await rawClient(t, port), await rawClient(t, port), await rawClient(t, port)]
    await waiting[0]!.closed
    assert.equal(broker.counts().pending, 2)
    const admitted = await rawDevice(t, port, 'dev-1')
    await waiting[1]!.closed
    await rawDevice(t, port, 'dev-2')
    waiting[2]!.send(connectPacket('dev-3'))
    assert.equal((await waiting[2]!.next()).cmd, 'connack')
    assert.deepEqual([broker.tally.ended.crowded, broker.tally.refused.crowded], [2, 0])
    assert.equal(logged.filter((line) => line.includes('crowded') && line.includes('"level":30')).length, 1)
    assert.equal(admitted.socket.destroyed, false)
  }
})

test('a refused client gives way too; one whose CONNECT is looked at does not, and newcomers are turned away', async (t) => {
  const hold = Promise.withResolvers<undefined>()
  const looked_at: string[] = []
  const { broker, port, web_port } = await startBroker(t, {
    limits: { pending: 2, linger_ms: 60_000 },
    admitDevice(uid) {
      looked_at.push(uid)
      return uid === 'dev-0' ? Promise.resolve(undefined) : hold.promise
    },
  })
  const refused = await rawClient(t, port)
  refused.send(connectPacket('dev-0'))
  assert.equal((await refused.next()).cmd, 'connack')
  for (const uid of ['dev-1', 'dev-2']) (await rawClient(t, port)).send(connectPacket(uid))
  await refused.closed
  await until(() => looked_at.length === 3)
  const third = await rawClient(t, port)
  await third.closed
  const web = new WebSocket(`ws://127.0.0.1:${web_port}/mqtt`, ['mqtt'])
  const status = await new Promise((resolve) => {
    web.on('error', () => {})
    web.once('unexpected-response', (_, response) => resolve(response.statusCode))
  })
  assert.equal(status, 503)
  assert.equal(broker.tally.refused.crowded, 2)
  hold.resolve(undefined)
})

test('what comes too fast is read later: nothing is lost, and nobody else waits', async (t) => {
  const { broker, port, logged } = await startBroker(t, { limits: { packets: 50, packets_per_sec: 500 } })
  const fast = await rawDevice(t, port, 'dev-1')
  const other = await rawDevice(t, port, 'dev-2')
  fast.send(...Array.from({ length: 300 }, () => ({ cmd: 'pingreq' }) as const))
  await until(() => broker.tally.slowed > 0)
  other.send(report('dev-2', 'meanwhile', 1))
  assert.equal((await other.next()).cmd, 'puback')
  for (let answered = 0; answered < 300; answered++) assert.equal((await fast.next()).cmd, 'pingresp')
  assert.ok(broker.tally.slowed > 3, `${broker.tally.slowed}`)
  assert.equal(logged.filter((line) => /slowed/.test(line) && line.includes('"level":30')).length, 1)
})

test('no more devices are admitted than may, but one may take its own place', async (t) => {
  const { broker, port } = await startBroker(t, { limits: { devices: 2 } })
  const first = await rawDevice(t, port, 'dev-1')
  const second = await rawDevice(t, port, 'dev-2')
  await assert.rejects(rawDevice(t, port, 'dev-3'), /"returnCode":3/)
  await rawDevice(t, port, 'dev-1')
  await first.closed
  second.socket.destroy()
  await until(() => broker.counts().devices === 1)
  await rawDevice(t, port, 'dev-3')
})

test('no more browsers are admitted than may', async (t) => {
  const { web_port } = await startBroker(t, { limits: { browsers: 1 } })
  await browser(t, web_port, 'sds_one')
  await assert.rejects(browser(t, web_port, 'sds_one'), { code: 3 })
})

test('no more browsers of one session are admitted than may, and another session is', async (t) => {
  const { web_port } = await startBroker(t, { limits: { browsers_per_session: 2 } })
  const first = await browser(t, web_port, 'sds_one')
  await browser(t, web_port, 'sds_one')
  await assert.rejects(browser(t, web_port, 'sds_one'), { code: 3 })
  await browser(t, web_port, 'sds_two')
  await first.endAsync()
  await browser(t, web_port, 'sds_one')
})

const EVENT = 'x'.repeat(100_000)

/** A browser that subscribed and then reads nothing, until the server has bytes that it cannot send. */
async function deafBrowser(web_port: number, flood: () => void): Promise<{ closed: Promise<unknown> }> {
  const socket = new WebSocket(`ws://127.0.0.1:${web_port}/mqtt`, ['mqtt'])
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.on('error', () => {})
  await new Promise((resolve) => socket.once('open', resolve))
  socket.send(generate({ ...connectPacket('b'), password: Buffer.from('sds_one') }))
  socket.send(
    generate({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: '/front/change', qos: 0 }] }),
  )
  await new Promise((resolve) =>
    socket.on('message', (bytes: Buffer) => bytes.includes(0x90) && resolve(true)),
  )
  socket.pause()
  for (let event = 0; event < 200; event++) {
    flood()
    await sleep(0)
  }
  setTimeout(() => socket.resume(), 500) // the client notices its end only when it reads
  return { closed }
}

test('a browser that does not read is cut when its time to drain is over', async (t) => {
  const { broker, web_port } = await startBroker(t, { limits: { most_unsent_bytes: 1 << 30, drain_ms: 200 } })
  const client = await browser(t, web_port, 'sds_two')
  await client.subscribeAsync('/front/change')
  let heard = 0
  client.on('message', () => heard++)
  const deaf = await deafBrowser(web_port, () => broker.toBrowsers('/front/change', EVENT, () => true))
  await deaf.closed
  assert.equal(broker.tally.ended.slow, 1)
  await until(() => heard === 200)
  assert.equal(broker.counts().browsers, 1)
})

test('a browser that reads is not cut for a burst', async (t) => {
  const { broker, web_port } = await startBroker(t, {
    limits: { most_unsent_bytes: 1 << 30, drain_ms: 1_000 },
  })
  const client = await browser(t, web_port, 'sds_two')
  await client.subscribeAsync('/front/change')
  let heard = 0
  client.on('message', () => heard++)
  for (let event = 0; event < 80; event++) broker.toBrowsers('/front/change', EVENT, () => true)
  await until(() => heard === 80)
  await sleep(1_200)
  assert.equal(broker.counts().browsers, 1)
})

test('a browser that leaves too much unread is cut at once', async (t) => {
  const { broker, web_port } = await startBroker(t)
  const deaf = await deafBrowser(web_port, () => broker.toBrowsers('/front/change', EVENT, () => true))
  await until(() => broker.tally.ended.slow === 1)
  await deaf.closed
  assert.equal(broker.counts().browsers, 0)
})

test('packets of one tick leave in one write', async (t) => {
  const { broker, port } = await startBroker(t)
  const client = await rawDevice(t, port, 'dev-1')
  client.send({
    cmd: 'subscribe',
    messageId: 1,
    subscriptions: [{ topic: 'devices/dev-1/commands', qos: 1 }],
  })
  await client.next()
  client.send(status('dev-1'), { cmd: 'pingreq' })
  await client.next()
  let reads = 0
  client.socket.on('data', () => reads++)
  for (let command = 0; command < 50; command++) broker.toDevice('dev-1', `${command}`)
  for (let command = 0; command < 50; command++) {
    const packet = await client.next()
    assert.equal(packet.cmd === 'publish' && packet.payload.toString(), `${command}`)
  }
  assert.equal(reads, 1)
})

test('two hundred clients that come and go leave nothing behind', async (t) => {
  const { broker, port, told } = await startBroker(t)
  for (let round = 0; round < 4; round++) {
    const clients = await Promise.all(
      Array.from({ length: 50 }, (_, index) => rawDevice(t, port, `dev-${index}`, { keepalive: 9 })),
    )
    assert.equal(broker.counts().devices, 50)
    for (const client of clients) client.socket.destroy()
    await until(() => broker.counts().devices === 0)
  }
  await until(() => told.filter((line) => line.endsWith('gone')).length === 200)
  assert.deepEqual(broker.counts(), { devices: 0, browsers: 0, pending: 0 })
})
