import assert from 'node:assert/strict'
import { after, before, test, type TestContext } from 'node:test'
import type { Networks } from '@sdd/contract/fleet/devices.ts'
import type { Locator, Page } from 'playwright-core'
import { eventually, useBrowser } from '../packages/console/test/browser.ts'
import { enterFirst, FIRST_PASSWORD } from '../packages/server/test/seeds.ts'
import { type Installation, startInstallation } from './installation.ts'
import { PASSWORD } from './server-process.ts'
import { breakCall, cellsOf, logIn, rowOf } from './visiting.ts'

/** A device that was linked and has never been switched on. */
const SILENT = 'silent-1'

/** What this needs of a browser's window. */
type Styles = { getComputedStyle(element: unknown): { color: string } }

let installation: Installation
const visit = useBrowser()

before(async () => {
  installation = await startInstallation({
    devices: 3,
    behaviour: { send_ms: [20, 40], delivery_ms: [20, 40], reconnect_ms: [50, 300] },
  })
  const { body } = await installation.api<{ code: string }>('/api/link-codes', {})
  await installation.api('/api/devices/link', { code: body.code, uid: SILENT, location: 'Sótano 2' })
  for (const role of ['user', 'admin']) {
    const person = { name: role, email: `${role}@b.c`, role, password: FIRST_PASSWORD }
    await installation.api('/api/user', person)
    await enterFirst(installation, role, FIRST_PASSWORD, PASSWORD)
  }
})
after(() => installation.stop())

async function enter(t: TestContext, username?: string): Promise<Page> {
  return logIn(await visit(t, { url: installation.url, role: 'none' }), username)
}

async function openDetails(page: Page, uid: string): Promise<Locator> {
  await rowOf(page, uid).getByRole('button', { name: 'Details', exact: true }).click()
  const panel = page.getByRole('region', { name: `Networks ${uid}`, exact: true })
  await panel.waitFor()
  return panel
}

test('a row has the device’s fields in the order of the columns', async (t) => {
  const page = await enter(t)
  const { body } = await installation.api<{ devices: { uid: string; id: number; created_at: string }[] }>(
    '/api/device-list',
  )
  const device = body.devices.find(({ uid }) => uid === SILENT)!
  const [id, uid, status, location, created, enabled, actions] = await cellsOf(rowOf(page, SILENT))
  assert.deepEqual([id, uid, status, location], [String(device.id), SILENT, 'disconnected', 'Sótano 2'])
  const [, year, month, day, time] = /^(\d+)-(\d+)-(\d+)T(\d+:\d+)/.exec(device.created_at)!
  assert.equal(created, `${day}/${month}/${year} ${time}`)
  assert.equal(enabled, '')
  assert.match(actions!, /^Details\s+Send SMS$/)
  assert.ok(await page.getByRole('checkbox', { name: `Enabled ${SILENT}`, exact: true }).isChecked())
})

test('the status cell is green when connected, red when not, and its Send SMS goes with it', async (t) => {
  const page = await enter(t)
  const color = async (uid: string) => {
    const pill = rowOf(page, uid).getByRole('cell').nth(2).locator(':scope > *')
    const rgb = await pill.evaluate(
      (element) => (globalThis as unknown as Styles).getComputedStyle(element).color,
    )
    return rgb.match(/\d+/g)!.map(Number)
  }
  await rowOf(page, 'drone-0001').getByText('connected', { exact: true }).waitFor()
  const [red = 0, green = 0] = await color('drone-0001')
  assert.ok(green > 2 * red, 'green')
  const [otherRed = 0, otherGreen = 0] = await color(SILENT)
  assert.ok(otherRed > 2 * otherGreen, 'red')
  assert.ok(await rowOf(page, 'drone-0001').getByRole('button', { name: 'Send SMS' }).isEnabled())
  assert.ok(await rowOf(page, SILENT).getByRole('button', { name: 'Send SMS' }).isDisabled())
})

test('a user sees the Enabled checkbox and cannot use it', async (t) => {
  const page = await enter(t, 'user')
  const box = page.getByRole('checkbox', { name: 'Enabled drone-0001', exact: true })
  assert.ok(await box.isChecked())
  assert.ok(await box.isDisabled())
})

for (const who of ['admin', 'superadmin']) {
  test(`${who === 'admin' ? 'an' : 'a'} ${who} disables and enables a device by a POST without a body, and the row keeps it`, async (t) => {
    const page = await enter(t, who)
    const box = page.getByRole('checkbox', { name: 'Enabled drone-0002', exact: true })
    for (const [word, checked] of [
      ['disable', false],
      ['enable', true],
    ] as const) {
      const asked = page.waitForRequest(`**/api/${word}-device/drone-0002`)
      await box.click()
      const request = await asked
      assert.deepEqual([request.method(), request.postData()], ['POST', null])
      assert.equal((await request.response())?.status(), 200)
      assert.equal(await box.isChecked(), checked)
      await page.reload()
      assert.equal(await box.isChecked(), checked)
    }
  })
}

