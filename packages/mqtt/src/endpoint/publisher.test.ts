import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { createSecureContext } from 'node:tls'
import { setTimeout as sleep } from 'node:timers/promises'
import { pingreq, subscribe, unsubscribe } from '#mqtt/codec/from-client.ts'
import { pingresp } from '#mqtt/codec/from-server.ts'
import { puback, publish } from '#mqtt/codec/publish.ts'
import { readText } from '#mqtt/codec/text.ts'
import { connectPacket, publisher, rawPublisher, report, startEndpoint, status } from '#test/endpoint.ts'
import { flagged, rawClient, until } from '#test/raw-client.ts'

const url = (port: number) => `mqtt://127.0.0.1:${port}`
const subscribeTo = (topic: string) => subscribe(1, [topic], 1)

test('a publisher publishes to each of its topics', async (t) => {
  const { port, told } = await startEndpoint(t)
  const client = await publisher(t, url(port), 'pub-1')
  for (const topic of ['status', 'networks', 'reports', 'inbox']) {
    await client.publishAsync(`clients/pub-1/${topic}`, `a ${topic}`, { qos: 1 })
  }
  assert.deepEqual(told, [
    'pub-1 status a status',
    'pub-1 networks a networks',
    'pub-1 reports a reports',
    'pub-1 inbox a inbox',
  ])
})

test('a publisher may use QoS 0 as well, and a duplicate is processed like the first', async (t) => {
  const { port, told } = await startEndpoint(t)
  const client = await rawPublisher(t, port, 'pub-1')
  client.send(report('pub-1', 'zero'), flagged(report('pub-1', 'again', 9), 0b1010))
  const answer = await client.next()
  assert.deepEqual([answer.type, answer.packet_id], ['puback', 9])
  assert.deepEqual(told, ['pub-1 reports zero', 'pub-1 reports again'])
})

for (const [name, ...packets] of [
  ['publishes to its subscription', publish('clients/pub-1/commands', 'x', 1)],
  ["publishes to another one's reports", report('pub-2', 'x', 1)],
  ['publishes to a wildcard', publish('clients/+/reports', 'x', 1)],
  ['publishes to what listeners hear', publish('clients/status', 'x', 1)],
  ['publishes a retained message', flagged(report('pub-1', 'x', 1), 0b0011)],
  ['publishes with QoS 2', flagged(report('pub-1', 'x', 1), 0b0100)],
  ['publishes with packet id 0', report('pub-1', 'x', 0)],
  ['publishes more than 64 KiB', report('pub-1', 'x'.repeat(64 * 1024 + 1), 1)],
  ["subscribes to another one's subscription", subscribeTo('clients/pub-2/commands')],
  ['subscribes to a wildcard', subscribeTo('clients/+/commands')],
  ['subscribes to everything', subscribeTo('#')],
  ['subscribes to a topic for listeners', subscribeTo('clients/status')],
  ['subscribes to nothing', Buffer.from([0x82, 2, 0, 1])],
  ['subscribes with QoS 3', subscribe(1, ['clients/pub-1/commands'], 3)],
  ['subscribes with packet id 0', subscribe(0, ['clients/pub-1/commands'], 1)],
  ['unsubscribes from what is not its own', unsubscribe(1, ['#'])],
  ['sends what only a server sends', pingresp()],
  ['sends a topic that is longer than its packet', Buffer.from([0x30, 4, 0, 9, 0x61, 0x62])],
  ['sends a PUBLISH without its packet id', Buffer.from([0x32, 3, 0, 1, 0x61])],
] as [string, ...Uint8Array[]][]) {
  test(`the connection of a publisher that ${name} is ended`, async (t) => {
    const { endpoint, port, told } = await startEndpoint(t)
    const client = await rawPublisher(t, port, 'pub-1')
    client.send(...packets)
    await assert.rejects(client.next(), /the connection ended/)
    await until(() => told.includes('pub-1 gone'))
    assert.equal(endpoint.tally.ended.breach, 1)
    assert.deepEqual(told, ['pub-1 gone'])
  })
}

test('a payload of 64 KiB arrives byte for byte', async (t) => {
  const { port, told } = await startEndpoint(t)
  const client = await publisher(t, url(port), 'pub-1')
  const text = 'x'.repeat(64 * 1024)
  await client.publishAsync('clients/pub-1/reports', text, { qos: 1 })
  assert.equal(told[0], `pub-1 reports ${text}`)
})

test('packets that arrive byte by byte are processed', async (t) => {
  const { port, told } = await startEndpoint(t)
  const client = await rawPublisher(t, port, 'pub-1')
  client.socket.setNoDelay(true)
  for (const byte of report('pub-1', 'slowly', 5)) {
    client.send(Buffer.from([byte]))
    await sleep(1)
  }
  assert.equal((await client.next()).packet_id, 5)
  assert.deepEqual(told, ['pub-1 reports slowly'])
})

