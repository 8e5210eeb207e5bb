import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { changeLanguage, eventually, rowOf, useBrowser } from './browser.ts'
import { useExampleServer } from './example-server.ts'

const open = useBrowser()
const server = await useExampleServer()
const { answers } = server

const until = new Date(Date.now() + 20 * 60_000).toISOString()
const reason = '5 messages failed in a row; the last: no network.'

beforeEach(() => {
  const [first, second, ...rest] = server.devices
  const devices = [{ ...first!, quarantined_until: until, quarantine_reason: reason }, second, ...rest]
  server.answers['GET /api/device-list'] = () => ({ body: { devices } })
})

for (const size of ['desktop', 'phone'] as const) {
  test(`a quarantined device shows on its row until when and why (${size})`, async (t) => {
    const page = await open(t, { url: server.url, size })
    await page.goto('/devices')
    const row = rowOf(page, 'drone-0001')
    const hour = until.slice(11, 16)
    await row.getByText(`cuarentena ${hour}`).waitFor()
    await row.getByText('connected', { exact: true }).waitFor()
    await row.getByTitle(reason).waitFor()
    assert.equal(await rowOf(page, 'drone-0002').getByText('cuarentena').count(), 0)
    await row.getByRole('button', { name: 'Details' }).click()
    await page.getByRole('region', { name: 'Networks drone-0001' }).getByText(reason).waitFor()
    await eventually(async () => {
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      assert.equal(overflow, 0)
    })
  })
}

test('quarantined devices have a filter, if there are any', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/devices')
  await page.getByRole('button', { name: 'En cuarentena 1' }).click()
  await page.waitForURL('**/devices?show=quarantined')
  await rowOf(page, 'drone-0002').waitFor({ state: 'detached' })
  await rowOf(page, 'drone-0001').waitFor()
  server.answers = { ...answers }
  await page.goto('/devices')
  await rowOf(page, 'drone-0001').waitFor()
  assert.equal(await page.getByRole('button', { name: /En cuarentena/ }).count(), 0)
})

test('a connected device whose radio does not work says so, with the reason', async (t) => {
  const says = 'SIM PIN required: give it with --pin.'
  const [first, second, ...rest] = server.devices
  const radio = { ready: false, says }
  const devices = [
    { ...first!, status: 'connected', radio, agent: 'sdd-agent/1' },
    { ...second!, status: 'disconnected', radio },
  ]
  server.answers['GET /api/device-list'] = () => ({ body: { devices: [...devices, ...rest] } })
  const page = await open(t, { url: server.url })
  await page.goto('/devices')
  const row = rowOf(page, 'drone-0001')
  await row.getByText('sin radio').waitFor()
  await row.getByTitle(says).waitFor()
  assert.equal(await rowOf(page, 'drone-0002').getByText('sin radio').count(), 0, 'its link is down already')
  await row.getByRole('button', { name: 'Details' }).click()
  const panel = page.getByRole('region', { name: 'Networks drone-0001' })
  await panel.getByText(says).waitFor()
  await panel.getByText('sdd-agent/1').waitFor()
})

test('a change of the language shows the fleet, rows and open details in its words', async (t) => {
  const [first, second, ...rest] = server.devices
  const facts = {
    quarantine_reason_code: 'failures_in_row',
    quarantine_reason_params: { failures: 5, last: 'no_network' },
  }
  const devices = [
    { ...first!, quarantined_until: until, quarantine_reason: reason, ...facts },
    { ...second!, radio: { ready: false, says: 'SIM PIN required.' } },
  ]
  server.answers['GET /api/device-list'] = () => ({ body: { devices: [...devices, ...rest] } })
  const page = await open(t, { url: server.url })
  await page.goto('/devices?open=drone-0001,drone-0002')
  await page.getByRole('region', { name: 'Networks drone-0001' }).getByText(reason).waitFor()
  await changeLanguage(page, 'es')
  await page.getByRole('heading', { level: 1, name: 'Dispositivos' }).waitFor()
  await page.getByRole('columnheader', { name: 'Estado' }).waitFor()
  const row = rowOf(page, 'drone-0001')
  await row.getByText('conectado', { exact: true }).waitFor()
  await row.getByRole('button', { name: 'Detalles' }).waitFor()
  await row.getByTitle('Fallaron 5 mensajes seguidos. El último: no había red móvil.').waitFor()
  const panel = page.getByRole('region', { name: 'Redes de drone-0001' })
  await panel.getByText('Fallaron 5 mensajes seguidos').waitFor()
  await page.getByRole('region', { name: 'Redes de drone-0002' }).getByText('«SIM PIN required.»').waitFor()
  await changeLanguage(page, 'en')
  const strip = page.getByRole('region', { name: 'Fleet' })
  await strip.getByText('48 devices').waitFor()
  await page.getByRole('button', { name: 'In quarantine 1' }).waitFor()
  await page.getByRole('region', { name: 'Networks of drone-0001' }).getByText('Roaming').first().waitFor()
  assert.equal(await page.getByText(reason).count(), 0)
})