test('details list every field of WiFi, mobile network and SIM that the device reported', async (t) => {
  const page = await enter(t)
  const panel = await openDetails(page, 'drone-0001')
  await panel.getByRole('heading', { name: 'WiFi', exact: true }).waitFor()
  await panel.getByRole('heading', { name: 'Móvil', exact: true }).waitFor()
  const { body } = await installation.api<Networks>('/api/device/drone-0001/networks')
  const facts = new Map<string, string[]>()
  for (const [label, value] of await panel
    .locator('dl > div')
    .evaluateAll((all) => all.map((one) => [...one.children].map((part) => part.textContent!.trim()))))
    facts.set(label!, [...(facts.get(label!) ?? []), value!])
  const { wifi, mobile } = body
  const [sim] = mobile!.sims!
  for (const [label, value] of [
    ['SSID', wifi!.ssid],
    ['Intensidad', wifi!.intensity],
    ['Intensidad', mobile!.intensity],
    ['Banda', wifi!.band],
    ['Frecuencia', wifi!.frequency],
    ['Velocidad', wifi!.link_speed],
    ['BSSID', wifi!.bssid],
    ['IP', wifi!.ip_address],
    ['ID', sim!.id],
    ['Ranura', sim!.slot],
    ['Operador', sim!.carrier],
    ['Red del operador', sim!.operator_name],
    ['Número', sim!.phone_number],
    ['ICCID', sim!.iccid],
    ['Roaming', sim!.roaming ? 'Sí' : 'No'],
    ['Tipo de red', sim!.network_type_label],
  ] as const)
    assert.ok(
      facts.get(label)?.some((shown) => shown.replace(/ (dBm|MHz|Mbps)$/, '') === String(value)),
      `${label} ${value}: ${facts.get(label)?.join()}`,
    )
  assert.equal(facts.get('Capturado')?.length, 2)
})

test('a device that never reported says so, in each part', async (t) => {
  const page = await enter(t)
  const panel = await openDetails(page, SILENT)
  await panel.getByText('Sin datos WiFi', { exact: true }).waitFor()
  await panel.getByText('Sin datos móviles', { exact: true }).waitFor()
})

test('networks that fail to load show an error marker, and a retry loads them', async (t) => {
  const page = await enter(t)
  const mend = await breakCall(page, '/api/device/drone-0002/networks')
  const panel = await openDetails(page, 'drone-0002')
  await panel.getByRole('alert').getByText('No se pudieron cargar las redes.').waitFor()
  await mend()
  await panel.getByRole('button', { name: 'Reintentar' }).click()
  await panel.getByText('BSSID').waitFor()
  assert.equal(await panel.getByRole('alert').count(), 0)
})

test('the details toggle says whether it is open', async (t) => {
  const page = await enter(t)
  const toggle = rowOf(page, 'drone-0003').getByRole('button', { name: 'Details', exact: true })
  assert.equal(await toggle.getAttribute('aria-expanded'), 'false')
  const panel = await openDetails(page, 'drone-0003')
  assert.equal(await toggle.getAttribute('aria-expanded'), 'true')
  await toggle.click()
  await panel.waitFor({ state: 'detached' })
  assert.equal(await toggle.getAttribute('aria-expanded'), 'false')
})

test('a list that fails to load is logged, and said quietly with a retry', async (t) => {
  const page = await enter(t)
  const mend = await breakCall(page, '/api/device-list')
  const logged = page.waitForEvent('console', (message) => message.text().startsWith('devices:'))
  await page.reload()
  await page.getByRole('alert').getByText('No se pudo cargar la lista de dispositivos.').waitFor()
  await logged
  await mend()
  await page.getByRole('button', { name: 'Reintentar' }).click()
  await rowOf(page, 'drone-0001').waitFor()
})

test('a toggle that fails is logged, goes back, and says so', async (t) => {
  const page = await enter(t)
  await breakCall(page, '/api/disable-device/drone-0003')
  const box = page.getByRole('checkbox', { name: 'Enabled drone-0003', exact: true })
  const logged = page.waitForEvent('console', (message) => message.text().startsWith('device-enabled:'))
  await box.click()
  await page.getByText('No se pudo deshabilitar drone-0003. La fila vuelve a su estado.').waitFor()
  await logged
  assert.ok(await box.isChecked())
})

test('what another member of the staff changes shows without a reload', async (t) => {
  const page = await enter(t)
  await page.getByText('En vivo').waitFor()
  const box = page.getByRole('checkbox', { name: 'Enabled drone-0001', exact: true })
  assert.ok(await box.isChecked())
  await installation.api('/api/disable-device/drone-0001', {})
  await eventually(async () => assert.equal(await box.isChecked(), false))
  await installation.api('/api/enable-device/drone-0001', {})
  await eventually(async () => assert.equal(await box.isChecked(), true))
})
