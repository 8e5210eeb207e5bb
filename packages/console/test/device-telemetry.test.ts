import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { eventually, useBrowser } from './browser.ts'
import { exampleDetail, exampleHistory, examplePresence } from './example-device.ts'
import { useExampleServer } from './example-server.ts'
import { exampleDevices } from './examples.ts'

const open = useBrowser()
const server = await useExampleServer()
beforeEach(() => {
  server.devices = exampleDevices(4)
})

test('signal and battery have charts over one time axis, with absences; other readings have none', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/devices/drone-0002')
  const box = page.getByRole('region', { name: 'Últimos 7 días' })
  await box.getByRole('figure', { name: /^Señal -88 dBm/ }).waitFor()
  await box.getByRole('figure', { name: /^Batería 64 % cargando De 61 % a 100 %/ }).waitFor()
  assert.equal(await box.getByRole('figure').count(), 2)
  await box.getByText('desconectado', { exact: true }).waitFor()
  await box.getByText('12,3 GB libres').waitFor()
  const lines = box.locator('path.stroke-ink[stroke-width="1.5"]')
  // One part before the absence and one after it.
  for (const line of await lines.all()) {
    const parts = (await line.getAttribute('d'))!.split('M').length - 1
    assert.equal(parts, 2)
  }
})

test('the cursor reads all charts at one time, and names a gap', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/devices/drone-0002')
  const charts = page.getByRole('region', { name: 'Últimos 7 días' }).locator('svg[preserveAspectRatio]')
  await charts.first().waitFor()
  const { width } = (await charts.first().boundingBox())!
  await charts.first().hover({ position: { x: width * 0.3, y: 20 } })
  const figures = page.getByRole('figure')
  await eventually(async () => {
    for (const figure of await figures.all()) assert.match(await figure.innerText(), /\d\d\/\d\d \d\d:\d\d/)
  })
  await charts.first().hover({ position: { x: width * 0.48, y: 20 } })
  await eventually(async () => assert.equal(await page.getByText('sin lectura').count(), 2))
})

test('the keys 1, 2 and 3 choose the span, which is kept in the address and asked of the server', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/devices/drone-0002')
  await page.getByRole('region', { name: 'Últimos 7 días' }).waitFor()
  await page.keyboard.press('1')
  await page.waitForURL('**/devices/drone-0002?span=24h')
  await page.getByRole('region', { name: 'Últimas 24 horas' }).waitFor()
  // Other parts of the page ask for longer spans, also after this one.
  await eventually(() => {
    const asked = server.asked.filter(({ path }) => path.endsWith('/history'))
    const hours = asked.map(({ query }) => (Date.now() - Date.parse(query.get('from')!)) / 3_600_000)
    // Whole hours, and another hour may have begun.
    assert.ok(
      hours.some((ago) => ago >= 23 && ago < 24.1),
      String(hours),
    )
  })
  await page.keyboard.press('3')
  await page.getByRole('button', { name: '30 d', pressed: true }).waitFor()
})

test('a device that never says anything about itself has no charts', async (t) => {
  server.answers['GET /api/device/*'] = { body: { ...exampleDetail(server.devices[1]!), telemetry: null } }
  const page = await open(t, { url: server.url })
  await page.goto('/devices/drone-0002')
  await page.getByRole('region', { name: 'Doctor' }).waitFor()
  assert.equal(await page.getByRole('figure').count(), 0)
})

test('readings that failed to load are reported with a retry', async (t) => {
  server.answers['GET /api/device/*/history'] = { status: 500, body: { detail: 'No.' } }
  const page = await open(t, { url: server.url })
  await page.goto('/devices/drone-0002?span=24h')
  const box = page.getByRole('region', { name: 'Últimas 24 horas' })
  await box.getByText('No se pudo cargar su historia.').waitFor()
  server.answers['GET /api/device/*/history'] = { body: exampleHistory() }
  await box.getByRole('button', { name: 'Reintentar' }).click()
  await box.getByRole('figure', { name: /^Batería 64 % cargando De/ }).waitFor()
})

test('the latest readings and the presence follow the device each minute, without an event', async (t) => {
  // The load after the first live connection would bring them, too.
  const connect = server.holdLive()
  t.after(connect)
  const page = await open(t, { url: server.url })
  await page.clock.install()
  await page.goto('/devices/drone-0002')
  const box = page.getByRole('region', { name: 'Últimos 7 días' })
  await box.getByRole('figure', { name: /^Señal -88 dBm/ }).waitFor()
  await page.getByText('1 caída', { exact: true }).waitFor()
  const detail = exampleDetail(server.devices[1]!)
  server.answers['GET /api/device/*'] = {
    body: { ...detail, telemetry: { ...detail.telemetry!, signal_dbm: -71 } },
  }
  const presence = examplePresence()
  const last = presence.at(-1)!
  const at = new Date(Date.parse(last.from) + 3_600_000).toISOString()
  server.answers['GET /api/device/*/history'] = {
    body: exampleHistory([
      ...presence.slice(0, -1),
      { ...last, to: at },
      { ...last, from: at, state: 'disconnected' },
    ]),
  }
  await page.clock.fastForward('01:01')
  await box.getByRole('figure', { name: /^Señal -71 dBm/ }).waitFor()
  await page.getByText('2 caídas', { exact: true }).waitFor()
})
