import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import * as apiKeys from '@sdd/contract/accounts/api-keys.ts'
import * as auth from '@sdd/contract/accounts/auth.ts'
import * as devices from '@sdd/contract/fleet/devices.ts'
import * as messages from '@sdd/contract/messages/messages.ts'
import { listLogs } from '@sdd/contract/insight/log.ts'
import * as settings from '@sdd/contract/accounts/settings.ts'
import * as tasks from '@sdd/contract/tasks/tasks.ts'
import { type TestBrowser, connectBrowser } from '#test/browser.ts'
import { type TestDevice, connectDevice, eventually, linkTestDevice } from '#test/device.ts'
import { preparedDatabase } from '#test/engine.ts'
import { openProxy, type Proxy } from '../../../../../scripts/postgres-proxy.ts'
import { enter } from '#test/seeds.ts'
import { ADMIN, call, startServer, type TestServer } from '#test/server.ts'

/** Two servers over one PostgreSQL. A test can cut the connection of `far` to it. */
let [near, far]: TestServer[] = []
let proxy: Proxy
let token: string
let browser: TestBrowser
const folders: string[] = []

before(async () => {
  const url = await preparedDatabase()
  proxy = await openProxy(url)
  near = await start(url)
  far = await start(proxy.url)
  ;({ token } = await enter(near, ADMIN.username, ADMIN.password))
  browser = await connectBrowser(near, token)
})

after(async () => {
  await browser?.stop()
  await Promise.all([near?.stop(), far?.stop()])
  await proxy.close()
  for (const folder of folders) rmSync(folder, { recursive: true })
})

async function start(DATABASE_URL: string): Promise<TestServer> {
  const folder = mkdtempSync(join(tmpdir(), 'sdd-replica-'))
  folders.push(folder)
  return startServer({ folder, settings: { DATABASE_URL } })
}

/** Links a device at one server and connects it to the other. */
async function connectAt(server: TestServer, uid: string, secret?: string) {
  const linked = secret === undefined ? await linkTestDevice(near!, token, uid) : { uid, secret }
  const device = await connectDevice({ ...linked, mqtt_url: server.mqtt_url })
  return Object.assign(device, { secret: linked.secret })
}

async function send(server: TestServer, uid: string): Promise<string> {
  const body = { device_uid: uid, telefono_to: '+34600111222', mensaje_sms: 'hola' }
  const { status, body: answer } = await call(server, messages.sendSms, { token, body })
  assert.equal(status, 200, JSON.stringify(answer))
  return answer.guid
}

async function statusOf(server: TestServer, uid: string): Promise<string | undefined> {
  const { body } = await call(server, devices.listDevices, { token })
  return body.devices.find((device) => device.uid === uid)?.status
}

const heardOf = (uid: string) => browser.heardOf(uid)

async function deliver(device: TestDevice, guid: string): Promise<void> {
  const [command] = await device.until(1)
  assert.equal(command!.guid, guid)
  await device.report({ guid, state: 'accepted' }, { guid, state: 'sent' }, { guid, state: 'delivered' })
}

test('a browser at one server sees devices at another, and sends through them', async () => {
  const device = await connectAt(far!, 'across')
  await eventually(() => heardOf('across').join() === 'connected')
  const guid = await send(near!, 'across')
  await deliver(device, guid)
  await eventually(async () => {
    const { body } = await call(near!, listLogs, { token })
    return body.logs.find((one) => one.guid === guid)?.state === 'delivered'
  })
  await eventually(() => browser.changes.some(({ changed }) => changed.includes('logs')))
  await device.stop()
  await eventually(() => heardOf('across').join() === 'connected,disconnected')
})

test('a device that moves to another server replaces its first connection, and the end of that one changes nothing', async () => {
  const first = await connectAt(far!, 'mover')
  const second = await connectAt(near!, 'mover', first.secret)
  await first.ended
  await deliver(second, await send(far!, 'mover'))
  assert.equal(await statusOf(near!, 'mover'), 'connected')
  assert.deepEqual(heardOf('mover'), ['connected'])
  await second.stop()
  await eventually(() => heardOf('mover').join() === 'connected,disconnected')
})

