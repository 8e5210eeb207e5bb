import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { createSecureContext } from 'node:tls'
import { setTimeout as sleep } from 'node:timers/promises'
import { generate, type Packet } from 'mqtt-packet'
import { publishedTopic } from './device.ts'
import { connectPacket, device, rawClient, rawDevice, report, startBroker, until, status } from './testing.ts'

const url = (port: number) => `mqtt://127.0.0.1:${port}`
const subscribe = (topic: string, qos: 0 | 1 | 2 = 1): Packet => ({
  cmd: 'subscribe',
  messageId: 1,
  subscriptions: [{ topic, qos }],
})

test('a device publishes to each of its four topics', async (t) => {
  const { port, told } = await startBroker(t)
  const client = await device(t, url(port), 'dev-1')
  for (const topic of ['status', 'networks', 'reports', 'inbox']) {
    await client.publishAsync(`devices/dev-1/${topic}`, `a ${topic}`, { qos: 1 })
  }
  assert.deepEqual(told, [
    'dev-1 status a status',
    'dev-1 networks a networks',
    'dev-1 reports a reports',
    'dev-1 inbox a inbox',
  ])
})

test('a device publishes with QoS 0 as well, and a duplicate is taken like the first', async (t) => {
  const { port, told } = await startBroker(t)
  const client = await rawDevice(t, port, 'dev-1')
  client.send(report('dev-1', 'zero'), { ...report('dev-1', 'again', 9), dup: true } as Packet)
  const answer = await client.next()
  assert.deepEqual([answer.cmd, answer.messageId], ['puback', 9])
  assert.deepEqual(told, ['dev-1 reports zero', 'dev-1 reports again'])
})

test('only the exact names of its own topics are its topics', () => {
  assert.equal(publishedTopic('a', 'devices/a/reports')?.pattern, 'devices/:uid/reports')
  for (const name of [
    'devices/a/commands',
    'devices/ab/reports',
    'devices//reports',
    'devices/a/reports/',
    'devices/a/Reports',
    '/devices/a/reports',
    'devices/a',
    'devices/a/',
    'devices/+/reports',
    'devices/a/#',
    '',
  ]) {
    assert.equal(publishedTopic('a', name), undefined, name)
  }
})

for (const [name, ...packets] of [
  ['publishes to its commands', { ...report('dev-1', 'x', 1), topic: 'devices/dev-1/commands' }],
  ["publishes to another device's reports", report('dev-2', 'x', 1)],
  ['publishes to a wildcard', { ...report('dev-1', 'x', 1), topic: 'devices/+/reports' }],
  ['publishes to what browsers hear', { ...report('dev-1', 'x', 1), topic: 'devices/status' }],
  ['publishes a retained message', { ...report('dev-1', 'x', 1), retain: true }],
  ['publishes with QoS 2', { ...report('dev-1', 'x', 1), qos: 2 }],
  ['publishes with packet id 0', report('dev-1', 'x', 0)],
  ['publishes more than 64 KiB', report('dev-1', 'x'.repeat(64 * 1024 + 1), 1)],
  ["subscribes to another device's commands", subscribe('devices/dev-2/commands')],
  ['subscribes to a wildcard', subscribe('devices/+/commands')],
  ['subscribes to everything', subscribe('#')],
  ['subscribes to a topic for browsers', subscribe('devices/status')],
  ['subscribes to nothing', Buffer.from([0x82, 2, 0, 1])],
  [
    'subscribes with QoS 3',
    Buffer.from([...generate(subscribe('devices/dev-1/commands')).subarray(0, -1), 3]),
  ],
  ['subscribes with packet id 0', { ...subscribe('devices/dev-1/commands'), messageId: 0 }],
  ['unsubscribes from what is not its own', { cmd: 'unsubscribe', messageId: 1, unsubscriptions: ['#'] }],
  ['sends what only a server sends', { cmd: 'pingresp' }],
  ['sends a topic that is longer than its packet', Buffer.from([0x30, 4, 0, 9, 0x61, 0x62])],
  ['sends a PUBLISH without its packet id', Buffer.from([0x32, 3, 0, 1, 0x61])],
] as [string, ...(Packet | Buffer)[]][]) {
  test(`the connection of a device that ${name} is ended`, async (t) => {
    const { broker, port, told } = await startBroker(t)
    const client = await rawDevice(t, port, 'dev-1')
    client.send(...packets)
    await assert.rejects(client.next(), /the connection ended/)
    await until(() => told.includes('dev-1 gone'))
    assert.equal(broker.tally.ended.breach, 1)
    assert.deepEqual(told, ['dev-1 gone'])
  })
}

