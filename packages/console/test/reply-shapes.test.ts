import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useBrowser } from './browser.ts'
import { useExampleServer } from './example-server.ts'
import { exampleNetworks } from './examples.ts'

const open = useBrowser()
const server = await useExampleServer()

test('the networks of a device are read bare, wrapped, and as a list of one', async (t) => {
  const page = await open(t, { url: server.url })
  for (const body of [
    exampleNetworks,
    [exampleNetworks],
    { networks: exampleNetworks },
    { data: exampleNetworks },
    { data: [exampleNetworks] },
  ]) {
    server.answers['GET /api/device/*/networks'] = { body }
    await page.goto('/devices?open=drone-0001')
    const panel = page.getByRole('region', { name: 'Networks drone-0001' })
    await panel.getByText('ops-norte-5g').waitFor()
    await panel.getByText('8934071100123456789').waitFor()
  }
})

test('networks with a missing part show the other part, and say which is missing', async (t) => {
  const page = await open(t, { url: server.url })
  const panel = page.getByRole('region', { name: 'Networks drone-0001' })
  server.answers['GET /api/device/*/networks'] = { body: { wifi: exampleNetworks.wifi } }
  await page.goto('/devices?open=drone-0001')
  await panel.getByText('ops-norte-5g').waitFor()
  await panel.getByText('Sin datos móviles', { exact: true }).waitFor()
  server.answers['GET /api/device/*/networks'] = { body: { mobile: { sims: [{ id: 3, slot: 0 }] } } }
  await page.reload()
  await panel.getByText('Sin datos WiFi', { exact: true }).waitFor()
  await panel.getByRole('heading', { name: 'SIM 0', exact: true }).waitFor()
  for (const body of [{}, null, []]) {
    server.answers['GET /api/device/*/networks'] = { body }
    await page.reload()
    await panel.getByText('Sin datos WiFi', { exact: true }).waitFor()
    await panel.getByText('Sin datos móviles', { exact: true }).waitFor()
  }
})

const record = { id: 11, spoof_time_secs: 31, send_enabled: true }

test('saved settings are read in every shape, and a reply without them keeps the sent values', async (t) => {
  const goLive = server.holdLive()
  t.after(goLive)
  const page = await open(t, { url: server.url })
  for (const [body, shown] of [
    [record, '31'],
    [{ settings: record }, '31'],
    [{ data: [record] }, '31'],
    [[record], '31'],
    [{ status: 'ok' }, '30'],
    [undefined, '30'],
  ] as const) {
    server.answers['POST /api/global-settings'] = body === undefined ? {} : { body }
    await page.goto('/settings')
    await page.getByLabel('Spoof time (secs)').fill('30')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('status').getByText('¡Properly saved!', { exact: true }).waitFor()
    assert.equal(await page.getByLabel('Spoof time (secs)').inputValue(), shown)
  }
})

test('if the server does not repeat a saved limit, the sent one is shown', async (t) => {
  const goLive = server.holdLive()
  t.after(goLive)
  const page = await open(t, { url: server.url })
  for (const [body, shown] of [
    [{ max_sms_dayly: 61 }, '61'],
    [{ status: 'ok' }, '60'],
    [undefined, '60'],
  ] as const) {
    server.answers['POST /api/device-list-settings'] = body === undefined ? {} : { body }
    await page.goto('/settings?tab=devices&edit=drone-0002')
    await page.getByRole('spinbutton').fill('60')
    await page.keyboard.press('Enter')
    await page.getByRole('cell', { name: shown, exact: true }).waitFor()
  }
})

test('a user saved without a status text is reported as saved', async (t) => {
  const page = await open(t, { url: server.url })
  for (const [answer, said] of [
    [{ body: { status: 'Listo' } }, 'Listo'],
    [{ body: {} }, 'Usuario guardado'],
    [{ status: 204 }, 'Usuario guardado'],
  ] as const) {
    server.answers['POST /api/user'] = answer
    await page.goto('/users?edit=3')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('status').getByText(said, { exact: true }).waitFor()
  }
})

for (const id of [7, '7']) {
  test(`a login with the ${typeof id} id 7 is stored, whatever else its reply has`, async (t) => {
    server.answers['POST /api/login'] = { body: { id, role: 'admin', access_token: 'token-7', name: 'Ana' } }
    const page = await open(t, { url: server.url, role: 'none' })
    await page.goto('/login')
    await page.getByPlaceholder('Username').fill('ana')
    await page.getByPlaceholder('Password').fill('x')
    await page.getByRole('button', { name: 'LOG IN' }).click()
    await page.waitForURL('**/devices')
    const kept = await page.evaluate(() =>
      ['token', 'role', 'user_id'].map((key) => localStorage.getItem(key)),
    )
    assert.deepEqual(kept, ['token-7', 'admin', '7'])
  })
}