test('a device that is unlinked, or whose secret is renewed, is disconnected at any server', async () => {
  const unlinked = await connectAt(far!, 'unlinked')
  await call(near!, devices.unlinkDevice, { token, params: { uid: 'unlinked' } })
  await unlinked.ended
  const renewed = await connectAt(far!, 'renewed')
  await call(near!, devices.renewSecret, { token, params: { uid: 'renewed' } })
  await renewed.ended
  assert.equal(await statusOf(far!, 'renewed'), 'disconnected')
})

test('an API key that is revoked at one server stops working at the other', async () => {
  const made = await call(near!, apiKeys.createApiKey, { token, body: { name: 'shop' } })
  const { id, key } = made.body
  const ask = async () => (await call(far!, tasks.listTasks, { token: key })).status
  assert.equal(await ask(), 200)
  assert.equal((await call(near!, apiKeys.revokeApiKey, { token, params: { id } })).status, 204)
  await eventually(async () => (await ask()) === 401)
})

test('after a rotation at one server both API keys work at the other, and the old key ends there too', async () => {
  const made = await call(near!, apiKeys.createApiKey, { token, body: { name: 'shop' } })
  const params = { id: made.body.id }
  const rotate = async (body: object) =>
    (await call(near!, apiKeys.rotateApiKey, { token, params, body })).body.key
  const ask = async (key: string) => (await call(far!, tasks.listTasks, { token: key })).status
  const dies = (key: string) => eventually(async () => (await ask(key)) === 401)
  assert.equal(await ask(made.body.key), 200)
  const second = await rotate({})
  assert.deepEqual([await ask(made.body.key), await ask(second)], [200, 200])
  const third = await rotate({})
  await dies(made.body.key)
  assert.deepEqual([await ask(second), await ask(third)], [200, 200])
  assert.equal((await call(near!, apiKeys.endPreviousKey, { token, params })).status, 204)
  await dies(second)
  const fourth = await rotate({ overlap_hours: 0 })
  await dies(third)
  assert.equal(await ask(fourth), 200)
})

test('a logout at one server also ends the session and its browser at the other', async () => {
  const { token: other } = await enter(near!, ADMIN.username, ADMIN.password)
  const there = await connectBrowser(far!, other)
  assert.equal((await call(far!, devices.listDevices, { token: other })).status, 200)
  await call(near!, auth.logout, { token: other })
  assert.equal((await call(far!, devices.listDevices, { token: other })).status, 401)
  await there.ended
})

test('switching sending off or on at one server takes effect at the other at once', async () => {
  const device = await connectAt(far!, 'switched')
  const turn = (send_enabled: boolean) =>
    call(near!, settings.saveGlobalSettings, { token, body: { send_enabled, spoof_time_secs: 0 } })
  const waiting = await send(far!, 'switched')
  await device.until(1)
  await turn(false)
  const body = { device_uid: 'switched', telefono_to: '+34600111222', mensaje_sms: 'hola' }
  assert.equal((await call(far!, messages.sendSms, { token, body })).body.code, 'sending_disabled')
  await turn(true)
  await deliver(device, waiting)
  const next = await send(far!, 'switched')
  assert.equal((await device.until(2))[1]!.guid, next)
  await device.stop()
})

test('a server that loses the database gives up its devices, and another server takes them', async () => {
  const device = await connectAt(far!, 'stranded')
  await eventually(() => heardOf('stranded').join() === 'connected')
  const began = performance.now()
  proxy.freeze()
  await eventually(() => heardOf('stranded').join() === 'connected,disconnected', 20_000)
  const seconds = (performance.now() - began) / 1000
  assert.ok(seconds > 5, `a lease that is over after ${seconds} s would expire at any hiccup`)
  await device.ended
  const back = await connectAt(near!, 'stranded', device.secret)
  await deliver(back, await send(near!, 'stranded'))

  proxy.thaw()
  const again = await eventually(
    () => connectAt(far!, 'stranded', device.secret).catch(() => undefined),
    20_000,
  )
  await back.ended
  await deliver(again, await send(near!, 'stranded'))
  assert.equal(await statusOf(far!, 'stranded'), 'connected')
  await again.stop()
})

test('browsers reload if a server could not notify the others', async () => {
  const { secret } = await linkTestDevice(near!, token, 'unheard')
  const before = browser.changes.length
  proxy.cutAt('pg_notify', 'lose')
  const device = await connectAt(far!, 'unheard', secret)
  const everything = () => browser.changes.slice(before).some(({ changed }) => changed.length > 5)
  await eventually(() => proxy.cuts === 1 && everything(), 20_000)
  await device.stop()
})
