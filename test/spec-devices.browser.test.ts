import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Networks } from '@sdd/contract/fleet/devices.ts'
import type { Locator, Page } from 'playwright-core'
import { eventually } from '../packages/console/test/browser.ts'
import { enterFirst, FIRST_PASSWORD } from '../packages/server/test/seeds.ts'
import { type Installation, startInstallation } from './installation.ts'
import { PASSWORD } from './server-process.ts'
import { breakCall, cellsOf, rowOf, useVisits } from './visiting.ts'

/** A device that was linked but has never been switched on. */
const SILENT = 'silent-1'

/** The part of a browser's window used here. */
type Styles = { getComputedStyle(element: unknown): { color: string } }

let installation: Installation
const { visit } = useVisits(() => installation)

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

async function openDetails(page: Page, uid: string): Promise<Locator> {
  await rowOf(page, uid).getByRole('button', { name: 'Details', exact: true }).click()
  const panel = page.getByRole('region', { name: `Networks ${uid}`, exact: true })
  await panel.waitFor()
  return panel
}

test('a row has the device’s fields in the order of the columns', async (t) => {
  const page = await visit(t, '/devices')
  const { body } = await installation.api<{ devices: { uid: string; id: number; created_at: string }[] }>(
    '/api/device-list',
  )
  const device = body.devices.find(({ uid }) => uid === SILENT)!
  const [id, uid, status, location, created, enabled, actions] = await cellsOf(rowOf(page, SILENT))
  const columns = await page.getByRole('columnheader').allInnerTexts()
  assert.deepEqual(
    columns.map((text) => text.trim()),
    ['ID', 'UID', 'Status', 'Location', 'Created At', 'Enabled', 'Acciones'],
  )
  assert.deepEqual([id, uid, status, location], [String(device.id), SILENT, 'disconnected', 'Sótano 2'])
  const [, year, month, day, time] = /^(\d+)-(\d+)-(\d+)T(\d+:\d+)/.exec(device.created_at)!
  assert.equal(created, `${day}/${month}/${year} ${time}`)
  assert.equal(enabled, '')
  assert.match(actions!, /^Details\s+Send SMS$/)
  assert.ok(await page.getByRole('checkbox', { name: `Enabled ${SILENT}`, exact: true }).isChecked())
})

