import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { pingreq, subscribe } from '#mqtt/codec/from-client.ts'
import { readText } from '#mqtt/codec/text.ts'
import {
  connectPacket,
  listener,
  publisher,
  rawPublisher,
  report,
  startEndpoint,
  status,
} from '#test/endpoint.ts'
import { rawClient, until } from '#test/raw-client.ts'

const will = { will: { topic: 'clients/pub-1/status', payload: Buffer.from('will') } }

test('a connection that sends no whole CONNECT in time is closed', async (t) => {
  const { endpoint, port, web_port } = await startEndpoint(t, { limits: { connect_ms: 100 } })
  const silent = await rawClient(t, port)
  const half = await rawClient(t, port)
  half.send(connectPacket('pub-1').subarray(0, 20))
  const web = new WebSocket(`ws://127.0.0.1:${web_port}/mqtt`, ['mqtt'])
  const web_closed = new Promise((resolve) => web.once('close', resolve))
  await Promise.all([silent.closed, half.closed, web_closed])
  await until(() => endpoint.tally.ended.no_connect === 3)
  assert.deepEqual(endpoint.counts(), { publishers: 0, listeners: 0, pending: 0 })
})

test('rules may take longer than a client has for its CONNECT', async (t) => {
  const looked_at = Promise.withResolvers<void>()
  const hold = Promise.withResolvers<{ number: number }>()
  const { port } = await startEndpoint(t, {
    limits: { connect_ms: 100 },
    admitPublisher() {
      looked_at.resolve()
      return hold.promise
    },
  })
  const admitted = rawPublisher(t, port, 'pub-1')
  await looked_at.promise
  await (
    await rawClient(t, port)
  ).closed // it came later, and its time is over
  hold.resolve({ number: 1 })
  await admitted
})

test('a refused client can read the reason, whatever it sent meanwhile, and is not reset', async (t) => {
  const { port } = await startEndpoint(t)
  const client = await rawClient(t, port)
  let error: Error | undefined
  client.socket.on('error', (given) => (error = given))
  client.send(connectPacket('pub-1', { password: Buffer.from('guess') }), Buffer.alloc(500_000))
  const answer = await client.next()
  assert.equal(answer.type === 'connack' && answer.code, 4)
  await client.closed
  assert.equal(error, undefined)
})

test('a refused client that does not close its side is closed', async (t) => {
  const { endpoint, port } = await startEndpoint(t, { limits: { linger_ms: 100 } })
  await lingering(t, port)
  assert.equal(endpoint.counts().pending, 1)
  await until(() => endpoint.counts().pending === 0)
})

/** A refused client that does not close its side: the next sweep closes it. */
async function lingering(t: TestContext, port: number): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  t.after(() => socket.destroy())
  socket.write(connectPacket('pub-0', { keep_alive_secs: 0 }))
  await once(socket.resume(), 'end')
}

test('a publisher silent for one and a half times its keep-alive is cut, and one that pings stays', async (t) => {
  const { endpoint, port, told } = await startEndpoint(t)
  // It connects first: when the others are cut, one and a half times its keep-alive has passed as well.
  await publisher(t, `mqtt://127.0.0.1:${port}`, 'pub-3', { keepalive: 1, reschedulePings: true })
  const started = performance.now()
  const silent = await rawPublisher(t, port, 'pub-1', { keep_alive_secs: 1, ...will })
  const dripping = await rawPublisher(t, port, 'pub-2', { keep_alive_secs: 1 })
  await rawPublisher(t, port, 'pub-4', { keep_alive_secs: 10 }) // as silent, and not cut yet
  const closings = [silent, dripping].map(({ closed }) => closed.then(() => performance.now() - started))
  for (const byte of report('pub-2', 'a report of which a byte comes now and then', 1).subarray(0, 6)) {
    dripping.send(Buffer.from([byte]))
    await sleep(200)
  }
  for (const waited of await Promise.all(closings)) assert.ok(waited > 1_400, `${waited} ms`)
  await until(() => told.length >= 3 && endpoint.tally.ended.keep_alive >= 2)
  assert.deepEqual(endpoint.counts(), { publishers: 2, listeners: 0, pending: 0 })
  assert.deepEqual(told.toSorted(), ['pub-1 gone', 'pub-1 status will', 'pub-2 gone'])
  assert.equal(endpoint.tally.ended.keep_alive, 2)
})