test('200 reports in one segment are processed one at a time and acknowledged in order', async (t) => {
  let at_once = 0
  let most_at_once = 0
  const payloads: string[] = []
  const { port } = await startEndpoint(t, {
    async received(_, __, payload) {
      most_at_once = Math.max(most_at_once, ++at_once)
      payloads.push(readText(payload))
      await sleep(Math.random() < 0.1 ? 2 : 0)
      at_once--
    },
  })
  const client = await rawPublisher(t, port, 'pub-1')
  const numbers = Array.from({ length: 200 }, (_, index) => index + 1)
  client.send(...numbers.map((number) => report('pub-1', `report ${number}`, number)))
  const acknowledged: (number | undefined)[] = []
  for (const _ of numbers) acknowledged.push((await client.next()).packet_id)
  assert.deepEqual(acknowledged, numbers)
  assert.deepEqual(
    payloads,
    numbers.map((number) => `report ${number}`),
  )
  assert.equal(most_at_once, 1)
})

test('the PUBACK leaves only after the message was processed', async (t) => {
  const commit = Promise.withResolvers<void>()
  const { port } = await startEndpoint(t, { received: () => commit.promise })
  const client = await rawPublisher(t, port, 'pub-1')
  client.send(report('pub-1', 'x', 1), pingreq())
  assert.equal((await client.next()).type, 'pingresp')
  client.send(pingreq())
  assert.equal((await client.next()).type, 'pingresp')
  commit.resolve()
  const answer = await client.next()
  assert.deepEqual([answer.type, answer.packet_id], ['puback', 1])
})

test('a message that cannot be processed ends the connection without a PUBACK, and later ones are dropped', async (t) => {
  const taken: string[] = []
  const { endpoint, port } = await startEndpoint(t, {
    async received(_, __, payload) {
      taken.push(readText(payload))
      if (readText(payload) === 'bad') throw new Error('disk full')
    },
  })
  const client = await rawPublisher(t, port, 'pub-1', {
    will: { topic: 'clients/pub-1/status', payload: Buffer.from('will') },
  })
  client.send(report('pub-1', 'good', 1), report('pub-1', 'bad', 2), report('pub-1', 'behind', 3))
  assert.equal((await client.next()).packet_id, 1)
  await assert.rejects(client.next(), /the connection ended/)
  await until(() => endpoint.tally.ended.failed === 1)
  assert.deepEqual(taken, ['good', 'bad', 'will'])
})

for (const [what, limits, bytes] of [
  ['packets', { packets: Infinity, waiting_packets: 10, waiting_bytes: Infinity }, 5_000],
  ['bytes', { packets: Infinity, waiting_packets: Infinity, waiting_bytes: 100_000 }, 60_000],
] as const) {
  test(`a publisher that sends more ${what} than can be processed is not read, and loses nothing`, async (t) => {
    const commit = Promise.withResolvers<void>()
    let taken = 0
    const { port } = await startEndpoint(t, {
      limits,
      async received({ name }) {
        if (name === 'pub-2') return
        await commit.promise
        taken++
      },
    })
    const client = await rawPublisher(t, port, 'pub-1')
    const other = await rawPublisher(t, port, 'pub-2')
    const numbers = Array.from({ length: 30_000_000 / bytes }, (_, index) => index + 1)
    client.send(...numbers.map((number) => report('pub-1', 'x'.repeat(bytes), number)))
    other.send(...numbers.map((number) => report('pub-2', 'x'.repeat(bytes), number)))
    for (const number of numbers) assert.equal((await other.next()).packet_id, number)
    assert.ok(
      client.socket.writableLength > 1_000_000,
      `${client.socket.writableLength} bytes stay with the publisher`,
    )
    commit.resolve()
    for (const number of numbers) assert.equal((await client.next()).packet_id, number)
    assert.equal(taken, numbers.length)
  })
}

test('packets that are held back stop no others of the same publisher, and no ping', async (t) => {
  let isOpen = false
  const taken: string[] = []
  const { port } = await startEndpoint(t, {
    limits: { waiting_packets: 10, held_packets: 20 },
    delay: async (_, { pattern }) => (pattern === 'reports' && !isOpen ? 50 : 0),
    received: async (_, { pattern }) => void taken.push(pattern),
  })
  const client = await rawPublisher(t, port, 'pub-1')
  client.send(...Array.from({ length: 19 }, (_, n) => report('pub-1', 'held', n + 1)))
  client.send(publish('clients/pub-1/networks', '{}', 20), pingreq())
  const types = [await client.next(), await client.next()].map(({ type, packet_id }) => [type, packet_id])
  assert.deepEqual(
    new Map(types as [string, number][]),
    new Map([
      ['puback', 20],
      ['pingresp', undefined],
    ]),
  )
  assert.deepEqual(taken, ['networks'])
  isOpen = true
  for (let n = 1; n <= 19; n++) assert.equal((await client.next()).packet_id, n)
})

