import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { generate, type Packet, parser } from 'mqtt-packet'
import { ProtocolError } from './bytes.ts'
import * as client from './from-client.ts'
import * as server from './from-server.ts'
import { puback, publish } from './publish.ts'
import { packetReader } from './reader.ts'
import * as browser from './text.browser.ts'
import * as node from './text.ts'

const packet_id = fc.integer({ min: 1, max: 0xffff })
const text = fc.string({ unit: 'grapheme', maxLength: 200 })
const bytes = fc.uint8Array({ maxLength: 300 }).map((list) => Buffer.from(list))
const topics = fc.array(fc.string({ unit: 'binary', minLength: 1, maxLength: 80 }), {
  minLength: 1,
  maxLength: 8,
})

const connect = fc.record({
  client_id: text.map((name) => `c${name}`),
  clean: fc.boolean(),
  keep_alive_secs: fc.nat({ max: 0xffff }),
  username: text,
  password: fc.option(bytes, { nil: undefined }),
  will: fc.option(
    fc.record({
      topic: fc.string({ minLength: 1 }),
      payload: bytes,
      qos: fc.constantFrom(0 as const, 1 as const, 2 as const),
      retain: fc.boolean(),
    }),
    { nil: undefined },
  ),
})

/** Packets as this codec and mqtt-packet write them. */
const written: Record<string, fc.Arbitrary<[ours: Uint8Array, theirs: Packet]>> = {
  CONNECT: connect.map((spec) => [
    client.connect(spec),
    {
      cmd: 'connect',
      clientId: spec.client_id,
      clean: spec.clean,
      keepalive: spec.keep_alive_secs,
      username: spec.username,
      ...(spec.password && { password: spec.password }),
      ...(spec.will && { will: spec.will }),
    },
  ]),
  PUBLISH: fc
    .tuple(text, fc.oneof(text, bytes), fc.option(packet_id, { nil: undefined }))
    .map(([topic, payload, messageId]) => [
      publish(`t${topic}`, payload, messageId),
      {
        cmd: 'publish',
        topic: `t${topic}`,
        payload,
        qos: messageId === undefined ? 0 : 1,
        dup: false,
        retain: false,
        messageId,
      },
    ]),
  PUBACK: packet_id.map((messageId) => [puback(messageId), { cmd: 'puback', messageId }]),
  SUBSCRIBE: fc
    .tuple(packet_id, topics, fc.constantFrom(0 as const, 1 as const))
    .map(([messageId, names, qos]) => [
      client.subscribe(messageId, names, qos),
      { cmd: 'subscribe', messageId, subscriptions: names.map((topic) => ({ topic, qos })) },
    ]),
  UNSUBSCRIBE: fc
    .tuple(packet_id, topics)
    .map(([messageId, unsubscriptions]) => [
      client.unsubscribe(messageId, unsubscriptions),
      { cmd: 'unsubscribe', messageId, unsubscriptions },
    ]),
  CONNACK: fc
    .nat({ max: 5 })
    .map((returnCode) => [server.connack(returnCode), { cmd: 'connack', returnCode, sessionPresent: false }]),
  SUBACK: fc
    .tuple(packet_id, fc.array(fc.constantFrom(0, 1, 0x80), { minLength: 1 }))
    .map(([messageId, granted]) => [
      server.suback(messageId, granted),
      { cmd: 'suback', messageId, granted },
    ]),
  UNSUBACK: packet_id.map((messageId) => [
    server.unsuback(messageId),
    { cmd: 'unsuback', messageId, granted: [] },
  ]),
  PINGREQ: fc.constant([client.pingreq(), { cmd: 'pingreq' }]),
  PINGRESP: fc.constant([server.pingresp(), { cmd: 'pingresp' }]),
  DISCONNECT: fc.constant([client.disconnect(), { cmd: 'disconnect' }]),
}

for (const [type, packets] of Object.entries(written)) {
  test(`a ${type} is written byte for byte like mqtt-packet does`, () => {
    fc.assert(
      fc.property(packets, ([ours, theirs]) => {
        assert.deepEqual(Buffer.from(ours), generate(theirs))
      }),
    )
  })
}

