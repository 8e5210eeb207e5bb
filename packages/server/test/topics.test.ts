import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { topics } from '@sdd/contract/app/api.ts'
import { enableDevice } from '@sdd/contract/fleet/devices.ts'
import { devicesStatus } from '@sdd/contract/core/live.ts'
import { sendSms } from '@sdd/contract/messages/messages.ts'
import { type Topic, topicOf } from '@sdd/contract/core/topic.ts'
import { connectAsync } from 'mqtt'
import { subscribe } from '@sdd/mqtt/codec/from-client.ts'
import { publish } from '@sdd/mqtt/codec/publish.ts'
import { type RawClient, rawClient } from '@sdd/mqtt/test/raw-client.ts'
import { connectBrowser, type TestBrowser } from './browser.ts'
import { connectDevice, eventually, linkTestDevice } from './device.ts'
import { type MarkedCompany, newMarkedCompany } from './marked-company.ts'
import { connectPacket, rawDevice } from './raw-device.ts'
import { enter } from './seeds.ts'
import { ADMIN, call, startServer, type TestServer } from './server.ts'

/** Every client tries every topic in the contract's list, so a new topic is covered once it is in the list. */

let server: TestServer
let superadmin: string
let ours: MarkedCompany
let theirs: MarkedCompany

before(async () => {
  server = await startServer({ settings: { CALLBACK_ADDRESSES: 'any' } })
  superadmin = (await enter(server, ADMIN.username, ADMIN.password)).token
  theirs = await newMarkedCompany(server, superadmin, { id: 2, mark: 'theirmark', digits: '3477700' })
  ours = await newMarkedCompany(server, superadmin, { id: 3, mark: 'ourmark', digits: '3488800' })
})
after(async () => {
  await Promise.all([ours.stop(), theirs.stop()])
  await server.stop()
})

const ofDevices = (topic: Topic) => topic.pattern.includes(':uid')
const own = (topic: Topic, uid: string) => (ofDevices(topic) ? topicOf(topic, { uid }) : topic.pattern)

