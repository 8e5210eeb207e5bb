import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pingreq } from '#mqtt/codec/from-client.ts'
import {
  connectPacket,
  type KnownPublisher,
  listener,
  publisher,
  rawPublisher,
  report,
  startEndpoint,
} from '#test/endpoint.ts'
import { changed, rawClient, until } from '#test/raw-client.ts'

const LEVEL = 8
const will = { will: { topic: 'clients/pub-1/status', payload: 'gone', qos: 1 } }

test('a publisher with its secret is admitted, over TCP and over WebSocket', async (t) => {
  const { endpoint, port, web_port } = await startEndpoint(t)
  await rawPublisher(t, port, 'pub-1', will)
  await publisher(t, `ws://127.0.0.1:${web_port}/mqtt`, 'pub-2')
  assert.deepEqual(endpoint.counts(), { publishers: 2, listeners: 0, pending: 0 })
})

for (const [name, packet, code] of [
  ['MQTT 5', changed(connectPacket('pub-1'), LEVEL, 5), 1],
  ['MQTT 3.1', Buffer.from([0x10, 14, 0, 6, ...Buffer.from('MQIsdp'), 3, 2, 0, 30, 0, 0]), 1],
  ['a session to be kept', connectPacket('pub-1', { clean: false }), 2],
  ['a wrong secret', connectPacket('pub-1', { password: 'guess' }), 4],
  ['what the rules forbid', connectPacket('pub-1', { client_id: 'pub-2' }), 5],
] as [string, Uint8Array, number][]) {
  test(`a client with ${name} is refused with CONNACK ${code}`, async (t) => {
    const { endpoint, port } = await startEndpoint(t)
    const client = await rawClient(t, port)
    client.send(packet)
    const answer = await client.next()
    assert.equal(answer.type === 'connack' && answer.code, code)
    await client.closed
    await until(() => endpoint.counts().pending === 0)
    assert.equal(endpoint.counts().publishers, 0)
  })
}

test('an unknown protocol level or name is refused with CONNACK 1', async (t) => {
  const { port } = await startEndpoint(t)
  for (const [at, byte] of [
    [LEVEL, 6],
    [LEVEL, 0x84],
    [4, 'X'.charCodeAt(0)],
  ] as const) {
    const client = await rawClient(t, port)
    client.send(changed(connectPacket('pub-1'), at, byte))
    const answer = await client.next()
    assert.equal(answer.type === 'connack' && answer.code, 1)
    await client.closed
  }
})

const lengthened = connectPacket('pub-1')
lengthened[1]! += 2
const flagged = connectPacket('pub-1')
flagged[9]! |= 1
const unwilled = connectPacket('pub-1')
unwilled[9]! |= 0x20
const anonymous = connectPacket('pub-1', { username: undefined })
const not_utf8 = connectPacket('pub-1', { client_id: 'pub' })
not_utf8.set([0xff, 0xfe], 14)

for (const [name, ...packets] of [
  ['with bytes behind its last field', lengthened, Buffer.from('xx')],
  ['with its reserved flag set', flagged],
  ['with a retained will and no will', unwilled],
  ['with a password but no user name', anonymous],
  ['with NUL in its client id', connectPacket('pub-1', { client_id: 'pub\0' })],
  ['with a control character in its user name', connectPacket('pub-1', { username: 'pub\u0007' })],
  ['with a client id that is not UTF-8', not_utf8],
  ['of more than 4 KiB', connectPacket('pub-1', { password: Buffer.alloc(4_200, 'x') })],
] as [string, ...Uint8Array[]][]) {
  test(`a CONNECT ${name} ends the connection without a CONNACK`, async (t) => {
    const { endpoint, port } = await startEndpoint(t)
    const client = await rawClient(t, port)
    client.send(...packets)
    await assert.rejects(client.next(), /the connection ended/)
    await until(() => endpoint.tally.ended.breach === 1)
  })
}

test('a packet before CONNECT ends the connection', async (t) => {
  const { endpoint, port } = await startEndpoint(t)
  const client = await rawClient(t, port)
  client.send(pingreq())
  await client.closed
  await until(() => endpoint.tally.ended.breach === 1)
})

test('a second CONNECT ends the connection', async (t) => {
  const { port } = await startEndpoint(t)
  const client = await rawPublisher(t, port, 'pub-1')
  client.send(connectPacket('pub-1'))
  await client.closed
})

test("a second CONNECT of MQTT 5 ends the connection and does not affect other connections' packets", async (t) => {
  const { port, told } = await startEndpoint(t)
  const innocent = await rawPublisher(t, port, 'pub-2')
  const client = await rawPublisher(t, port, 'pub-1')
  client.send(changed(connectPacket('pub-1'), LEVEL, 5))
  await client.closed
  innocent.send(report('pub-2', 'whole', 1))
  assert.equal((await innocent.next()).type, 'puback')
  assert.ok(told.includes('pub-2 reports whole'))
})

test('packets sent right after a CONNECT wait for the CONNACK', async (t) => {
  const { port, told } = await startEndpoint(t)
  const client = await rawClient(t, port)
  client.send(connectPacket('pub-1'), report('pub-1', 'x'.repeat(10_000), 1), pingreq())
  assert.equal((await client.next()).type, 'connack')
  const answers = [(await client.next()).type, (await client.next()).type]
  assert.deepEqual(answers.sort(), ['pingresp', 'puback'])
  assert.equal(told.length, 1)
})

test('rules that fail refuse the CONNECT with CONNACK 3', async (t) => {
  const { port } = await startEndpoint(t, { admitPublisher: () => Promise.reject(new Error('no database')) })
  const client = await rawClient(t, port)
  client.send(connectPacket('pub-1'))
  const answer = await client.next()
  assert.equal(answer.type === 'connack' && answer.code, 3)
  await client.closed
})

test('a publisher cut while it is being admitted is refused', async (t) => {
  const admitted = Promise.withResolvers<KnownPublisher>()
  let asked = false
  const { endpoint, port } = await startEndpoint(t, {
    admitPublisher() {
      asked = true
      return admitted.promise
    },
  })
  const client = await rawClient(t, port)
  client.send(connectPacket('pub-1'))
  await until(() => asked)
  endpoint.publishers.disconnect('pub-1')
  admitted.resolve({ number: 1 })
  const answer = await client.next()
  assert.equal(answer.type === 'connack' && answer.code, 4)
})

test('no secret, token or payload gets into the log', async (t) => {
  const { endpoint, port, web_port, logged } = await startEndpoint(t, {
    admitPublisher: async (name) => (name === 'pub-1' ? { number: 1 } : undefined),
    received: () => Promise.reject(new Error('disk full')),
  })
  const failing = await rawPublisher(t, port, 'pub-1', { will: { ...will.will, payload: 'private' } })
  failing.send(report('pub-1', 'private', 1))
  await failing.closed
  await assert.rejects(rawPublisher(t, port, 'pub-2'))
  await listener(t, web_port, 'key_one')
  await assert.rejects(listener(t, web_port, 'key_stale'))
  const breaching = await rawPublisher(t, port, 'pub-1')
  breaching.send(report('private', 'private', 1))
  await until(() => endpoint.tally.ended.breach === 1)
  const text = logged.join('')
  for (const expected of ['publisher admitted', 'listener admitted', 'disk full', 'not its own']) {
    assert.ok(text.includes(expected), expected)
  }
  assert.doesNotMatch(text, /secret|key_|private/)
})
