import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, test } from 'node:test'
import { topicOf } from '@sdd/contract/core/topic.ts'
import * as hook from '@sdd/contract/fleet/broker-hook.ts'
import * as devices from '@sdd/contract/fleet/devices.ts'
import { startMosquitto, type TestBroker } from '@sdd/mqtt/test/mosquitto.ts'
import { ORDERED_FILTERS, SHARED_FILTERS } from '#server/fleet/transport/at-broker.ts'
import { PUBLISHED } from '#server/fleet/transport/device-topics.ts'
import { connectAt, startAt } from './at-broker.ts'
import { eventually } from './device.ts'
import { call, startServer } from './server.ts'

/**
 * A broker that asks this server for authorisation. Mosquitto has no such hook, so these tests call the server in its
 * place, and Mosquitto allows everything.
 */
const SECRET = 'a secret of the broker alone'
let broker: TestBroker
let at: Awaited<ReturnType<typeof startAt>>
before(async () => {
  broker = await startMosquitto({ clients: 'all' })
  const MQTT_URL = broker.url.replace('mqtt://', 'mqtt://us:our%20password@')
  at = await startAt(broker, { settings: { MQTT_URL, MQTT_AUTH: 'hook', MQTT_HOOK_SECRET: SECRET } })
})
after(async () => {
  await at?.server.stop()
  await broker.stop()
})

async function mayConnect(client: {
  clientid?: string | null
  username?: string | null
  password?: string | null
}) {
  const { status, body } = await call(at.server, hook.authenticateClient, {
    body: { secret: SECRET, ...client },
  })
  assert.equal(status, 200, JSON.stringify(body))
  assert.equal(body.is_superuser, false)
  return body.result
}

async function may(username: string, action: 'publish' | 'subscribe', topic: string, clientid = username) {
  const asked = { secret: SECRET, clientid, username, action, topic }
  const { status, body } = await call(at.server, hook.authorizeClient, { body: asked })
  assert.equal(status, 200, JSON.stringify(body))
  return body.result
}

test('a device may connect as itself with its secret while it is linked', async () => {
  const { uid, secret } = await at.link('d1')
  const client = { clientid: uid, username: uid, password: secret }
  assert.equal(await mayConnect(client), 'allow')
  assert.equal(await mayConnect({ ...client, password: 'another' }), 'deny')
  assert.equal(await mayConnect({ ...client, clientid: 'd2' }), 'deny')
  assert.equal(await mayConnect({ ...client, username: 'd2' }), 'deny')
  assert.equal(await mayConnect({ clientid: 'd1', username: null, password: null }), 'deny')
  assert.equal(await mayConnect({}), 'deny')
  const renewed = await call(at.server, devices.renewSecret, { token: at.token, params: { uid } })
  assert.equal(await mayConnect(client), 'deny')
  assert.equal(await mayConnect({ ...client, password: renewed.body.secret }), 'allow')
  await call(at.server, devices.unlinkDevice, { token: at.token, params: { uid } })
  assert.equal(await mayConnect({ ...client, password: renewed.body.secret }), 'deny')
})

test('a device with the client id of a server may not connect, nor get a new secret', async () => {
  const { secret } = await at.link('d5')
  const uid = 'sms-drone-dash-presence'
  const db = new DatabaseSync(join(at.server.folder, 'sms-drone-dash.db'))
  db.prepare('update devices set uid = ? where uid = ?').run(uid, 'd5')
  db.close()
  assert.equal(await mayConnect({ clientid: uid, username: uid, password: secret }), 'deny')
  const { status, body } = await call(at.server, devices.renewSecret, { token: at.token, params: { uid } })
  assert.deepEqual([status, body.code], [409, 'uid_taken'])
})

test('the servers may connect with the user of MQTT_URL and any client id', async () => {
  const client = { clientid: 'sms-drone-dash', username: 'us', password: 'our password' }
  assert.equal(await mayConnect(client), 'allow')
  assert.equal(await mayConnect({ ...client, clientid: 'd1' }), 'allow')
  assert.equal(await mayConnect({ ...client, password: 'another' }), 'deny')
})

test('a device cannot be linked under the user name of the servers', async () => {
  const { body } = await call(at.server, devices.createLinkCode, { token: at.token, body: {} })
  const link = (uid: string) => call(at.server, devices.linkDevice, { body: { code: body.code, uid } })
  const taken = await link('us')
  assert.deepEqual([taken.status, taken.body.code], [409, 'uid_taken'])
  assert.equal((await link('us-2')).status, 201, 'the code was not spent')
})