test('a publisher that the server does not read does not count as silent', async (t) => {
  const hold = Promise.withResolvers<void>()
  const { endpoint, port } = await startEndpoint(t, {
    limits: { waiting_packets: 1, linger_ms: 50 },
    received: () => hold.promise,
  })
  const client = await rawPublisher(t, port, 'pub-1', { keep_alive_secs: 1 })
  client.send(report('pub-1', 'x', 1))
  const silent = await rawPublisher(t, port, 'pub-2', { keep_alive_secs: 1 })
  await silent.closed
  await until(() => endpoint.tally.ended.keep_alive > 0)
  assert.notEqual(endpoint.publishers.lastHeard('pub-1'), undefined)
  hold.resolve()
  assert.equal((await client.next()).type, 'puback')
  await lingering(t, port)
  await until(() => endpoint.counts().pending === 0)
  assert.notEqual(endpoint.publishers.lastHeard('pub-1'), undefined, 'its silence begins anew')
})

test('a listener that answers no ping is cut', async (t) => {
  const { endpoint, web_port } = await startEndpoint(t, { limits: { ping_ms: 100 } })
  await listener(t, web_port, 'key_two', { keepalive: 0 }) // the server pings it first
  const dead = new WebSocket(`ws://127.0.0.1:${web_port}/mqtt`, ['mqtt'], { autoPong: false })
  dead.on('open', () => dead.send(connectPacket('b', { keep_alive_secs: 0, password: 'key_one' })))
  await new Promise((resolve) => dead.once('close', resolve))
  await until(() => endpoint.tally.ended.keep_alive > 0)
  assert.deepEqual(
    [...endpoint.listeners.open()].map((who) => who.key),
    [2],
  )
})

test('if too many connections wait to be admitted, the longest silent one is ended', async (t) => {
  for (const limits of [{ pending: 2 }, { pending_per_address: 2 }]) {
    const { endpoint, port, logged } = await startEndpoint(t, { limits })
    const waiting = [await rawClient(t, port), await rawClient(t, port), await rawClient(t, port)]
    await waiting[0]!.closed
    assert.equal(endpoint.counts().pending, 2)
    const admitted = await rawPublisher(t, port, 'pub-1')
    await waiting[1]!.closed
    await rawPublisher(t, port, 'pub-2')
    waiting[2]!.send(connectPacket('pub-3'))
    assert.equal((await waiting[2]!.next()).type, 'connack')
    assert.deepEqual([endpoint.tally.ended.crowded, endpoint.tally.refused.crowded], [2, 0])
    assert.equal(logged.filter((line) => line.includes('crowded') && line.includes('"level":30')).length, 1)
    assert.equal(admitted.socket.destroyed, false)
  }
})

test('a refused client is ended too, but not one whose CONNECT is being checked; then new connections are refused', async (t) => {
  const hold = Promise.withResolvers<undefined>()
  const looked_at: string[] = []
  const { endpoint, port, web_port } = await startEndpoint(t, {
    limits: { pending: 2, linger_ms: 60_000 },
    admitPublisher(name) {
      looked_at.push(name)
      return name === 'pub-0' ? Promise.resolve(undefined) : hold.promise
    },
  })
  const refused = await rawClient(t, port)
  refused.send(connectPacket('pub-0'))
  assert.equal((await refused.next()).type, 'connack')
  for (const name of ['pub-1', 'pub-2']) (await rawClient(t, port)).send(connectPacket(name))
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
  assert.equal(endpoint.tally.refused.crowded, 2)
  hold.resolve(undefined)
})

test('packets above the rate are read later: none is lost, and no other client waits', async (t) => {
  const { endpoint, port, logged } = await startEndpoint(t, { limits: { packets: 50, packets_per_sec: 500 } })
  const fast = await rawPublisher(t, port, 'pub-1')
  const other = await rawPublisher(t, port, 'pub-2')
  fast.send(...Array.from({ length: 300 }, pingreq))
  await until(() => endpoint.tally.slowed > 0)
  other.send(report('pub-2', 'meanwhile', 1))
  assert.equal((await other.next()).type, 'puback')
  for (let answered = 0; answered < 300; answered++) assert.equal((await fast.next()).type, 'pingresp')
  assert.ok(endpoint.tally.slowed > 3, `${endpoint.tally.slowed}`)
  assert.equal(logged.filter((line) => /slowed/.test(line) && line.includes('"level":30')).length, 1)
})

test('no more publishers are admitted than the limit, but one may take its own place', async (t) => {
  const { endpoint, port } = await startEndpoint(t, { limits: { publishers: 2 } })
  const first = await rawPublisher(t, port, 'pub-1')
  const second = await rawPublisher(t, port, 'pub-2')
  await assert.rejects(rawPublisher(t, port, 'pub-3'), /"code":3/)
  await rawPublisher(t, port, 'pub-1')
  await first.closed
  second.socket.destroy()
  await until(() => endpoint.counts().publishers === 1)
  await rawPublisher(t, port, 'pub-3')
})

test('no more listeners are admitted than the limit', async (t) => {
  const { web_port } = await startEndpoint(t, { limits: { listeners: 1 } })
  await listener(t, web_port, 'key_one')
  await assert.rejects(listener(t, web_port, 'key_one'), { code: 3 })
})

