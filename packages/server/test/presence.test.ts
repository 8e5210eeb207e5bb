import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import * as devices from '@sdd/contract/fleet/devices.ts'
import type { LinkedDevice } from '@sdd/contract/fleet/devices.ts'
import * as messages from '@sdd/contract/messages/messages.ts'
import * as settings from '@sdd/contract/accounts/settings.ts'
import { saveDeviceLimit } from '@sdd/contract/fleet/limits.ts'
import * as users from '@sdd/contract/accounts/users.ts'
import { publish } from '@sdd/mqtt/codec/publish.ts'
import { connectAsync } from 'mqtt'
import { rawDevice } from './raw-device.ts'
import { connectBrowser, type TestBrowser } from './browser.ts'
import { connectDevice, eventually, linkTestDevice } from './device.ts'
import { enter, newUser, someone } from './seeds.ts'
import { ADMIN, call, startServer, type TestServer } from './server.ts'

let server: TestServer
let token: string
let browser: TestBrowser

before(async () => {
  server = await startServer()
  token = (await enter(server, ADMIN.username, ADMIN.password)).token
  browser = await connectBrowser(server, token)
})
after(async () => {
  await browser.stop()
  await server.stop()
})

let count = 0
const newAccount = () => linkTestDevice(server, token, `drone-${++count}`)

async function row(uid: string, from: { url: string } = server, as = token) {
  const { body } = await call(from, devices.listDevices, { token: as })
  return body.devices.find((device) => device.uid === uid)!
}

/** Waits until the browser has heard exactly these statuses of the device; returns how long that took. */
async function heard(uid: string, ...statuses: string[]): Promise<number> {
  const began = performance.now()
  await eventually(() => browser.heardOf(uid).length >= statuses.length)
  assert.deepEqual(browser.heardOf(uid), statuses)
  return performance.now() - began
}

function plainClient({ uid, secret, mqtt_url }: LinkedDevice) {
  return connectAsync(mqtt_url, { clientId: uid, username: uid, password: secret, reconnectPeriod: 0 }, false)
}

test('a device is connected once it publishes that after its SUBSCRIBE, and a browser hears it once', async () => {
  const account = await newAccount()
  const { uid } = account
  const client = await plainClient(account)
  await client.subscribeAsync(`devices/${uid}/commands`, { qos: 1 })
  assert.equal((await row(uid)).status, 'disconnected')
  const body = { device_uid: uid, telefono_to: '600111222', mensaje_sms: 'hola' }
  assert.equal((await call(server, messages.sendSms, { token, body })).body.code, 'device_disconnected')
  const said = JSON.stringify({ status: 'connected', session: 's', agent: 'test/1' })
  const began = Date.now()
  await client.publishAsync(`devices/${uid}/status`, said, { qos: 1 })
  await client.publishAsync(`devices/${uid}/status`, said, { qos: 1 })
  const { status, last_seen_at } = await row(uid)
  assert.equal(status, 'connected')
  const seen = Date.parse(last_seen_at!)
  assert.ok(seen > began - 1_000 && seen < Date.now() + 1_000, last_seen_at!) // from two clocks, and not exact
  await client.endAsync()
  await heard(uid, 'connected', 'disconnected')
})

test('a vanished device is disconnected long before its keep-alive expires, in the list and for browsers', async () => {
  const device = await connectDevice(await newAccount())
  await heard(device.uid, 'connected')
  device.vanish()
  await heard(device.uid, 'connected', 'disconnected')
  assert.equal((await row(device.uid)).status, 'disconnected')
})

test('a device whose process is killed is disconnected long before its keep-alive expires', async () => {
  const account = await newAccount()
  const program = join(import.meta.dirname, 'device-process.ts')
  const child = spawn(process.execPath, [program, JSON.stringify(account)], { stdio: ['ignore', 'pipe', 2] })
  await once(child.stdout!, 'data')
  await heard(account.uid, 'connected')
  child.kill('SIGKILL')
  await once(child, 'exit')
  await heard(account.uid, 'connected', 'disconnected')
})

test('a silent device is disconnected when its keep-alive expires', async (t) => {
  const { uid, secret } = await newAccount()
  const silent = await rawDevice(t, server.mqtt_port!, uid, { password: secret, keep_alive_secs: 1 })
  const topic = `devices/${uid}/status`
  const payload = JSON.stringify({ status: 'connected', session: 's' })
  silent.send(publish(topic, payload, 1))
  assert.ok((await heard(uid, 'connected', 'disconnected')) > 1_000)
})

