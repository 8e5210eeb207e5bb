import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addressParts } from '@sdd/mqtt/external/address.ts'
import { type Admissions, admitByList } from '@sdd/mqtt/external/admissions.ts'
import { startMosquitto, type TestBroker } from '@sdd/mqtt/test/mosquitto.ts'
import { connectAsync, type MqttClient } from 'mqtt'
import { pino } from 'pino'
import { eventually } from '#test/device.ts'
import { listRules, notConnected, PREFIX } from './broker-access.ts'

let broker: TestBroker
let admissions: Admissions

before(async () => {
  broker = await startMosquitto({ clients: 'known' })
  admissions = admitByList({
    address: { url: broker.url },
    client_id: 'server',
    log: pino({ level: 'silent' }),
    rules: listRules(PREFIX),
    expelled: async () => [],
    notConnected,
  })
  await admissions.ready()
})
after(async () => {
  await admissions.stop()
  await broker.stop()
})

async function connect(uid: string, password: string, clientId = uid): Promise<MqttClient> {
  const options = { clientId, username: uid, password, reconnectPeriod: 0, protocolVersion: 4 } as const
  const client = await connectAsync(`mqtt://127.0.0.1:${broker.port}`, options, false)
  client.on('error', () => {})
  return client
}

test('a device may subscribe to its own commands and publish only its own topics', async () => {
  await admissions.admit('d3', 'secret')
  await admissions.admit('d4', 'secret')
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
  const spy = await connect(PREFIX, addressParts(broker.url)!.password!, 'spy')
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

test('a device with the name of a broker user is refused with a code that says so', async () => {
  await assert.rejects(admissions.admit(PREFIX, 'mine'), { code: 'uid_taken' })
})

test('while the broker is unreachable, admitting a device is refused as not ready', async () => {
  await broker.kill()
  await eventually(() => {
    try {
      admissions.require()
      return false
    } catch (error) {
      return (error as { code: string }).code === 'not_ready'
    }
  })
  await assert.rejects(admissions.admit('d1', 'secret'), { code: 'not_ready' })
  await broker.start()
})