test('a message reaches a publisher that is subscribed and has sent its status, with the QoS it asked for', async (t) => {
  const { endpoint, port } = await startEndpoint(t)
  assert.equal(endpoint.publishers.send('pub-1', 'nobody there'), false)
  const client = await publisher(t, url(port), 'pub-1')
  assert.equal(endpoint.publishers.send('pub-1', 'not subscribed'), false)

  const got: [string, string, number][] = []
  client.on('message', (topic, payload, packet) => got.push([topic, payload.toString(), packet.qos]))
  const commands = 'clients/pub-1/commands'
  assert.deepEqual((await client.subscribeAsync(commands, { qos: 2 }))[0]?.qos, 1)
  assert.equal(endpoint.publishers.send('pub-1', 'no status yet'), false)
  await client.publishAsync('clients/pub-1/status', '{}', { qos: 1 })
  assert.equal(endpoint.publishers.send('pub-1', 'send'), true)
  await until(() => got.length === 1)
  assert.deepEqual((await client.subscribeAsync(commands, { qos: 0 }))[0]?.qos, 0)
  assert.equal(endpoint.publishers.send('pub-1', Buffer.from('cancel')), true)
  await until(() => got.length === 2)
  assert.deepEqual(got, [
    [commands, 'send', 1],
    [commands, 'cancel', 0],
  ])

  await client.unsubscribeAsync(commands)
  assert.equal(endpoint.publishers.send('pub-1', 'not any more'), false)
})

test('a publisher that acknowledges nothing gets no more than its share', async (t) => {
  const { endpoint, port } = await startEndpoint(t, { limits: { unacknowledged: 3 } })
  const client = await rawPublisher(t, port, 'pub-1')
  client.send(subscribeTo('clients/pub-1/commands'))
  assert.equal((await client.next()).type, 'suback')
  client.send(status('pub-1'), pingreq())
  assert.equal((await client.next()).type, 'pingresp')
  assert.deepEqual(
    [1, 2, 3, 4].map((number) => endpoint.publishers.send('pub-1', `${number}`)),
    [true, true, true, false],
  )
  const ids = [await client.next(), await client.next(), await client.next()].map(
    (packet) => packet.packet_id,
  )
  assert.equal(new Set(ids).size, 3)
  client.send(puback(ids[1]!), puback(999), pingreq())
  assert.equal((await client.next()).type, 'pingresp')
  assert.equal(endpoint.publishers.send('pub-1', '5'), true)
  assert.equal(endpoint.publishers.send('pub-1', '6'), false)
})

test('TLS publishers have their own port, and anything else that connects there does no harm', async (t) => {
  const { endpoint } = await startEndpoint(t, { limits: { connect_ms: 500 } })
  const [cert, key] = ['cert', 'key'].map((name) =>
    readFileSync(new URL(`../../test/fixtures/localhost.${name}.pem`, import.meta.url)),
  ) as [Buffer, Buffer]
  const { port } = await endpoint.listen({
    host: '127.0.0.1',
    port: 0,
    tls: { context: () => createSecureContext({ cert, key }) },
  })
  const plain = await rawClient(t, port)
  plain.send(connectPacket('pub-1'))
  await plain.closed
  const silent = await rawClient(t, port)
  const hasty = await rawClient(t, port)
  hasty.send(Buffer.from([0x16, 3, 1, 2, 0])) // begins a handshake
  hasty.socket.resetAndDestroy()

  const client = await publisher(t, `mqtts://127.0.0.1:${port}`, 'pub-2', { rejectUnauthorized: false })
  await client.publishAsync('clients/pub-2/reports', 'x'.repeat(60_000), { qos: 1 })
  await silent.closed
  await until(() => endpoint.counts().pending === 0)
  assert.deepEqual(endpoint.counts(), { publishers: 1, listeners: 0, pending: 0 })
})

test('the time of its last packet is known while a publisher is connected', async (t) => {
  const { endpoint, port } = await startEndpoint(t)
  assert.equal(endpoint.publishers.lastHeard('pub-1'), undefined)
  const began = Date.now()
  const client = await rawPublisher(t, port, 'pub-1')
  const first = endpoint.publishers.lastHeard('pub-1')!
  // It is computed from two clocks, and not exact.
  assert.ok(first > began - 1_000 && first < Date.now() + 1_000, `${first - began}`)
  await sleep(30)
  client.send(pingreq())
  await client.next()
  assert.ok(endpoint.publishers.lastHeard('pub-1')! >= first + 25)
})