test('a PUBLISH of any length is written byte for byte like mqtt-packet does', () => {
  for (const length of [0, 1, 100, 127, 128, 16_383, 16_384, 65_536, 3_000_000])
    for (const messageId of [undefined, 1, 255, 256, 0xffff]) {
      const [topic, payload] = ['clients/ñ-1/commands', 'é'.repeat(length / 2) + 'x'.repeat(length % 2)]
      const qos = messageId === undefined ? 0 : 1
      const wanted = generate({ cmd: 'publish', topic, payload, qos, dup: false, retain: false, messageId })
      assert.ok(wanted.equals(publish(topic, payload, messageId)))
      assert.ok(wanted.equals(publish(topic, Buffer.from(payload), messageId)))
    }
})

/** Packets from a client, as both codecs read them. */
test('client packets are read like mqtt-packet does', () => {
  const sent = fc.oneof(
    ...['CONNECT', 'PUBLISH', 'PUBACK', 'SUBSCRIBE', 'UNSUBSCRIBE'].map((type) => written[type]!),
  )
  fc.assert(
    fc.property(sent, ([frame]) => {
      const theirs = readByMqttPacket(frame)
      // An invalid character in a name is a breach here, but not for mqtt-packet.
      const ours = orBreach(() => client.readClientPacket(frame))
      if (ours instanceof ProtocolError) return assert.equal(theirs.cmd, 'connect')
      assert.deepEqual(plain(ours), plain(inOurWords(theirs)))
    }),
    { numRuns: 1_000 },
  )
})

test('server packets are read like mqtt-packet does', () => {
  const sent = fc.oneof(
    ...['CONNACK', 'PUBLISH', 'PUBACK', 'SUBACK', 'UNSUBACK', 'PINGRESP'].map((type) => written[type]!),
  )
  fc.assert(
    fc.property(sent, ([frame]) => {
      assert.deepEqual(plain(server.readServerPacket(frame)), plain(inOurWords(readByMqttPacket(frame))))
    }),
    { numRuns: 1_000 },
  )
})

const samples = [
  client.connect({
    client_id: 'a',
    username: 'a',
    password: 'secret',
    keep_alive_secs: 30,
    will: { topic: 'clients/a/status', payload: 'will' },
  }),
  publish('clients/a/reports', 'payload', 7),
  client.subscribe(7, ['clients/a/commands'], 1),
  client.unsubscribe(7, ['clients/a/commands']),
  puback(7),
  server.suback(7, [0, 1]),
  server.connack(0),
]

for (const [whose, read] of [
  ['client', client.readClientPacket],
  ['server', server.readServerPacket],
] as const) {
  test(`any packet of a ${whose} is either read or a breach`, () => {
    const noise = fc
      .tuple(fc.nat({ max: 0xff }), fc.uint8Array({ maxLength: 60 }))
      .map(([first, body]) => framed(first, body))
    const damaged = fc
      .tuple(fc.constantFrom(...samples), fc.nat({ max: 60 }), fc.nat({ max: 255 }), fc.nat({ max: 60 }))
      .map(([sample, at, byte, cut]) => {
        const body = Buffer.from(sample.subarray(2, Math.max(2, sample.length - cut)))
        if (at < body.length) body[at] = byte
        return framed(sample[0]!, body)
      })
    fc.assert(
      fc.property(fc.oneof(noise, damaged), (frame) => void orBreach(() => read(frame))),
      { numRuns: 3_000 },
    )
  })
}

test('packets are read the same however the stream is cut', () => {
  const packets = [
    server.connack(5),
    publish('t', 'hé'),
    server.suback(1, [0, 0x80]),
    publish('t', 'hé', 0x0102),
  ]
  const stream = Buffer.concat(packets)
  for (let size = 1; size <= stream.length; size++) {
    const read: server.ServerPacket[] = []
    const take = packetReader(server.readServerPacket, (packet) => read.push(packet))
    for (let at = 0; at < stream.length; at += size) take(stream.subarray(at, at + size))
    assert.deepEqual(
      read.map(plain),
      packets.map((packet) => plain(server.readServerPacket(packet))),
      `${size}`,
    )
  }
})