test('a clean stop shows the device as disconnected while the connection is still open', async () => {
  const device = await connectDevice(await newAccount())
  await device.publish('status', { status: 'disconnected', session: device.session })
  assert.equal((await row(device.uid)).status, 'disconnected')
  await device.publish('status', { status: 'connected', session: 'another' })
  assert.equal((await row(device.uid)).status, 'connected')
  await device.publish('status', { status: 'disconnected', session: 'another' })
  await device.client.endAsync()
  await heard(device.uid, 'connected', 'disconnected', 'connected', 'disconnected')
})

test('a `disconnected` of an old session is ignored', async () => {
  const device = await connectDevice(await newAccount())
  for (const session of ['stale', device.session.slice(1), `${device.session} `])
    await device.publish('status', { status: 'disconnected', session })
  for (const status of [{ status: 'disconnected' }, { status: 'gone', session: device.session }, 'connected'])
    await device.publish('status', status)
  assert.equal((await row(device.uid)).status, 'connected')
  await heard(device.uid, 'connected')
  await device.stop()
})

test('a second connection takes over from the first, whose will then changes nothing', async () => {
  const account = await newAccount()
  const first = await connectDevice(account)
  const second = await connectDevice(account)
  await first.ended
  assert.equal((await row(account.uid)).status, 'connected')
  assert.equal(browser.heardOf(account.uid).at(-1), 'connected')
  // The first connection's last status, delayed as on a slow network.
  await second.publish('status', { status: 'disconnected', session: first.session })
  assert.equal((await row(account.uid)).status, 'connected')
  assert.equal(browser.heardOf(account.uid).at(-1), 'connected')
  await second.stop()
})

test('however often connections of one uid replace each other, list and browsers end with the same truth', async () => {
  const account = await newAccount()
  for (let round = 0; round < 5; round++) {
    const chase = await Promise.allSettled(Array.from({ length: 6 }, () => connectDevice(account)))
    const alive = chase.flatMap((one) =>
      one.status === 'fulfilled' && one.value.client.connected ? one.value : [],
    )
    const open = await eventually(() => alive.filter(({ client }) => client.connected).length <= 1 && alive)
    const truth = open.some(({ client }) => client.connected) ? 'connected' : 'disconnected'
    await eventually(async () => (await row(account.uid)).status === truth)
    await eventually(() => browser.heardOf(account.uid).at(-1) === truth)
    for (const { client } of open) await client.endAsync(true)
    await eventually(() => browser.heardOf(account.uid).at(-1) === 'disconnected')
  }
  const events = browser.heardOf(account.uid)
  assert.ok(
    events.every((status, place) => status !== events[place - 1]),
    'each event is a change',
  )
})

test('after a restart of the server every device is disconnected until it returns', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sdd-presence-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const first = await startServer({ folder })
  const session = await enter(first, ADMIN.username, ADMIN.password)
  const account = await linkTestDevice(first, session.token, 'drone-r')
  const device = await connectDevice(account)
  await first.stop()
  await device.ended
  const second = await startServer({ folder })
  t.after(() => second.stop())
  assert.equal((await row(account.uid, second, session.token)).status, 'disconnected')
  const back = await connectDevice({ ...account, mqtt_url: second.mqtt_url })
  assert.equal((await row(account.uid, second, session.token)).status, 'connected')
  await back.stop()
})

test('a browser hears of its own company only, a superadmin of all', async () => {
  const ours = await newUser(server, token, { role: 'admin' })
  const theirs = await newUser(server, token, { role: 'admin', companyId: 2 })
  const [here, there] = [await connectBrowser(server, ours.token), await connectBrowser(server, theirs.token)]
  const accounts = [
    await linkTestDevice(server, ours.token, 'drone-ours'),
    await linkTestDevice(server, theirs.token, 'drone-theirs'),
  ]
  // Changes of link codes come before those of devices.
  const linked = ({ changes }: TestBrowser) => changes.some(({ changed }) => changed.includes('devices'))
  await eventually(() => linked(here) && linked(there))
  for (const account of accounts) await (await connectDevice(account)).stop()
  await eventually(() => there.statuses.length >= 2)
  const heardBy = ({ statuses }: TestBrowser) =>
    statuses.map(({ device_uid, status }) => `${device_uid} ${status}`)
  assert.deepEqual(heardBy(here), ['drone-ours connected', 'drone-ours disconnected'])
  assert.deepEqual(heardBy(there), ['drone-theirs connected', 'drone-theirs disconnected'])
  assert.deepEqual(heardBy(browser).slice(-4), [...heardBy(here), ...heardBy(there)])
  const before = here.changes.length
  const all = browser.changes.length
  await call(server, devices.disableDevice, { token: theirs.token, params: { uid: 'drone-theirs' } })
  await eventually(() => there.changes.at(-1)?.changed.includes('devices'))
  await eventually(() => browser.changes.length > all)
  assert.equal(here.changes.length, before)
  await Promise.all([here.stop(), there.stop()])
})

