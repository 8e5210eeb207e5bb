import assert from 'node:assert/strict'
import { test } from 'node:test'
import { generate, type IConnectPacket, type Packet } from 'mqtt-packet'
import type { KnownDevice } from './rules.ts'
import {
  browser,
  connectPacket,
  device,
  rawClient,
  rawDevice,
  report,
  startBroker,
  until,
} from './testing.ts'

const will = (but: Partial<IConnectPacket['will']> = {}) => ({
  will: {
    topic: 'devices/dev-1/status',
    payload: Buffer.from('gone'),
    qos: 1 as const,
    retain: false,
    ...but,
  },
})

test('a device with its secret is admitted, over TCP and over WebSocket', async (t) => {
  const { broker, port, web_port } = await startBroker(t)
  await device(t, `mqtt://127.0.0.1:${port}`, 'dev-1', will())
  await device(t, `ws://127.0.0.1:${web_port}/mqtt`, 'dev-2')
  assert.deepEqual(broker.counts(), { devices: 2, browsers: 0, pending: 0 })
})

for (const [name, but, code] of [
  ['a wrong secret', { password: Buffer.from('guess') }, 4],
  ['an unknown uid', { clientId: 'dev-9', username: 'dev-9' }, 4],
  ['no secret', { password: undefined }, 4],
  ['neither user name nor secret', { username: undefined, password: undefined }, 4],
  ['an access token on TCP', { password: Buffer.from('sds_one') }, 4],
  ['a uid that the contract does not allow', { clientId: '-dev', username: '-dev' }, 4],
  ['a wildcard as uid', { clientId: '#', username: '#' }, 4],
  ['a client id that is not its user name', { clientId: 'dev-2' }, 5],
  ['an empty client id', { clientId: '' }, 5],
  ['a session to be kept', { clean: false }, 2],
  ['no keep-alive', { keepalive: 0 }, 5],
  ['a keep-alive of more than 120 s', { keepalive: 121 }, 5],
  ['a will on a topic that is not its status', will({ topic: 'devices/dev-1/reports' }), 5],
  ["a will on another device's status", will({ topic: 'devices/dev-2/status' }), 5],
  ['a retained will', will({ retain: true }), 5],
  ['a will of QoS 2', will({ qos: 2 }), 5],
  ['MQTT 3.1', { protocolId: 'MQIsdp', protocolVersion: 3 }, 1],
  ['MQTT 5', { protocolVersion: 5 }, 1],
] as [string, Partial<IConnectPacket>, number][]) {
  test(`a device with ${name} is refused with CONNACK ${code}`, async (t) => {
    const { broker, port } = await startBroker(t, {
      admitDevice: async (uid, secret) =>
        uid === 'dev-1' && secret === 'secret-of-dev-1'
          ? { device_id: 1, company_id: 1, connection: 1 }
          : undefined,
    })
    const client = await rawClient(t, port)
    client.send(connectPacket('dev-1', but))
    const answer = await client.next()
    assert.equal(answer.cmd === 'connack' && answer.returnCode, code)
    await client.closed
    await until(() => broker.counts().pending === 0)
    assert.equal(broker.counts().devices, 0)
  })
}

test('a level or name that no version has is refused with CONNACK 1', async (t) => {
  const { port } = await startBroker(t)
  for (const [at, byte] of [
    [8, 6],
    [8, 0x84],
    [4, 'X'.charCodeAt(0)],
  ] as const) {
    const packet = generate(connectPacket('dev-1'))
    packet[at] = byte
    const client = await rawClient(t, port)
    client.send(packet)
    const answer = await client.next()
    assert.equal(answer.cmd === 'connack' && answer.returnCode, 1)
    await client.closed
  }
})

const lengthened = generate(connectPacket('dev-1'))
lengthened[1]! += 2
const flagged = generate(connectPacket('dev-1'))
flagged[9]! |= 1
const secret = Buffer.from([0, 2, ...Buffer.from('pw')])
const anonymous = Buffer.concat([
  generate(connectPacket('dev-1', { username: undefined, password: undefined })),
  secret,
])
anonymous[1]! += secret.length
anonymous[9]! |= 0x40