test('a payload of 64 KiB is taken, byte for byte', async (t) => {
  const { port, told } = await startBroker(t)
  const client = await device(t, url(port), 'dev-1')
  const text = 'x'.repeat(64 * 1024)
  await client.publishAsync('devices/dev-1/reports', text, { qos: 1 })
  assert.equal(told[0], `dev-1 reports ${text}`)
})

test('packets that come byte by byte are taken', async (t) => {
  const { port, told } = await startBroker(t)
  const client = await rawDevice(t, port, 'dev-1')
  client.socket.setNoDelay(true)
  for (const byte of generate(report('dev-1', 'slowly', 5))) {
    client.send(Buffer.from([byte]))
    await sleep(1)
  }
  assert.equal((await client.next()).messageId, 5)
  assert.deepEqual(told, ['dev-1 reports slowly'])
})

test('200 reports in one segment are taken in order, one at a time, and acknowledged in order', async (t) => {
  let at_once = 0
  let most_at_once = 0
  const payloads: string[] = []
  const { port } = await startBroker(t, {
    async received(_, __, payload) {
      most_at_once = Math.max(most_at_once, ++at_once)
      payloads.push(payload.toString())
      await sleep(Math.random() < 0.1 ? 2 : 0)
      at_once--
    },
  })
  const client = await rawDevice(t, port, 'dev-1')
  const numbers = Array.from({ length: 200 }, (_, index) => index + 1)
  client.send(...numbers.map((number) => report('dev-1', `report ${number}`, number)))
  const acknowledged: (number | undefined)[] = []
  for (const _ of numbers) acknowledged.push((await client.next()).messageId)
  assert.deepEqual(acknowledged, numbers)
  assert.deepEqual(
    payloads,
    numbers.map((number) => `report ${number}`),
  )
  assert.equal(most_at_once, 1)
})

test('the PUBACK leaves only after the message was taken', async (t) => {
  const commit = Promise.withResolvers<void>()
  const { port } = await startBroker(t, { received: () => commit.promise })
  const client = await rawDevice(t, port, 'dev-1')
  client.send(report('dev-1', 'x', 1), { cmd: 'pingreq' })
  assert.equal((await client.next()).cmd, 'pingresp')
  const answer = client.next()
  assert.equal(await Promise.race([answer, sleep(30, 'nothing yet')]), 'nothing yet')
  commit.resolve()
  assert.deepEqual([(await answer).cmd, (await answer).messageId], ['puback', 1])
})

test('a message that cannot be taken ends the connection without a PUBACK, and what is behind it is dropped', async (t) => {
  const taken: string[] = []
  const { broker, port } = await startBroker(t, {
    async received(_, __, payload) {
      taken.push(payload.toString())
      if (payload.toString() === 'bad') throw new Error('disk full')
    },
  })
  const client = await rawDevice(t, port, 'dev-1', {
    will: { topic: 'devices/dev-1/status', payload: Buffer.from('will') },
  })
  client.send(report('dev-1', 'good', 1), report('dev-1', 'bad', 2), report('dev-1', 'behind', 3))
  assert.equal((await client.next()).messageId, 1)
  await assert.rejects(client.next(), /the connection ended/)
  await until(() => broker.tally.ended.failed === 1)
  assert.deepEqual(taken, ['good', 'bad', 'will'])
})

for (const [what, limits, bytes] of [
  ['packets', { waiting_packets: 10, waiting_bytes: Infinity }, 5_000],
  ['bytes', { waiting_packets: Infinity, waiting_bytes: 100_000 }, 60_000],
] as const) {
  test(`a device that sends more ${what} than can be taken is not read, and loses nothing`, async (t) => {
    const commit = Promise.withResolvers<void>()
    let taken = 0
    const { port } = await startBroker(t, {
      limits,
      async received() {
        await commit.promise
        taken++
      },
    })
    const client = await rawDevice(t, port, 'dev-1')
    const numbers = Array.from({ length: 30_000_000 / bytes }, (_, index) => index + 1)
    client.send(...numbers.map((number) => report('dev-1', 'x'.repeat(bytes), number)))
    await sleep(300)
    assert.ok(
      client.socket.writableLength > 1_000_000,
      `${client.socket.writableLength} bytes stay with the device`,
    )
    commit.resolve()
    for (const number of numbers) assert.equal((await client.next()).messageId, number)
    assert.equal(taken, numbers.length)
  })
}