test('the status cell is green when connected, red when not, and shows Send SMS accordingly', async (t) => {
  const page = await visit(t, '/devices')
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

test('a user sees the Enabled checkbox but cannot change it', async (t) => {
  const page = await visit(t, '/devices', 'user')
  const box = page.getByRole('checkbox', { name: 'Enabled drone-0001', exact: true })
  assert.ok(await box.isChecked())
  assert.ok(await box.isDisabled())
})

for (const who of ['admin', 'superadmin']) {
  test(`${who === 'admin' ? 'an' : 'a'} ${who} disables and enables a device by a POST without a body, and the row shows it`, async (t) => {
    const page = await visit(t, '/devices', who)
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
      await eventually(async () => assert.equal(await box.isChecked(), checked))
      await page.reload()
      await eventually(async () => assert.equal(await box.isChecked(), checked))
    }
  })
}

test('details list every field of WiFi, mobile network and SIM that the device reported', async (t) => {
  const page = await visit(t, '/devices')
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
  const page = await visit(t, '/devices')
  const panel = await openDetails(page, SILENT)
  await panel.getByText('Sin datos WiFi', { exact: true }).waitFor()
  await panel.getByText('Sin datos móviles', { exact: true }).waitFor()
})

test('a change by another user shows without a reload', async (t) => {
  const page = await visit(t, '/devices')
  await page.getByText('En vivo').waitFor()
  const box = page.getByRole('checkbox', { name: 'Enabled drone-0001', exact: true })
  assert.ok(await box.isChecked())
  await installation.api('/api/disable-device/drone-0001', {})
  await eventually(async () => assert.equal(await box.isChecked(), false))
  await installation.api('/api/enable-device/drone-0001', {})
  await eventually(async () => assert.equal(await box.isChecked(), true))
})

test('the tabs are the two of the specification, then those of administrators only', async (t) => {
  const tabs = ['Global settings', 'Device settings']
  const page = await visit(t, '/settings', 'user')
  await page.getByLabel('Spoof time (secs)').waitFor()
  assert.deepEqual(await page.getByRole('tab').allInnerTexts(), tabs)
  const other = await visit(t, '/settings')
  await other.getByLabel('Spoof time (secs)').waitFor()
  assert.deepEqual((await other.getByRole('tab').allInnerTexts()).slice(0, 2), tabs)
  assert.equal(await other.getByRole('tab', { selected: true }).innerText(), 'Global settings')
})

test('the spoof time is a number input, and Send enabled says Yes or No', async (t) => {
  const page = await visit(t, '/settings')
  const spoof = page.getByLabel('Spoof time (secs)', { exact: true })
  assert.equal(await spoof.getAttribute('type'), 'number')
  assert.equal(await spoof.inputValue(), '0')
  const sends = page.getByRole('checkbox', { name: 'Send enabled' })
  await page.getByText('Yes', { exact: true }).waitFor()
  await sends.uncheck()
  await page.getByText('No', { exact: true }).waitFor()
  assert.equal(await page.getByText('Yes', { exact: true }).count(), 0)
})

test('a save sends the record with a number, shows Saving... meanwhile and then ¡Properly saved!', async (t) => {
  const page = await visit(t, '/settings')
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const sent: unknown[] = []
  await page.route('**/api/global-settings', async (route) => {
    if (route.request().method() === 'POST') {
      sent.push(route.request().postDataJSON())
      await held
    }
    await route.continue()
  })
  await page.getByLabel('Spoof time (secs)').fill('12')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  const saving = page.getByRole('button', { name: 'Saving...', exact: true })
  await saving.waitFor()
  assert.ok(await saving.isDisabled())
  release()
  await page.getByRole('status').getByText('¡Properly saved!', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Save', exact: true }).waitFor()
  const { body } = await installation.api<{ settings: { id: number; spoof_time_secs: number }[] }>(
    '/api/global-settings',
  )
  assert.equal(body.settings[0]!.spoof_time_secs, 12)
  assert.deepEqual(sent, [{ id: body.settings[0]!.id, spoof_time_secs: 12, send_enabled: true }])
  await page.reload()
  assert.equal(await page.getByLabel('Spoof time (secs)').inputValue(), '12')
})

test('a device’s row has uid, status, limit and Edit, which turns the limit into a number input with Save and Cancel; Cancel changes nothing', async (t) => {
  const page = await visit(t, '/settings?tab=devices')
  const calls: string[] = []
  page.on('request', (request) => request.method() === 'POST' && calls.push(request.url()))
  const row = rowOf(page, 'drone-0001')
  assert.deepEqual(await cellsOf(row), ['drone-0001', 'connected', '100', 'Edit'])
  const columns = await page.getByRole('columnheader').allInnerTexts()
  assert.deepEqual(
    columns.map((text) => text.trim()),
    ['UID', 'Status', 'Max SMS daily', 'Actions'],
  )
  await row.getByRole('button', { name: 'Edit', exact: true }).click()
  const input = row.getByRole('spinbutton')
  assert.equal(await input.getAttribute('type'), 'number')
  assert.equal(await input.inputValue(), '100')
  await input.fill('5')
  await row.getByRole('button', { name: 'Save', exact: true }).waitFor()
  await row.getByRole('button', { name: 'Cancel', exact: true }).click()
  assert.deepEqual(await cellsOf(row), ['drone-0001', 'connected', '100', 'Edit'])
  assert.deepEqual(calls, [])
})

test('Save sends uid and limit, and the row shows the limit from the server’s answer', async (t) => {
  const page = await visit(t, '/settings?tab=devices')
  const row = rowOf(page, 'drone-0002')
  await row.getByRole('button', { name: 'Edit', exact: true }).click()
  await row.getByRole('spinbutton').fill('250')
  const asked = page.waitForRequest('**/api/device-list-settings')
  await row.getByRole('button', { name: 'Save', exact: true }).click()
  assert.deepEqual((await asked).postDataJSON(), { uid: 'drone-0002', max_sms_dayly: 250 })
  await row.getByRole('cell', { name: '250', exact: true }).waitFor()
  await page.reload()
  await row.getByRole('cell', { name: '250', exact: true }).waitFor()
})

test('a user reads the settings but cannot change them', async (t) => {
  const page = await visit(t, '/settings', 'user')
  assert.equal(await page.getByLabel('Spoof time (secs)').isEditable(), false)
  assert.ok(await page.getByRole('checkbox', { name: 'Send enabled' }).isDisabled())
  assert.ok(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled())
  await page.getByRole('tab', { name: 'Device settings' }).click()
  assert.ok(await rowOf(page, 'drone-0001').getByRole('button', { name: 'Edit', exact: true }).isDisabled())
})

test('a failed toggle is logged, reverts, and shows an error', async (t) => {
  const page = await visit(t, '/devices')
  await breakCall(page, '/api/disable-device/drone-0003')
  const box = page.getByRole('checkbox', { name: 'Enabled drone-0003', exact: true })
  const logged = page.waitForEvent('console', (message) => message.text().startsWith('device-enabled:'))
  await box.click()
  await page.getByText('No se pudo deshabilitar drone-0003. La fila vuelve a su estado.').waitFor()
  await logged
  assert.ok(await box.isChecked())
})