test('during a burst of changes a browser gets at most two updates a second, and always the last one', async () => {
  const device = await connectDevice(await newAccount())
  await eventually(() => browser.changes.length > 0)
  const from = browser.changes.length
  let sent_ms = 0
  for (const end = performance.now() + 2_200; performance.now() < end;) {
    sent_ms = performance.now()
    await call(server, devices.enableDevice, { token, params: { uid: device.uid } })
  }
  const last = await eventually(() => browser.changes.find(({ at_ms }) => at_ms >= sent_ms))
  assert.ok(last.changed.includes('devices'), last.changed.join())
  const times = browser.changes.slice(from).map(({ at_ms }) => at_ms)
  assert.ok(times.length >= 2, `${times.length} in 2.2 s`)
  // The spans between them vary with the time in transit.
  const most = 2 + (2 * (times.at(-1)! - times[0]!)) / 1_000
  assert.ok(times.length <= most, `${times.length}, and not ${most}`)
  await device.stop()
})

test('a change names each list that it changes', async () => {
  const device = await connectDevice(await newAccount())
  const person = someone()
  const body = { device_uid: device.uid, telefono_to: '600111222', mensaje_sms: 'hola' }
  const saved = { spoof_time_secs: 0, send_enabled: true }
  const limit = { uid: device.uid, max_sms_dayly: 7 }
  const changes: [string[], () => Promise<unknown>][] = [
    [['logs'], () => call(server, messages.sendSms, { token, body })],
    [['users'], () => call(server, users.saveUser, { token, body: person })],
    [['settings'], () => call(server, settings.saveGlobalSettings, { token, body: saved })],
    [['devices', 'settings'], () => call(server, saveDeviceLimit, { token, body: limit })],
    [['devices', 'settings'], newAccount],
    [['logs'], () => device.report({ guid: device.commands[0]!.guid, state: 'sent' })],
  ]
  for (const [lists, change] of changes) {
    // The browser has received everything about the change before it.
    const earlier = browser.changes.length
    await change()
    await eventually(() => {
      const changed = browser.changes.slice(earlier).flatMap((event) => event.changed)
      return lists.every((list) => changed.includes(list))
    })
  }
  await device.stop()
})

test('only pages of the server’s own origin get a live connection', async () => {
  assert.equal(await upgrade({ origin: server.url }), 101)
  assert.equal(await upgrade({}), 101, 'programs send no origin')
  for (const origin of ['https://evil.example', 'http://127.0.0.1', 'null', `${server.url}.evil.example`])
    assert.equal(await upgrade({ origin }), 403, origin)
})

/** The status of the answer to a WebSocket upgrade. */
async function upgrade(headers: Record<string, string>): Promise<number | undefined> {
  const asked = request(new URL('/mqtt', server.url), {
    headers: {
      ...headers,
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      'sec-websocket-protocol': 'mqtt',
    },
  }).end()
  const [answer] = (await Promise.race([once(asked, 'upgrade'), once(asked, 'response')])) as [
    IncomingMessage,
  ]
  answer.socket.destroy()
  return answer.statusCode
}

test('a browser may subscribe to its two topics and publish nothing', async () => {
  const device = await connectDevice(await newAccount())
  const curious = await connectBrowser(server, token)
  const status = `devices/${device.uid}/status`
  for (const topic of ['#', '+/status', 'devices/+', '/front/#', 'front/change', status, '$SYS/#'])
    await assert.rejects(curious.client.subscribeAsync(topic), topic)
  assert.ok(curious.client.connected)
  const forged = JSON.stringify({ status: 'disconnected', session: device.session })
  curious.client.publish(status, forged, { qos: 1 })
  await curious.ended
  assert.equal((await row(device.uid)).status, 'connected')
  await device.stop()
})

test('a device that publishes for another device is cut off, and the other does not notice', async () => {
  const [liar, victim] = [await connectDevice(await newAccount()), await connectDevice(await newAccount())]
  const forged = JSON.stringify({ status: 'disconnected', session: victim.session })
  liar.client.publish(`devices/${victim.uid}/status`, forged, { qos: 1 })
  await liar.ended
  await heard(liar.uid, 'connected', 'disconnected')
  assert.equal((await row(victim.uid)).status, 'connected')
  await victim.stop()
})
