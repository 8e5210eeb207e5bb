import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import * as devices from '@sdd/contract/fleet/devices.ts'
import { readiness } from '@sdd/contract/core/system.ts'
import { admitByList } from '@sdd/mqtt/external/admissions.ts'
import { listRules, notConnected } from '#server/fleet/transport/broker-access.ts'
import { connectAsync } from 'mqtt'
import { pino } from 'pino'
import { connectAt, startAt } from './at-broker.ts'
import { connectBrowser } from './browser.ts'
import { eventually } from './device.ts'
import { startMosquitto, type TestBroker } from '@sdd/mqtt/test/mosquitto.ts'
import { call, startServer } from './server.ts'

/** A server whose devices connect to a real Mosquitto, which admits only the clients it was told of. */
let broker: TestBroker
let at: Awaited<ReturnType<typeof startAt>>

before(async () => {
  broker = await startMosquitto({ clients: 'known' })
  at = await startAt(broker)
})
after(async () => {
  await at?.server.stop()
  await broker.stop()
})

async function metric(name: string): Promise<string | undefined> {
  const text = await (await fetch(`${at.server.url}/metrics`)).text()
  return new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1]
}

test('a device is linked and connects with its secret, and its messages and reports are in the log', async () => {
  const linked = await at.link('d1')
  assert.equal(linked.acks, 'command')
  assert.equal(linked.mqtt_url, `mqtt://127.0.0.1:${broker.port}`)
  const browser = await connectBrowser(at.server, at.token)
  const device = await connectAt(linked)
  await at.status('d1', 'connected')
  await eventually(() =>
    browser.statuses.some(({ device_uid, status }) => device_uid === 'd1' && status === 'connected'),
  )
  const { status, body } = await at.send('d1')
  assert.equal(status, 200)
  const { guid } = body
  const command = await device.given(guid)
  assert.equal(command.to, '+34600111222')
  for (const state of ['accepted', 'sent', 'delivered'] as const) {
    await device.report({ guid, attempt: command.attempt, state })
    await device.acked(guid, state)
  }
  const entry = await at.entry(guid)
  assert.equal(entry.state, 'delivered')
  assert.ok(entry.handed_timestamp && entry.answer_sent_timestamp && entry.answer_2_timestamp)
  await device.stop()
  await at.status('d1', 'disconnected')
  await browser.stop()
})

test('repeated, batched and foreign reports are all acknowledged and count once', async () => {
  const device = await connectAt(await at.link('d2'))
  await at.status('d2', 'connected')
  const { guid } = (await at.send('d2')).body
  await device.given(guid)
  const common = { attempt: 1, at: new Date().toISOString() }
  await device.publish('reports', [
    { guid, state: 'accepted', ...common },
    { guid, state: 'sent', ...common, parts: 'not a number' },
    { guid: 'stranger', state: 'sent', ...common },
  ])
  await device.acked('stranger', 'sent')
  await device.acked(guid, 'accepted')
  await device.acked(guid, 'sent')
  assert.equal((await at.entry(guid)).state, 'handed')
  for (let i = 0; i < 2; i++) await device.report({ guid, state: 'sent' })
  await eventually(() => device.acks().filter((ack) => ack === `${guid} sent`).length === 3)
  assert.equal((await at.entry(guid)).state, 'sent')
  await device.stop()
})

test('the broker refuses a wrong secret, and keeps devices out of each other’s topics', async () => {
  const [linked, other] = [await at.link('d3'), await at.link('d4')]
  await assert.rejects(connectAt({ ...linked, secret: other.secret }), /[Nn]ot authorized/)
  await assert.rejects(connectAt({ ...linked, secret: 'sdd_wrong' }), /[Nn]ot authorized/)
  const device = await connectAt(linked)
  const victim = await connectAt(other)
  await at.status('d4', 'connected')
  await assert.rejects(device.client.subscribeAsync('devices/d4/commands', { qos: 1 }))
  await assert.rejects(device.client.subscribeAsync('devices/+/commands', { qos: 1 }))
  device.client.publish(
    'devices/d4/status',
    JSON.stringify({ status: 'disconnected', session: victim.session }),
  )
  await device.ended
  await at.status('d3', 'disconnected')
  const { guid } = (await at.send('d4')).body
  await victim.given(guid)
  await victim.stop()
})