test('the rules limit the listeners of one key, and another key is still admitted', async (t) => {
  const { web_port } = await startEndpoint(t, {
    hasRoom: ({ key }, open) => open.filter((other) => other.key === key).length < 2,
  })
  const first = await listener(t, web_port, 'key_one')
  await listener(t, web_port, 'key_one')
  await assert.rejects(listener(t, web_port, 'key_one'), { code: 3 })
  await listener(t, web_port, 'key_two')
  await first.endAsync()
  await listener(t, web_port, 'key_one')
})

const EVENT = 'x'.repeat(100_000)

/** A listener that subscribes and then stops reading, until the server has bytes that it cannot send. */
async function deafListener(
  web_port: number,
  flood: () => void,
): Promise<{ resume(): void; closed: Promise<unknown> }> {
  const socket = new WebSocket(`ws://127.0.0.1:${web_port}/mqtt`, ['mqtt'])
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.on('error', () => {})
  await new Promise((resolve) => socket.once('open', resolve))
  socket.send(connectPacket('b', { password: 'key_one' }))
  socket.send(subscribe(1, ['/front/change']))
  await new Promise((resolve) =>
    socket.on('message', (bytes: Buffer) => bytes.includes(0x90) && resolve(true)),
  )
  socket.pause()
  for (let event = 0; event < 200; event++) {
    flood()
    await sleep(0)
  }
  // The client notices the end of the connection only when it reads.
  return { resume: () => socket.resume(), closed }
}

test('a listener that does not read is cut when its time to drain is over', async (t) => {
  const { endpoint, web_port } = await startEndpoint(t, {
    limits: { most_unsent_bytes: 1 << 30, drain_ms: 200 },
  })
  const client = await listener(t, web_port, 'key_two')
  await client.subscribeAsync('/front/change')
  let heard = 0
  client.on('message', () => heard++)
  const deaf = await deafListener(web_port, () => endpoint.listeners.send('/front/change', EVENT, () => true))
  await until(() => endpoint.tally.ended.slow === 1)
  deaf.resume()
  await deaf.closed
  await until(() => heard === 200)
  assert.equal(endpoint.counts().listeners, 1)
})

test('a listener that reads is not cut for a burst', async (t) => {
  const { endpoint, web_port } = await startEndpoint(t, {
    limits: { most_unsent_bytes: 1 << 30, drain_ms: 1_000 },
  })
  const client = await listener(t, web_port, 'key_two')
  await client.subscribeAsync('/front/change')
  let heard = 0
  client.on('message', () => heard++)
  for (let event = 0; event < 80; event++) endpoint.listeners.send('/front/change', EVENT, () => true)
  await until(() => heard === 80)
  // When the deaf listener is cut, the time to drain the burst is over as well.
  await deafListener(web_port, () => endpoint.listeners.send('/front/change', EVENT, ({ key }) => key === 1))
  await until(() => endpoint.tally.ended.slow > 0)
  assert.deepEqual(
    [...endpoint.listeners.open()].map((who) => who.key),
    [2],
  )
})

test('a listener that leaves too much unread is cut at once', async (t) => {
  const { endpoint, web_port } = await startEndpoint(t)
  const deaf = await deafListener(web_port, () => endpoint.listeners.send('/front/change', EVENT, () => true))
  await until(() => endpoint.tally.ended.slow === 1)
  deaf.resume()
  await deaf.closed
  assert.equal(endpoint.counts().listeners, 0)
})

test('packets of one tick leave in one write', async (t) => {
  const { endpoint, port } = await startEndpoint(t)
  const client = await rawPublisher(t, port, 'pub-1')
  client.send(subscribe(1, ['clients/pub-1/commands'], 1))
  await client.next()
  client.send(status('pub-1'), pingreq())
  await client.next()
  let reads = 0
  client.socket.on('data', () => reads++)
  for (let command = 0; command < 50; command++) endpoint.publishers.send('pub-1', `${command}`)
  for (let command = 0; command < 50; command++) {
    const packet = await client.next()
    assert.equal(packet.type === 'publish' && readText(packet.payload!), `${command}`)
  }
  assert.equal(reads, 1)
})

test('two hundred clients that come and go leave nothing behind', async (t) => {
  const { endpoint, port, told } = await startEndpoint(t)
  for (let round = 0; round < 4; round++) {
    const clients = await Promise.all(
      Array.from({ length: 50 }, (_, index) => rawPublisher(t, port, `pub-${index}`, { keep_alive_secs: 9 })),
    )
    assert.equal(endpoint.counts().publishers, 50)
    for (const client of clients) client.socket.destroy()
    await until(() => endpoint.counts().publishers === 0)
  }
  await until(() => told.filter((line) => line.endsWith('gone')).length === 200)
  assert.deepEqual(endpoint.counts(), { publishers: 0, listeners: 0, pending: 0 })
})