test('a command reaches the device that is subscribed and has said its status, with the QoS that it asked for', async (t) => {
  const { broker, port } = await startBroker(t)
  assert.equal(broker.toDevice('dev-1', 'nobody there'), false)
  const client = await device(t, url(port), 'dev-1')
  assert.equal(broker.toDevice('dev-1', 'not subscribed'), false)

  const got: [string, string, number][] = []
  client.on('message', (topic, payload, packet) => got.push([topic, payload.toString(), packet.qos]))
  const commands = 'devices/dev-1/commands'
  assert.deepEqual((await client.subscribeAsync(commands, { qos: 2 }))[0]?.qos, 1)
  assert.equal(broker.toDevice('dev-1', 'no status yet'), false)
  await client.publishAsync('devices/dev-1/status', '{}', { qos: 1 })
  assert.equal(broker.toDevice('dev-1', 'send'), true)
  await until(() => got.length === 1)
  assert.deepEqual((await client.subscribeAsync(commands, { qos: 0 }))[0]?.qos, 0)
  assert.equal(broker.toDevice('dev-1', Buffer.from('cancel')), true)
  await until(() => got.length === 2)
  assert.deepEqual(got, [
    [commands, 'send', 1],
    [commands, 'cancel', 0],
  ])

  await client.unsubscribeAsync(commands)
  assert.equal(broker.toDevice('dev-1', 'not any more'), false)
})

test('a device that acknowledges nothing is given no more commands after its share', async (t) => {
  const { broker, port } = await startBroker(t, { limits: { unacknowledged_commands: 3 } })
  const client = await rawDevice(t, port, 'dev-1')
  client.send(subscribe('devices/dev-1/commands'))
  assert.equal((await client.next()).cmd, 'suback')
  client.send(status('dev-1'), { cmd: 'pingreq' })
  assert.equal((await client.next()).cmd, 'pingresp')
  assert.deepEqual(
    [1, 2, 3, 4].map((number) => broker.toDevice('dev-1', `${number}`)),
    [true, true, true, false],
  )
  const ids = [await client.next(), await client.next(), await client.next()].map(
    (packet) => packet.messageId,
  )
  assert.equal(new Set(ids).size, 3)
  client.send({ cmd: 'puback', messageId: ids[1]! }, { cmd: 'puback', messageId: 999 }, { cmd: 'pingreq' })
  assert.equal((await client.next()).cmd, 'pingresp')
  assert.equal(broker.toDevice('dev-1', '5'), true)
  assert.equal(broker.toDevice('dev-1', '6'), false)
})

test('TLS devices are served on a port of their own, and whatever else knocks there does no harm', async (t) => {
  const { broker } = await startBroker(t, { limits: { connect_ms: 500 } })
  const [cert, key] = ['cert', 'key'].map((name) =>
    readFileSync(new URL(`fixtures/localhost.${name}.pem`, import.meta.url)),
  ) as [Buffer, Buffer]
  const { port } = await broker.listen({
    host: '127.0.0.1',
    port: 0,
    tls: { context: () => createSecureContext({ cert, key }) },
  })
  const plain = await rawClient(t, port)
  plain.send(connectPacket('dev-1'))
  await plain.closed
  const silent = await rawClient(t, port)
  const hasty = await rawClient(t, port)
  hasty.send(Buffer.from([0x16, 3, 1, 2, 0])) // begins a handshake
  hasty.socket.resetAndDestroy()

  const client = await device(t, `mqtts://127.0.0.1:${port}`, 'dev-2', { rejectUnauthorized: false })
  await client.publishAsync('devices/dev-2/reports', 'x'.repeat(60_000), { qos: 1 })
  await silent.closed
  await until(() => broker.counts().pending === 0)
  assert.deepEqual(broker.counts(), { devices: 1, browsers: 0, pending: 0 })
})

test('the time of its last packet is known while a device is connected', async (t) => {
  const { broker, port } = await startBroker(t)
  assert.equal(broker.lastSeen('dev-1'), undefined)
  const client = await rawDevice(t, port, 'dev-1')
  const first = broker.lastSeen('dev-1')!
  assert.ok(Math.abs(first - Date.now()) < 1_000)
  await sleep(30)
  client.send({ cmd: 'pingreq' })
  await client.next()
  assert.ok(broker.lastSeen('dev-1')! >= first + 25)
})