test('a vanished device is disconnected by its will, and a received SMS is stored once', async () => {
  const device = await connectAt(await at.link('d5'))
  await at.status('d5', 'connected')
  const { guid } = (await at.send('d5')).body
  await device.given(guid)
  await device.report({ guid, state: 'sent' })
  await device.acked(guid, 'sent')
  const sms = { id: 's1', from: '+34600111222', text: 'buenas', at: new Date().toISOString() }
  for (let i = 0; i < 2; i++) await device.publish('inbox', sms)
  await eventually(() => device.acks().filter((ack) => ack === 'sms s1').length === 2)
  await eventually(async () => (await at.entry(guid)).state === 'replied')
  assert.equal((await at.entry(guid)).answer_3, 'buenas')
  device.vanish()
  await at.status('d5', 'disconnected')
})

test('60 SMS of a device are accepted at once, and the others get no ack_inbox', async () => {
  const device = await connectAt(await at.link('d5-floods'))
  await at.status('d5-floods', 'connected')
  const began = performance.now()
  const at_once = new Date().toISOString()
  const say = (n: number) =>
    device.publish('inbox', { id: `s${n}`, from: '+34600111222', text: 'x', at: at_once })
  for (let n = 0; n < 80; n++) await say(n)
  await device.publish('reports', { guid: 'last', attempt: 1, state: 'sent', at: at_once })
  await device.acked('last', 'sent')
  const taken = () => new Set(device.acks().filter((ack) => ack.startsWith('sms ')))
  const most = 61 + (performance.now() - began) / 1_000
  assert.ok(taken().size >= 60 && taken().size <= most, `${taken().size} were taken`)
  await device.stop()
})

test('a new secret ends the connection and opens another; an unlinked device cannot return', async () => {
  const linked = await at.link('d6')
  const device = await connectAt(linked)
  await at.status('d6', 'connected')
  const renewed = await call(at.server, devices.renewSecret, { token: at.token, params: { uid: 'd6' } })
  assert.equal(renewed.status, 200)
  await device.ended
  await assert.rejects(connectAt(linked), /[Nn]ot authorized/)
  const again = await connectAt({ ...linked, secret: renewed.body.secret })
  await at.status('d6', 'connected')
  const { status } = await call(at.server, devices.unlinkDevice, { token: at.token, params: { uid: 'd6' } })
  assert.equal(status, 204)
  await again.ended
  await assert.rejects(connectAt({ ...linked, secret: renewed.body.secret }), /[Nn]ot authorized/)
  await (await connectAt(await at.link('d6'))).stop()
})

test('a device cannot be linked under the name of a broker user', async () => {
  const { body } = await call(at.server, devices.createLinkCode, { token: at.token, body: {} })
  const link = (uid: string) => call(at.server, devices.linkDevice, { body: { code: body.code, uid } })
  const taken = await link('sms-drone-dash')
  assert.equal(taken.status, 409)
  assert.equal(taken.body.code, 'uid_taken')
  assert.equal(await at.device('sms-drone-dash'), undefined)
  assert.equal((await link('d7')).status, 201, 'the code was not spent')
  assert.equal(await metric('sdd_broker_connected'), '1')
})

test('a device cannot be linked under a client id of a server', async () => {
  const { body } = await call(at.server, devices.createLinkCode, { token: at.token, body: {} })
  const link = (uid: string) => call(at.server, devices.linkDevice, { body: { code: body.code, uid } })
  const ids = [...broker.log().matchAll(/ as (\S+) \(.*u'sms-drone-dash'\)/g)].map(([, id]) => id!)
  assert.ok(ids.includes('sms-drone-dash-presence'))
  for (const uid of [...ids, `sms-drone-dash-${randomUUID()}`, `sms-drone-dash-${randomUUID()}-control`]) {
    const refused = await link(uid)
    assert.deepEqual([refused.status, refused.body.code], [409, 'uid_taken'], uid)
  }
  assert.equal((await link('sms-drone-dash-1')).status, 201, 'the code was not spent')
})

test('a client of the list that has the client id of a server is removed from it', async (t) => {
  const other = await startMosquitto({ clients: 'known' })
  t.after(() => other.stop())
  const admissions = admitByList({
    address: { url: other.url },
    client_id: 'before',
    log: pino({ level: 'silent' }),
    rules: listRules('sms-drone-dash'),
    expelled: async () => [],
    notConnected,
  })
  await admissions.ready()
  const uid = 'sms-drone-dash-presence'
  await admissions.admit(uid, 'secret')
  await admissions.stop()
  const there = await startAt(other)
  t.after(() => there.server.stop())
  const options = { clientId: uid, username: uid, password: 'secret', reconnectPeriod: 0 }
  await assert.rejects(connectAsync(`mqtt://127.0.0.1:${other.port}`, options, false), /[Nn]ot authorized/)
})