for (const [name, packets] of [
  ['with bytes behind its last field', [lengthened, Buffer.from('xx')]],
  ['with its reserved flag set', [flagged]],
  ['with a password but no user name', [anonymous]],
  ['with NUL in its client id', [connectPacket('dev-1', { clientId: 'dev\0' })]],
  ['with a control character in its user name', [connectPacket('dev-1', { username: 'dev\u0007' })]],
  [
    'with a client id that is not UTF-8',
    [connectPacket('dev-1', { clientId: Buffer.from([0xff, 0xfe]) as never })],
  ],
  ['of more than 4 KiB', [connectPacket('dev-1', { password: Buffer.alloc(4_200, 'x') })]],
] as [string, (Packet | Buffer)[]][]) {
  test(`a CONNECT ${name} ends the connection without a CONNACK`, async (t) => {
    const { broker, port } = await startBroker(t)
    const client = await rawClient(t, port)
    client.send(...packets)
    await assert.rejects(client.next(), /the connection ended/)
    await until(() => broker.tally.ended.breach === 1)
  })
}

test('a packet before CONNECT ends the connection', async (t) => {
  const { broker, port } = await startBroker(t)
  const client = await rawClient(t, port)
  client.send({ cmd: 'pingreq' })
  await client.closed
  await until(() => broker.tally.ended.breach === 1)
})

test('a second CONNECT ends the connection', async (t) => {
  const { port } = await startBroker(t)
  const client = await rawDevice(t, port, 'dev-1')
  client.send(connectPacket('dev-1'))
  await client.closed
})

test("a second CONNECT of MQTT 5 ends the connection and spoils nobody else's packets", async (t) => {
  const { port, told } = await startBroker(t)
  const innocent = await rawDevice(t, port, 'dev-2')
  const client = await rawDevice(t, port, 'dev-1')
  client.send(connectPacket('dev-1', { protocolVersion: 5 }))
  await client.closed
  innocent.send(report('dev-2', 'whole', 1))
  assert.equal((await innocent.next()).cmd, 'puback')
  assert.ok(told.includes('dev-2 reports whole'))
})

test('what a device sends right behind its CONNECT waits for the CONNACK', async (t) => {
  const { port, told } = await startBroker(t)
  const client = await rawClient(t, port)
  client.send(connectPacket('dev-1'), report('dev-1', 'x'.repeat(10_000), 1), { cmd: 'pingreq' })
  assert.equal((await client.next()).cmd, 'connack')
  const answers = [(await client.next()).cmd, (await client.next()).cmd]
  assert.deepEqual(answers.sort(), ['pingresp', 'puback'])
  assert.equal(told.length, 1)
})

test('rules that fail refuse the CONNECT with CONNACK 3', async (t) => {
  const { port } = await startBroker(t, { admitDevice: () => Promise.reject(new Error('no database')) })
  const client = await rawClient(t, port)
  client.send(connectPacket('dev-1'))
  const answer = await client.next()
  assert.equal(answer.cmd === 'connack' && answer.returnCode, 3)
  await client.closed
})

test('a device cut while it is being admitted is refused', async (t) => {
  const admitted = Promise.withResolvers<KnownDevice>()
  let asked = false
  const { broker, port } = await startBroker(t, {
    admitDevice() {
      asked = true
      return admitted.promise
    },
  })
  const client = await rawClient(t, port)
  client.send(connectPacket('dev-1'))
  await until(() => asked)
  broker.disconnectDevice('dev-1')
  admitted.resolve({ device_id: 1, company_id: 1, connection: 1 })
  const answer = await client.next()
  assert.equal(answer.cmd === 'connack' && answer.returnCode, 4)
})

test('no secret, token or payload gets into the log', async (t) => {
  const { broker, port, web_port, logged } = await startBroker(t, {
    admitDevice: async (uid) =>
      uid === 'dev-1' ? { device_id: 1, company_id: 1, connection: 1 } : undefined,
    received: () => Promise.reject(new Error('disk full')),
  })
  const failing = await rawDevice(t, port, 'dev-1', will({ payload: Buffer.from('private') }))
  failing.send(report('dev-1', 'private', 1))
  await failing.closed
  await assert.rejects(rawDevice(t, port, 'dev-2'))
  await browser(t, web_port, 'sds_one')
  await assert.rejects(browser(t, web_port, 'sds_stale'))
  const breaching = await rawDevice(t, port, 'dev-1')
  breaching.send(report('private', 'private', 1))
  await until(() => broker.tally.ended.breach === 1)
  const text = logged.join('')
  for (const expected of ['device admitted', 'browser admitted', 'disk full', 'not its own']) {
    assert.ok(text.includes(expected), expected)
  }
  assert.doesNotMatch(text, /secret|sds_|private/)
})
