import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import type { Page } from 'playwright-core'
import { eventually, useBrowser } from './browser.ts'
import { openExampleServer, type ExampleServer } from './example-server.ts'
import { exampleDevices } from './examples.ts'
import type { StandIn } from './stand-in.ts'

const open = useBrowser()
let server: ExampleServer
let answers: StandIn['answers']

before(async () => {
  server = await openExampleServer()
  answers = server.answers
})
beforeEach(() => {
  server.answers = { ...answers }
  server.devices = exampleDevices(48)
  server.connack = 0
  server.cut()
})
after(() => server.stop())

function statusOf(page: Page, uid: string) {
  const row = page.getByRole('row').filter({ has: page.getByRole('cell', { name: uid, exact: true }) })
  return row.getByRole('cell').nth(2)
}

function disconnect(uid: string): void {
  server.devices = server.devices.map((device) =>
    device.uid === uid ? { ...device, status: 'disconnected' } : device,
  )
}

async function openLive(page: Page): Promise<void> {
  await page.goto('/devices')
  await page.getByText('En vivo').waitFor()
  await statusOf(page, 'drone-0001').waitFor()
}

test('a status message changes only its own row', async (t) => {
  const page = await open(t, { url: server.url })
  await openLive(page)
  server.publish('devices/status', { device_uid: 'drone-0001', status: 'disconnected' })
  await eventually(async () => assert.equal(await statusOf(page, 'drone-0001').innerText(), 'disconnected'))
  assert.equal(await statusOf(page, 'drone-0002').innerText(), 'connected')
  await page.getByText('último cambio hace').waitFor()
  server.publish('devices/status', { device_uid: 'drone-0001', status: 'connected' })
  await eventually(async () => assert.equal(await statusOf(page, 'drone-0001').innerText(), 'connected'))
})

test('a change between the first load and the first live connection is shown as soon as that is made', async (t) => {
  const goLive = server.holdLive()
  t.after(goLive)
  const page = await open(t, { url: server.url })
  await page.goto('/devices')
  await statusOf(page, 'drone-0001').getByText('connected', { exact: true }).waitFor()
  disconnect('drone-0001')
  goLive()
  await statusOf(page, 'drone-0001').getByText('disconnected').waitFor()
})

test('malformed status messages are ignored', async (t) => {
  const page = await open(t, { url: server.url })
  await openLive(page)
  const malformed = [
    'not json',
    '',
    '[]',
    '{"device_uid":"drone-0001"}',
    '{"device_uid":"drone-0001","status":"lost"}',
  ]
  for (const payload of malformed) server.publish('devices/status', payload)
  server.publish('devices/status', { device_uid: 'nobody', status: 'disconnected' })
  server.publish('devices/status', { device_uid: 'drone-0002', status: 'disconnected' })
  await eventually(async () => assert.equal(await statusOf(page, 'drone-0002').innerText(), 'disconnected'))
  assert.equal(await statusOf(page, 'drone-0001').innerText(), 'connected')
})

test('a list that was loading when a status arrived does not undo it', async (t) => {
  const page = await open(t, { url: server.url })
  await openLive(page)
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const stale = server.devices.with(1, { ...server.devices[1]!, location: 'Depot 9' })
  server.answers['GET /api/device-list'] = async () => {
    await held
    return { body: { devices: stale } }
  }
  server.asked.length = 0
  server.publish('/front/change', { changed: ['devices'] })
  await eventually(() => assert.ok(server.asked.some(({ path }) => path === '/api/device-list')))
  server.publish('devices/status', { device_uid: 'drone-0001', status: 'disconnected' })
  await eventually(async () => assert.equal(await statusOf(page, 'drone-0001').innerText(), 'disconnected'))
  release()
  await page.getByText('Depot 9').waitFor()
  server.publish('devices/status', { device_uid: 'drone-0003', status: 'disconnected' })
  await eventually(async () => assert.equal(await statusOf(page, 'drone-0003').innerText(), 'disconnected'))
  assert.equal(await statusOf(page, 'drone-0001').innerText(), 'disconnected')
})

