import assert from 'node:assert/strict'
import { after, before, test, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { useBrowser } from '../packages/console/test/browser.ts'
import { enterFirst, FIRST_PASSWORD } from '../packages/server/test/seeds.ts'
import { type Installation, startInstallation } from './installation.ts'
import { PASSWORD } from './server-process.ts'
import { breakCall, cellsOf, logIn, rowOf } from './visiting.ts'

let installation: Installation
const visit = useBrowser()

before(async () => {
  installation = await startInstallation({ devices: 2, behaviour: { reconnect_ms: [50, 300] } })
  const luis = { name: 'Luis', email: 'luis@b.c', role: 'user', password: FIRST_PASSWORD }
  await installation.api('/api/user', luis)
  await enterFirst(installation, 'Luis', FIRST_PASSWORD, PASSWORD)
})
after(() => installation.stop())

async function enter(
  t: TestContext,
  { tab = 'Global settings', username = 'superadmin' } = {},
): Promise<Page> {
  const page = await logIn(await visit(t, { url: installation.url, role: 'none' }), username)
  await page.getByRole('link', { name: 'Settings', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'Settings', exact: true }).waitFor()
  await page.getByRole('tab', { name: tab, exact: true }).click()
  return page
}

const enterDevices = (t: TestContext) => enter(t, { tab: 'Device settings' })

test('the tabs are the two of the specification, then those that only administrators have', async (t) => {
  const tabs = ['Global settings', 'Device settings']
  const page = await enter(t, { username: 'Luis' })
  assert.deepEqual(await page.getByRole('tab').allInnerTexts(), tabs)
  const other = await enter(t)
  assert.deepEqual((await other.getByRole('tab').allInnerTexts()).slice(0, 2), tabs)
  assert.equal(await other.getByRole('tab', { selected: true }).innerText(), 'Global settings')
})

test('the spoof time is a number input, and Send enabled says Yes or No', async (t) => {
  const page = await enter(t)
  const spoof = page.getByLabel('Spoof time (secs)', { exact: true })
  assert.equal(await spoof.getAttribute('type'), 'number')
  assert.equal(await spoof.inputValue(), '0')
  const sends = page.getByRole('checkbox', { name: 'Send enabled' })
  await page.getByText('Yes', { exact: true }).waitFor()
  await sends.uncheck()
  await page.getByText('No', { exact: true }).waitFor()
  assert.equal(await page.getByText('Yes', { exact: true }).count(), 0)
})

test('a save sends the record with a number, says Saving... meanwhile and ¡Properly saved! then', async (t) => {
  const page = await enter(t)
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
})

test('settings that fail to load say Error al cargar settings, and a retry loads them', async (t) => {
  const page = await enter(t)
  const mend = await breakCall(page, '/api/global-settings')
  await page.reload()
  await page.getByRole('alert').getByText('Error al cargar settings', { exact: true }).waitFor()
  await mend()
  await page.getByRole('button', { name: 'Reintentar' }).click()
  await page.getByLabel('Spoof time (secs)').waitFor()
})

for (const [what, json, said] of [
  ['the server’s detail', { detail: 'Somebody else is saving.' }, 'Somebody else is saving.'],
  ['Error al guardar where there is none', {}, 'Error al guardar'],
] as const) {
  test(`a save that fails alerts ${what}, for the global settings and for a device`, async (t) => {
    const page = await enter(t)
    const refuse = (path: string) =>
      page.route(`**${path}`, (route) =>
        route.request().method() === 'POST' ? route.fulfill({ status: 409, json }) : route.continue(),
      )
    await refuse('/api/global-settings')
    await page.getByLabel('Spoof time (secs)').fill('77')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('alert').getByText(said, { exact: true }).waitFor()
    assert.equal(await page.getByLabel('Spoof time (secs)').inputValue(), '77')

    await refuse('/api/device-list-settings')
    await page.getByRole('tab', { name: 'Device settings' }).click()
    const row = rowOf(page, 'drone-0001')
    await row.getByRole('button', { name: 'Edit', exact: true }).click()
    await row.getByRole('spinbutton').fill('77')
    await row.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('alert').getByText(said, { exact: true }).waitFor()
    assert.equal(await row.getByRole('spinbutton').inputValue(), '77')
  })
}

test('a device’s row has uid, status, limit and Edit', async (t) => {
  const page = await enterDevices(t)
  assert.deepEqual(await cellsOf(rowOf(page, 'drone-0001')), ['drone-0001', 'connected', '100', 'Edit'])
})

test('Edit turns the limit into a number input with Save and Cancel; Cancel leaves all as it was', async (t) => {
  const page = await enterDevices(t)
  const calls: string[] = []
  page.on('request', (request) => request.method() === 'POST' && calls.push(request.url()))
  const row = rowOf(page, 'drone-0001')
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

test('Save sends uid and limit, and the row shows the limit that the server answers', async (t) => {
  const page = await enterDevices(t)
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

test('devices that fail to load say Error al cargar dispositivos, and a retry loads them', async (t) => {
  const page = await enterDevices(t)
  const mend = await breakCall(page, '/api/device-list-settings')
  await page.reload()
  await page.getByRole('alert').getByText('Error al cargar dispositivos', { exact: true }).waitFor()
  await mend()
  await page.getByRole('button', { name: 'Reintentar' }).click()
  await rowOf(page, 'drone-0001').waitFor()
})

test('a user reads the settings and changes none', async (t) => {
  const page = await enter(t, { username: 'Luis' })
  assert.equal(await page.getByLabel('Spoof time (secs)').isEditable(), false)
  assert.ok(await page.getByRole('checkbox', { name: 'Send enabled' }).isDisabled())
  assert.ok(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled())
  await page.getByRole('tab', { name: 'Device settings' }).click()
  assert.ok(await rowOf(page, 'drone-0001').getByRole('button', { name: 'Edit', exact: true }).isDisabled())
})