test('devices and servers may publish and subscribe to their own topics only', async () => {
  const table: [string, 'publish' | 'subscribe', string, 'allow' | 'deny'][] = [
    ['d1', 'publish', 'devices/d1/status', 'allow'],
    ['d1', 'publish', 'devices/d1/networks', 'allow'],
    ['d1', 'publish', 'devices/d1/reports', 'allow'],
    ['d1', 'publish', 'devices/d1/inbox', 'allow'],
    ['d1', 'publish', 'devices/d1/telemetry', 'allow'],
    ['d1', 'publish', 'devices/d1/answers', 'allow'],
    ['d1', 'publish', 'devices/d1/commands', 'deny'],
    ['d1', 'publish', 'devices/d2/status', 'deny'],
    ['d1', 'publish', 'devices/d1/other', 'deny'],
    ['d1', 'publish', '$SYS/x', 'deny'],
    ['d1', 'subscribe', 'devices/d1/commands', 'allow'],
    ['d1', 'subscribe', 'devices/d2/commands', 'deny'],
    ['d1', 'subscribe', 'devices/+/commands', 'deny'],
    ['d1', 'subscribe', '$share/x/devices/d1/commands', 'deny'],
    ['d1', 'subscribe', 'devices/d1/status', 'deny'],
    ['d1', 'subscribe', '#', 'deny'],
    ['+', 'subscribe', 'devices/+/commands', 'deny'],
    ['us', 'publish', 'devices/d1/commands', 'allow'],
    ['us', 'publish', 'devices/d1/status', 'deny'],
    ['us', 'subscribe', 'devices/+/status', 'allow'],
    ['us', 'subscribe', 'devices/+/networks', 'allow'],
    ['us', 'subscribe', '$share/sms-drone-dash/devices/+/reports', 'allow'],
    ['us', 'subscribe', 'devices/+/inbox', 'allow'],
    ['us', 'subscribe', '$share/another/devices/+/inbox', 'deny'],
    ['us', 'subscribe', 'devices/+/commands', 'deny'],
    ['us', 'subscribe', '#', 'deny'],
    ['', 'publish', 'devices//status', 'deny'],
  ]
  for (const [who, action, topic, expected] of table) {
    assert.equal(await may(who, action, topic), expected, `${who} ${action} ${topic}`)
  }
  assert.equal(await may('d1', 'publish', 'devices/d1/status', 'd2'), 'deny')
})

test('the servers, and no device, may subscribe to each filter that the server subscribes to', async () => {
  const filters = [...SHARED_FILTERS, ...ORDERED_FILTERS]
  /** Mosquitto logs `<time>: <client id> <QoS> <filter>`. */
  const subscribed = () =>
    new Set(
      broker
        .log()
        .matchAll(/^\d+: sms-drone-dash\S* \d (\S+)$/gm)
        .map(([, filter]) => filter),
    )
  await eventually(() => subscribed().size >= filters.length)
  assert.deepEqual(subscribed(), new Set(filters))
  for (const filter of filters) {
    // EMQX asks about a shared subscription without its prefix.
    for (const topic of [filter, filter.replace(/^\$share\/[^/]+\//, '')]) {
      assert.equal(await may('us', 'subscribe', topic), 'allow', topic)
      assert.equal(await may('d1', 'subscribe', topic), 'deny', topic)
      assert.equal(await may('d1', 'subscribe', topic.replace('+', 'd1')), 'deny', topic)
    }
  }
})

test('a device may publish to each of its topics, and the servers to none of them', async () => {
  for (const topic of PUBLISHED.map((topic) => topicOf(topic, { uid: 'd1' }))) {
    assert.equal(await may('d1', 'publish', topic), 'allow', topic)
    assert.equal(await may('us', 'publish', topic), 'deny', topic)
  }
})

test('a device that gets a new secret or is unlinked is cut off by a takeover of its session', async () => {
  const linked = await at.link('d3')
  const device = await connectAt(linked)
  await at.status('d3', 'connected')
  await call(at.server, devices.renewSecret, { token: at.token, params: { uid: 'd3' } })
  await device.ended
  const again = await connectAt(linked)
  await at.status('d3', 'connected')
  await call(at.server, devices.unlinkDevice, { token: at.token, params: { uid: 'd3' } })
  await again.ended
})

test('a caller without the broker’s secret learns nothing and is soon throttled', async () => {
  const body = { secret: 'guessed', clientid: 'd1', username: 'd1', password: 'x' }
  const said = []
  for (let i = 0; i < 21; i++) said.push((await call(at.server, hook.authenticateClient, { body })).status)
  assert.deepEqual(said, [...Array.from({ length: 20 }, () => 403), 429])
  assert.equal(
    (await call(at.server, hook.authorizeClient, { body: { ...body, topic: 'x', action: 'publish' } }))
      .status,
    429,
  )
  assert.equal(await mayConnect({ clientid: 'd1', username: 'd1', password: 'x' }), 'deny')
})

test('a server without this setting answers no such request', async () => {
  const other = await startServer()
  const { status } = await call(other, hook.authenticateClient, { body: { secret: SECRET } })
  assert.equal(status, 404)
  await other.stop()
})