test('a change of the devices reloads their list, merged under load', async (t) => {
  const goLive = server.holdLive()
  t.after(goLive)
  const page = await open(t, { url: server.url })
  const loads = () => server.asked.filter(({ path }) => path === '/api/device-list').length
  server.asked.length = 0
  await page.goto('/devices')
  await statusOf(page, 'drone-0001').waitFor()
  goLive()
  // The first connection repeats the load.
  await eventually(() => assert.ok(loads() >= 2))
  server.asked.length = 0
  server.devices = exampleDevices(49)
  for (let n = 0; n < 20; n++) server.publish('/front/change', { changed: ['devices'] })
  await eventually(async () =>
    assert.equal(await page.getByRole('table').getAttribute('aria-rowcount'), '50'),
  )
  server.devices = exampleDevices(50)
  server.publish('/front/change', { changed: ['devices'] })
  await eventually(async () =>
    assert.equal(await page.getByRole('table').getAttribute('aria-rowcount'), '51'),
  )
  assert.ok(loads() >= 2 && loads() <= 3, `${loads()} loads`)
})

test('a cut connection is announced, reconnects by itself, and loads changes made meanwhile', async (t) => {
  const page = await open(t, { url: server.url })
  await openLive(page)
  // After a few refused connections, which take seconds, the page would say that it is offline.
  const goLive = server.holdLive()
  t.after(goLive)
  server.cut()
  await page.getByText('Reconectando…').waitFor()
  disconnect('drone-0002')
  goLive()
  await page.getByText('En vivo').waitFor()
  await eventually(async () => assert.equal(await statusOf(page, 'drone-0002').innerText(), 'disconnected'))
})

test('a machine without a network says so, and is live again as soon as the network is back', async (t) => {
  const page = await open(t, { url: server.url })
  await openLive(page)
  await page.context().setOffline(true)
  await page.getByText('Sin conexión').waitFor()
  await page.context().setOffline(false)
  await page.getByText('En vivo').waitFor()
})

test('a broker that refuses the token makes the console check its session', async (t) => {
  server.connack = 5
  server.answers['GET /api/user/*'] = { status: 401 }
  const page = await open(t, { url: server.url })
  await page.goto('/devices')
  await page.getByRole('alert').filter({ hasText: 'Sesión expirada' }).waitFor()
})

test('search, open rows and scroll position survive live changes', async (t) => {
  const page = await open(t, { url: server.url })
  await openLive(page)
  await page.getByPlaceholder('UID').fill('drone-000')
  await page.goto('/devices?search=drone-000&open=drone-0003')
  await page.getByRole('region', { name: 'Networks drone-0003' }).getByText('ops-norte-5g').waitFor()
  await page.getByText('En vivo').waitFor()
  disconnect('drone-0003')
  server.publish('devices/status', { device_uid: 'drone-0003', status: 'disconnected' })
  server.publish('/front/change', { changed: ['devices'] })
  await eventually(async () => assert.equal(await statusOf(page, 'drone-0003').innerText(), 'disconnected'))
  assert.equal(await page.getByPlaceholder('UID').inputValue(), 'drone-000')
  assert.equal(await page.getByRole('region', { name: 'Networks drone-0003' }).count(), 1)
  assert.equal(await statusOf(page, 'drone-0010').count(), 0)
})

test('a row stays under the pointer although its status no longer fits the filter', async (t) => {
  const page = await open(t, { url: server.url })
  await openLive(page)
  await page.getByRole('button', { name: /^Conectados/ }).click()
  await page.waitForURL('**/devices?show=connected')
  await statusOf(page, 'drone-0002').hover()
  server.publish('devices/status', { device_uid: 'drone-0002', status: 'disconnected' })
  await eventually(async () => assert.equal(await statusOf(page, 'drone-0002').innerText(), 'disconnected'))
  await page.getByRole('heading', { level: 1 }).hover()
  await statusOf(page, 'drone-0002').waitFor({ state: 'detached' })
})