test('bytes that are not MQTT are refused immediately', () => {
  for (const [hex, what] of [
    ['30ffffffff01', 'five digits'],
    ['30808080 01', 'two mebibytes'],
    ['30020009', 'a topic longer than its packet'],
  ] as const) {
    const take = packetReader(server.readServerPacket, () => {})
    assert.throws(() => take(Buffer.from(hex.replaceAll(' ', ''), 'hex')), ProtocolError, what)
  }
})

test('text is the same in a browser and in Node', () => {
  fc.assert(
    fc.property(fc.oneof(text, fc.string({ unit: 'binary' })), bytes, (value, noise) => {
      const [one, other] = [
        node.newBytes(node.byteLength(value) + 1),
        browser.newBytes(browser.byteLength(value) + 1),
      ]
      one[0] = 7
      other[0] = 7
      assert.equal(node.writeText(one, value, 1), browser.writeText(other, value, 1))
      assert.deepEqual(Buffer.from(one), Buffer.from(other))
      assert.equal(node.readText(other, 1), browser.readText(one, 1))
      assert.equal(node.readText(noise), browser.readText(noise))
    }),
  )
})

/** A whole packet with this body, which may be invalid. */
function framed(first: number, body: Uint8Array): Uint8Array {
  return Uint8Array.from([first, body.length, ...body])
}

function orBreach<T>(read: () => T): T | ProtocolError {
  try {
    return read()
  } catch (error) {
    assert.ok(error instanceof ProtocolError, String(error))
    return error
  }
}

function readByMqttPacket(frame: Uint8Array): Packet {
  let read: Packet | undefined
  const reading = parser()
  reading.on('packet', (packet) => void (read = packet))
  reading.parse(Buffer.from(frame))
  return read!
}

function inOurWords(packet: Packet): client.ClientPacket | server.ServerPacket {
  const id = { packet_id: packet.messageId! }
  switch (packet.cmd) {
    case 'connect': {
      const { clientId: client_id, clean = true, keepalive: keep_alive_secs = 0, username, password } = packet
      const will = packet.will && {
        ...packet.will,
        payload: Buffer.from(packet.will.payload),
        qos: packet.will.qos!,
        retain: packet.will.retain!,
      }
      return {
        type: 'connect',
        client_id,
        clean,
        keep_alive_secs,
        username,
        password: password && Buffer.from(password),
        will,
      }
    }
    case 'publish': {
      const { topic, payload, qos, dup, retain, messageId } = packet
      return {
        type: 'publish',
        topic,
        payload: Buffer.from(payload),
        qos,
        dup,
        retain,
        packet_id: qos > 0 ? messageId : undefined,
      }
    }
    case 'subscribe':
      return {
        type: 'subscribe',
        ...id,
        filters: packet.subscriptions.map(({ topic, qos }) => ({ topic, qos })),
      }
    case 'unsubscribe':
      return { type: 'unsubscribe', ...id, topics: packet.unsubscriptions }
    case 'suback':
      return { type: 'suback', ...id, codes: packet.granted as number[] }
    case 'connack':
      return { type: 'connack', code: packet.returnCode! }
    case 'puback':
    case 'unsuback':
      return { type: packet.cmd, ...id }
    case 'pingresp':
      return { type: 'pingresp' }
    case 'auth':
    case 'disconnect':
    case 'pingreq':
    case 'pubcomp':
    case 'pubrec':
    case 'pubrel':
      throw new TypeError(packet.cmd)
  }
}

/** For comparison: bytes as one type, and absent fields left out. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return Uint8Array.from(value)
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).filter(([, field]) => field !== undefined)
  return Object.fromEntries(fields.map(([name, field]) => [name, plain(field)]))
}
