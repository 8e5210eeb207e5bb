import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { connectAsync, type MqttClient } from 'mqtt'
import { pino } from 'pino'
import { eventually } from '#test/device.ts'
import { startMosquitto, type TestBroker } from '#test/mosquitto.ts'
import { addressParts } from '#server/core/broker-address.ts'
import { CONTROL_ANSWERS, type DynamicSecurity, openDynamicSecurity } from './dynamic-security.ts'
import { type Link, startLink } from './link.ts'

let broker: TestBroker
let link: Link
let security: DynamicSecurity
const admin = 'sms-drone-dash'

before(async () => {
  broker = await startMosquitto({ clients: 'known' })
  security = openDynamicSecurity({ username: admin, tell: (topic, payload) => link.tell(topic, payload) })
  link = startLink({
    address: { url: broker.url },
    client_id: 'control',
    keep_secs: 0,
    subscriptions: [CONTROL_ANSWERS],
    take: async (_, payload) => security.answered(payload),
    log: pino({ level: 'silent' }),
    // The first time our own user is given its role, and its connection is ended.
    opened: () => security.prepare(),
    lost: () => security.lost(),
  })
  await link.ready(10_000)
})
after(async () => {
  await link.stop(0)
  await broker.stop()
})

async function connect(uid: string, password: string, clientId = uid): Promise<MqttClient> {
  const client = await connectAsync(`mqtt://127.0.0.1:${broker.port}`, {
    clientId,
    username: uid,
    password,
    reconnectPeriod: 0,
    protocolVersion: 4,
  })
  client.on('error', () => {})
  return client
}

test('a device connects with its secret and no other, as itself alone', async () => {
  await security.admit('d1', 'secret')
  const device = await connect('d1', 'secret')
  await assert.rejects(connect('d1', 'another'), /[Nn]ot authorized/)
  await assert.rejects(connect('d1', 'secret', 'd2'), /[Nn]ot authorized/)
  await assert.rejects(connect('d2', 'secret'), /[Nn]ot authorized/)
  await device.endAsync()
})

test('a device hears its own commands, and says what is its own to say', async () => {
  await security.admit('d3', 'secret')
  await security.admit('d4', 'secret')
  const [device, other] = [await connect('d3', 'secret'), await connect('d4', 'secret')]
  const heard: string[] = []
  for (const client of [device, other]) client.on('message', (topic) => heard.push(topic))
  await device.subscribeAsync('devices/d3/commands', { qos: 1 })
  for (const topic of [
    'devices/d4/commands',
    'devices/+/commands',
    'devices/d4/status',
    '#',
    '$share/x/devices/d4/commands',
  ])
    await assert.rejects(device.subscribeAsync(topic, { qos: 1 }), topic)
  const spied: string[] = []
  const spy = await connect(admin, addressParts(broker.url)!.password!, 'spy')
  spy.on('message', (topic, payload) => spied.push(`${topic} ${String(payload)}`))
  await spy.subscribeAsync('devices/#', { qos: 1 })
  await device.publishAsync('devices/d3/status', 'true', { qos: 1 })
  for (const topic of ['devices/d4/status', 'devices/d4/commands', 'devices/d3/commands', 'devices/d3']) {
    const forger = await connect('d3', 'secret')
    const cut = new Promise<void>((resolve) => forger.once('close', resolve))
    forger.publish(topic, 'forged', { qos: 0 })
    await cut
  }
  const last = await connect('d3', 'secret')
  await last.publishAsync('devices/d3/inbox', 'true', { qos: 1 })
  await eventually(() => spied.length > 1)
  assert.deepEqual(spied, ['devices/d3/status true', 'devices/d3/inbox true'])
  assert.deepEqual(heard, [])
  await Promise.all([last.endAsync(), other.endAsync(), spy.endAsync()])
})

test('a new secret ends the connection and the old secret', async () => {
  await security.admit('d5', 'first')
  const device = await connect('d5', 'first')
  const closed = new Promise<void>((resolve) => device.once('close', resolve))
  await security.admit('d5', 'second')
  await closed
  await assert.rejects(connect('d5', 'first'), /[Nn]ot authorized/)
  await (await connect('d5', 'second')).endAsync()
})

test('who is expelled is cut, and gone from the list of those admitted', async () => {
  await security.admit('d6', 'secret')
  assert.ok((await security.admitted()).includes('d6'))
  const device = await connect('d6', 'secret')
  const closed = new Promise<void>((resolve) => device.once('close', resolve))
  await security.expel('d6')
  await closed
  await assert.rejects(connect('d6', 'secret'), /[Nn]ot authorized/)
  assert.ok(!(await security.admitted()).includes('d6'))
  await security.expel('d6')
  await security.admit('d6', 'again')
  await (await connect('d6', 'again')).endAsync()
})

test('a device that calls itself as a user of the broker does not become that user', async () => {
  await assert.rejects(security.admit(admin, 'mine'), { code: 'uid_taken' })
  await security.expel(admin)
  const { password } = addressParts(broker.url)!
  await (await connect(admin, password!, 'still-there')).endAsync()
})

test('without a connection to the broker nobody is admitted, and the caller hears why', async () => {
  const nobody = openDynamicSecurity({ username: admin, tell: () => false })
  await assert.rejects(nobody.admit('d7', 'secret'), { code: 'not_ready' })
})