/** Each topic as such and under each of these uids, with wildcards that a client might try. */
function filters(...uids: string[]): string[] {
  const names = topics.flatMap((topic) => [topic.pattern, ...uids.map((uid) => own(topic, uid))])
  const odd = names.flatMap((name) => [
    `${name}/`,
    `/${name}`,
    `${name}/+`,
    `${name}/#`,
    name.toUpperCase(),
    `$share/all/${name}`,
    name.replace(/[^/]+$/, '+'),
    name.replace(/^\/?[^/]+/, '+'),
    name.replace(/\/[^/]+\//, '/+/'),
  ])
  const wild = [
    '#',
    '+',
    '+/+',
    '+/+/+',
    '/#',
    'devices/#',
    'devices/+/#',
    '/front/#',
    '$SYS/#',
    '$SYS/broker/clients',
  ]
  return [...new Set([...names, ...odd, ...wild])]
}

test('a browser of any role gets the browsers’ topics, and none of a device', async () => {
  const granted = topics.filter((topic) => topic.from === 'server' && !ofDevices(topic))
  assert.equal(granted.length, 2)
  for (const token of [ours.user.token, ours.admin.token, superadmin]) {
    const { client, stop } = await connectBrowser(server, token)
    for (const filter of filters(ours.device.uid, theirs.device.uid)) {
      const wanted = granted.some(({ pattern }) => pattern === filter)
      const answer = client.subscribeAsync(filter, { qos: 1 }).then(
        (grants) => grants[0]?.qos,
        () => 128,
      )
      assert.equal(await answer, wanted ? 0 : 128, filter)
    }
    assert.ok(client.connected)
    await stop()
  }
})

test('a browser may publish nothing, whatever its role and the topic', async () => {
  for (const token of [ours.user.token, ours.admin.token, superadmin]) {
    for (const topic of topics) {
      const browser = await connectBrowser(server, token)
      browser.client.publish(own(topic, ours.device.uid), '{}')
      await browser.ended
    }
  }
})

/** A linked device and a function that connects it as often as wanted; it is admitted and nothing more. */
async function newRaw() {
  const { uid, secret } = await ours.newDevice()
  const enter = (t: TestContext) => rawDevice(t, server.mqtt_port!, uid, { password: secret })
  return async (t: TestContext) => {
    // The ends of earlier connections may have to be stored first.
    const raw = await eventually(() => enter(t).catch(() => undefined))
    return { uid, ...raw }
  }
}

/** Asserts that the connection ends without an answer. */
async function assertEnds({ next, closed }: Pick<RawClient, 'next' | 'closed'>, what: string): Promise<void> {
  const answer = await next().catch(() => undefined)
  assert.equal(answer?.type, undefined, what)
  await closed
}

test('a device may subscribe only to its own commands: anything else ends its connection', async (t) => {
  const enterRaw = await newRaw()
  for (const filter of filters(ours.device.uid, theirs.device.uid)) {
    const device = await enterRaw(t)
    device.send(subscribe(1, [filter], 1))
    await assertEnds(device, filter)
  }
  const device = await enterRaw(t)
  for (const topic of topics.filter((each) => each.from === 'server' && ofDevices(each))) {
    device.send(subscribe(1, [own(topic, device.uid)], 1))
    assert.equal((await device.next()).type, 'suback')
  }
})

test('a device may publish only to its own topics: for another uid or to server topics, its connection ends', async (t) => {
  const payload = JSON.stringify({ status: 'disconnected', session: ours.device.session })
  const enterRaw = await newRaw()
  const names = filters(ours.device.uid, theirs.device.uid).filter((name) => !/[+#]/.test(name))
  for (const name of names) {
    const device = await enterRaw(t)
    device.send(publish(name, payload, 1))
    await assertEnds(device, name)
  }
  for (const topic of topics) {
    const device = await enterRaw(t)
    device.send(publish(own(topic, device.uid), payload, 1))
    if (topic.from === 'device' && ofDevices(topic))
      assert.equal((await device.next()).type, 'puback', topic.pattern)
    else await assertEnds(device, topic.pattern)
  }
  assert.ok(
    ours.device.client.connected && theirs.device.client.connected,
    'the other devices stay connected',
  )
})

test('a device is admitted only as itself, and its will may concern only itself', async (t) => {
  const { uid, secret } = await ours.newDevice()
  const password = secret
  const status = (of: string) => ({ topic: `devices/${of}/status`, payload: '{}', qos: 1 })
  const attempts = [
    connectPacket(theirs.device.uid, { password }),
    connectPacket(ours.device.uid, { password }),
    connectPacket(uid, { username: theirs.device.uid, password }),
    connectPacket(uid, { client_id: theirs.device.uid, password }),
    connectPacket(uid, { password, will: status(theirs.device.uid) }),
    connectPacket(uid, { password, will: { ...status(uid), topic: devicesStatus.pattern } }),
    connectPacket(uid, { password, will: { ...status(uid), retain: true } }),
    connectPacket(uid.toUpperCase(), { password }),
    connectPacket(uid, { password: `${secret}A` }),
  ]
  for (const [number, packet] of attempts.entries()) {
    const client = await rawClient(t, server.mqtt_port!)
    client.send(packet)
    const answer = await client.next()
    assert.ok(answer.type === 'connack' && answer.code! > 0, `${number}`)
    await client.closed
  }
})

test('neither an API key nor a user’s password nor a webhook secret works over MQTT', async () => {
  const { key, webhook_secret } = ours.key
  const websocket = `${server.url.replace('http', 'ws')}/mqtt`
  for (const password of [key, webhook_secret, ADMIN.password]) {
    for (const url of [websocket, server.mqtt_url]) {
      for (const username of ['anything', ADMIN.username, ours.device.uid]) {
        const options = { clientId: username, username, password, reconnectPeriod: 0 }
        await assert.rejects(
          connectAsync(url, options, false),
          /Bad username or password|Not authorized/,
          username,
        )
      }
    }
  }
})

test('a session works over MQTT only for browsers: over TCP it is not a password', async () => {
  const options = {
    clientId: ours.device.uid,
    username: ours.device.uid,
    password: superadmin,
    reconnectPeriod: 0,
  }
  await assert.rejects(connectAsync(server.mqtt_url, options, false), /Bad username or password/)
})

test('whatever happens in a company, its browsers hear of it and those of another hear nothing', async () => {
  const browsers = await Promise.all(
    [ours.user.token, ours.admin.token, theirs.user.token, theirs.admin.token, superadmin].map((token) =>
      connectBrowser(server, token),
    ),
  )
  const [ourUser, ourAdmin, theirUser, theirAdmin, all] = browsers as [
    TestBrowser,
    TestBrowser,
    TestBrowser,
    TestBrowser,
    TestBrowser,
  ]
  const heard = ({ statuses, changes }: TestBrowser) => [
    ...statuses,
    ...changes.flatMap(({ changed }) => changed),
  ]

  // Earlier changes may still be pending; they are published with the next one.
  await ours.newOptOut()
  for (const browser of [ourUser, ourAdmin]) {
    await eventually(() => heard(browser).includes('opt_outs'))
    browser.statuses.length = browser.changes.length = 0
  }

  const another = await newMarkedCompany(server, superadmin, { id: 4, mark: 'fourthmark', digits: '3455500' })
  await another.stop()
  const linked = await connectDevice(await linkTestDevice(server, theirs.admin.token, 'theirmark-live'))
  await theirs.newTask()
  await theirs.newKey()
  await theirs.newWebhook()
  await theirs.newOptOut()
  linked.vanish()
  const lists = ['api_keys', 'audit', 'callbacks', 'devices', 'logs', 'opt_outs', 'settings', 'tasks']
  for (const browser of [theirUser, theirAdmin, all]) {
    await eventually(() => browser.heardOf('theirmark-live').join() === 'connected,disconnected')
    await eventually(() => lists.every((list) => heard(browser).some((one) => one === list)))
  }
  assert.ok(heard(all).length > heard(theirUser).length, 'a superadmin heard of the fourth company as well')

  // Events of one connection come in order: after one of ours, none of theirs is under way.
  const { uid } = ours.device
  await call(server, enableDevice, { token: ours.admin.token, params: { uid } })
  for (const browser of [ourUser, ourAdmin]) {
    // The audit log's change for the block above may come first.
    await eventually(() => heard(browser).includes('devices'))
    assert.deepEqual(browser.statuses, [])
    assert.deepEqual(new Set(heard(browser)), new Set(['devices', 'audit']))
  }
  for (const browser of [theirUser, theirAdmin])
    assert.doesNotMatch(JSON.stringify(heard(browser)), another.marked)
  await Promise.all(browsers.map((browser) => browser.stop()))
})

test('a command goes to its device and to no other of any company', async () => {
  const others = await Promise.all([
    connectDevice(await ours.newDevice()),
    connectDevice(await theirs.newDevice()),
  ])
  const given = ours.device.commands.length
  const body = { device_uid: ours.device.uid, telefono_to: '+34888000777', mensaje_sms: 'for one' }
  const { guid } = (await call(server, sendSms, { token: ours.admin.token, body })).body
  assert.ok((await ours.device.until(given + 1)).some((command) => command.guid === guid))
  for (const other of others) {
    assert.deepEqual(other.commands, [])
    await other.stop()
  }
})