test('no device connects to the server directly', async () => {
  const linked = await at.link('d8')
  const here = `${at.server.url.replace('http', 'ws')}/mqtt`
  await assert.rejects(
    connectAsync(
      here,
      { clientId: 'd8', username: 'd8', password: linked.secret, reconnectPeriod: 0 },
      false,
    ),
    /Bad user|[Nn]ot authorized/,
  )
})

test('while the broker is down, messages wait, no device can be linked and the server says so; then it recovers on its own', async () => {
  const linked = await at.link('d9')
  const device = await connectAt(linked)
  await at.status('d9', 'connected')
  await broker.kill()
  const sent = await at.send('d9')
  await device.ended
  await eventually(async () => (await metric('sdd_broker_connected')) === '0')
  const ready = await call(at.server, readiness)
  assert.equal(ready.status, 200)
  assert.equal(ready.body.status, 'broker_unreachable')
  const code = await call(at.server, devices.createLinkCode, { token: at.token, body: {} })
  const refused = await call(at.server, devices.linkDevice, { body: { code: code.body.code, uid: 'd10' } })
  assert.equal(refused.status, 503)
  assert.equal(refused.body.code, 'not_ready')
  const renewed = await call(at.server, devices.renewSecret, { token: at.token, params: { uid: 'd9' } })
  assert.equal(renewed.status, 503)
  await broker.start()
  await eventually(async () => (await metric('sdd_broker_connected')) === '1', 20_000)
  const back = await connectAt(linked)
  await at.status('d9', 'connected', 20_000)
  assert.equal(sent.status, 200, JSON.stringify(sent.body))
  const { guid } = sent.body
  await back.given(guid)
  await back.report({ guid, state: 'sent' })
  await back.acked(guid, 'sent')
  assert.equal((await call(at.server, readiness)).body.status, 'ready')
  await back.stop()
})

test('a device unlinked while the broker was down is removed from it afterwards', async () => {
  // The server maintains the broker's client list over a separate connection, which also reconnects on its own.
  const linked = await eventually(async () => {
    const answer = await at.link('d11')
    return 'secret' in answer && answer
  }, 20_000)
  await broker.kill()
  await eventually(async () => (await metric('sdd_broker_connected')) === '0')
  const { status } = await call(at.server, devices.unlinkDevice, { token: at.token, params: { uid: 'd11' } })
  assert.equal(status, 204)
  await broker.start()
  await eventually(
    () =>
      connectAt(linked).then(
        (device) => device.stop().then(() => false),
        (error: Error) => /authorized/.test(error.message),
      ),
    20_000,
  )
})

test('over TLS only a broker whose certificate MQTT_CA_FILE vouches for is trusted', async () => {
  const folder = join(import.meta.dirname, 'fixtures')
  const certificate = { cert: join(folder, 'localhost-cert.pem'), key: join(folder, 'localhost-key.pem') }
  const secured = await startMosquitto({ clients: 'known', certificate })
  await assert.rejects(
    startAt(secured),
    /^ConfigError: MQTT_URL: the broker at mqtts:\/\/localhost:\d+ cannot be used \(.*self-signed/,
  )
  const there = await startAt(secured, { settings: { MQTT_CA_FILE: certificate.cert } })
  const linked = await there.link('d1')
  assert.equal(linked.mqtt_url, `mqtts://localhost:${secured.port}`)
  await there.server.stop()
  await secured.stop()
})

test('a broker that refuses the server ends the start with one line without its password', async () => {
  const MQTT_URL = `mqtt://sms-drone-dash:guessed@127.0.0.1:${broker.port}`
  const refused = await startServer({ settings: { MQTT_URL } }).then(
    () => undefined,
    (error: Error) => error,
  )
  assert.match(
    String(refused),
    /^ConfigError: MQTT_URL: the broker at mqtt:\/\/127\.0\.0\.1:\d+ cannot be used \(.*authorized/,
  )
  assert.doesNotMatch(String(refused), /guessed/)
})
