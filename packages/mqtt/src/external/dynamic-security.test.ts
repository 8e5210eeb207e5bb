import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { connectAsync, type MqttClient } from 'mqtt'
import { pino } from 'pino'
import { listRules } from '#test/list-rules.ts'
import { SERVER_USER, startMosquitto, type TestBroker } from '#test/mosquitto.ts'
import { until } from '#test/raw-client.ts'
import { addressParts } from './address.ts'
import { CONTROL_ANSWERS, type DynamicSecurity, openDynamicSecurity } from './dynamic-security.ts'
import { type Link, startLink } from './link.ts'

let broker: TestBroker
let link: Link
let security: DynamicSecurity

before(async () => {
  broker = await startMosquitto({ clients: 'known' })
  security = openDynamicSecurity(listRules, (topic, payload) => link.tell(topic, payload))
  link = startLink({
    address: { url: broker.url },
    client_id: 'control',
    keep_secs: 0,
    subscriptions: [CONTROL_ANSWERS],
    take: async (_, payload) => security.answered(payload),
    log: pino({ level: 'silent' }),
    // The first time, the server's user gets its role, and its connection is ended.
    opened: () => security.prepare(),
    lost: () => security.lost(),
  })
  await link.ready(10_000)
})
after(async () => {
  await link.stop(0)
  await broker.stop()
})

async function connect(name: string, password: string, clientId = name): Promise<MqttClient> {
  const client = await connectAsync(
    `mqtt://127.0.0.1:${broker.port}`,
    {
      clientId,
      username: name,
      password,
      reconnectPeriod: 0,
      protocolVersion: 4,
    },
    false,
  )
  client.on('error', () => {})
  return client
}

test('a connection that is lost while the broker is asked refuses the call, and nothing else fails', async () => {
  const lost = openDynamicSecurity(listRules, () => {
    lost.lost()
    return false
  })
  await assert.rejects(lost.admit('d1', 'secret'), /ended the connection/)
})

test('a client connects with its own secret only, and only as itself', async () => {
  await security.admit('d1', 'secret')
  const client = await connect('d1', 'secret')
  await assert.rejects(connect('d1', 'another'), /[Nn]ot authorized/)
  await assert.rejects(connect('d1', 'secret', 'd2'), /[Nn]ot authorized/)
  await assert.rejects(connect('d2', 'secret'), /[Nn]ot authorized/)
  await client.endAsync()
})

test('a client may do what its role allows, and nothing else', async () => {
  await security.admit('d3', 'secret')
  await security.admit('d4', 'secret')
  const [client, other] = [await connect('d3', 'secret'), await connect('d4', 'secret')]
  const heard: string[] = []
  for (const each of [client, other]) each.on('message', (topic) => heard.push(topic))
  await client.subscribeAsync('clients/d3/commands', { qos: 1 })
  for (const topic of [
    'clients/d4/commands',
    'clients/+/commands',
    'clients/d4/status',
    '#',
    '$share/x/clients/d4/commands',
  ])
    await assert.rejects(client.subscribeAsync(topic, { qos: 1 }), topic)
  const spied: string[] = []
  const spy = await connect(SERVER_USER, addressParts(broker.url)!.password!, 'spy')
  spy.on('message', (topic, payload) => spied.push(`${topic} ${String(payload)}`))
  await spy.subscribeAsync('clients/#', { qos: 1 })
  await client.publishAsync('clients/d3/status', 'true', { qos: 1 })
  for (const topic of ['clients/d4/status', 'clients/d4/commands', 'clients/d3/commands', 'clients/d3']) {
    const forger = await connect('d3', 'secret')
    const cut = new Promise<void>((resolve) => forger.once('close', resolve))
    forger.publish(topic, 'forged', { qos: 0 })
    await cut
  }
  const last = await connect('d3', 'secret')
  await last.publishAsync('clients/d3/inbox', 'true', { qos: 1 })
  await until(() => spied.length > 1)
  assert.deepEqual(spied, ['clients/d3/status true', 'clients/d3/inbox true'])
  assert.deepEqual(heard, [])
  await Promise.all([last.endAsync(), other.endAsync(), spy.endAsync()])
})

test('a new secret ends the connection and the old secret', async () => {
  await security.admit('d5', 'first')
  const client = await connect('d5', 'first')
  const closed = new Promise<void>((resolve) => client.once('close', resolve))
  await security.admit('d5', 'second')
  await closed
  await assert.rejects(connect('d5', 'first'), /[Nn]ot authorized/)
  await (await connect('d5', 'second')).endAsync()
})

test('an expelled client is cut and removed from the list of admitted clients', async () => {
  await security.admit('d6', 'secret')
  assert.ok((await security.admitted()).includes('d6'))
  const client = await connect('d6', 'secret')
  const closed = new Promise<void>((resolve) => client.once('close', resolve))
  await security.expel('d6')
  await closed
  await assert.rejects(connect('d6', 'secret'), /[Nn]ot authorized/)
  assert.ok(!(await security.admitted()).includes('d6'))
  await security.expel('d6')
  await security.admit('d6', 'again')
  await (await connect('d6', 'again')).endAsync()
})

test('a client with the name of a user of the broker does not become that user', async () => {
  await assert.rejects(security.admit(SERVER_USER, 'mine'), /taken/)
  await security.expel(SERVER_USER)
  const { password } = addressParts(broker.url)!
  await (await connect(SERVER_USER, password!, 'still-there')).endAsync()
})

test('without a connection to the broker no client is admitted, and the caller hears why', async () => {
  const nobody = openDynamicSecurity(listRules, () => false)
  await assert.rejects(nobody.admit('d7', 'secret'), /unreachable: is not connected/)
})
