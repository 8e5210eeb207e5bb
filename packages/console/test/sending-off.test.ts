import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, useBrowser } from './browser.ts'
import { exampleDashboard } from './example-dashboard.ts'
import { useExampleServer } from './example-server.ts'

const open = useBrowser()
const server = await useExampleServer()

const record = {
  id: 11,
  company_id: 1,
  spoof_time_secs: 45,
  send_enabled: false,
  sending_changed_at: '2026-11-20T21:57:03.000Z',
  sending_changed_by: 'Ana Ruiz',
}
const said = 'Envío desactivado desde 20/11 21:57:03 por Ana Ruiz'
const screens = ['Dashboard', 'Devices', 'Send SMS', 'Users', 'Logs', 'Running Tasks', 'Settings']

function switchOff(): void {
  server.answers['GET /api/global-settings'] = { body: { settings: [record] } }
  const waiting = [{ reason: 'sending_off', count: 2, devices: 1 }]
  server.answers['GET /api/dashboard'] = { body: { ...exampleDashboard(), waiting } }
}

for (const role of ['user', 'admin', 'superadmin'] as const) {
  test(`each screen tells a ${role} that sending is off, since when, who did it, and how many messages wait`, async (t) => {
    switchOff()
    const page = await open(t, { url: server.url, role })
    await page.goto('/account')
    for (const link of screens) {
      await page.getByRole('link', { name: link, exact: true }).first().click()
      await page.locator('nav a[aria-current=page]').getByText(link, { exact: true }).waitFor()
      const line = page.getByRole('main').getByRole('status').filter({ hasText: said })
      await line.getByText('2 mensajes esperan').waitFor()
      const settings = line.getByRole('link', { name: 'Settings' })
      assert.equal(await settings.count(), role === 'user' ? 0 : 1, link)
    }
  })
}

test('the line about sending comes and goes with the switch, by itself', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/devices')
  await page.getByText('En vivo').waitFor()
  const usual = server.answers['GET /api/global-settings']!
  switchOff()
  server.publish('/front/change', { changed: ['settings'] })
  await page.getByText(said).waitFor()
  server.answers['GET /api/global-settings'] = usual
  server.publish('/front/change', { changed: ['settings'] })
  await page.getByText(said).waitFor({ state: 'detached' })
})

test('the palette stops the sending after a question, and offers to resume it', async (t) => {
  server.answers['GET /api/global-settings'] = { body: { settings: [{ ...record, send_enabled: true }] } }
  server.answers['POST /api/global-settings'] = ({ body }) => {
    switchOff()
    return { body: { ...record, ...(JSON.parse(body) as object) } }
  }
  const page = await open(t, { url: server.url, role: 'admin' })
  await page.goto('/devices')
  await page.getByRole('button', { name: 'Buscar o ir a…' }).click()
  await page.getByRole('combobox', { name: 'Ir a cualquier parte' }).fill('emergencia')
  await page.getByRole('option', { name: 'Parar el envío' }).click()
  const question = page.getByRole('dialog', { name: '¿Parar el envío?' })
  await question.waitFor()
  assert.equal(server.asked.filter(({ method }) => method === 'POST').length, 0)
  await question.getByRole('button', { name: 'Parar el envío' }).click()
  await page.getByText(said).waitFor()
  const sent = server.asked.filter(({ method }) => method === 'POST')
  assert.deepEqual(
    sent.map(({ body }) => JSON.parse(body) as unknown),
    [{ id: 11, spoof_time_secs: 45, send_enabled: false }],
  )
  await page.keyboard.press('ControlOrMeta+k')
  await page.getByRole('combobox', { name: 'Ir a cualquier parte' }).fill('envio')
  await page.getByRole('option', { name: 'Reanudar el envío' }).waitFor()
  assert.equal(await page.getByRole('option', { name: 'Parar el envío' }).count(), 0)
})

test('a server that is gone is told in red, greys the states, and disables what would be sent, until it is back', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/settings')
  await page.getByLabel('Spoof time (secs)').waitFor()
  await page.getByRole('tab', { name: 'Device settings' }).click()
  await page.getByRole('cell', { name: 'drone-0001', exact: true }).waitFor()
  await page.getByText('En vivo').waitFor()
  await page.route('**/api/**', (route) => route.abort())
  server.cut(true)
  const alert = page.getByRole('alert').filter({ hasText: 'Sin respuesta del servidor desde las' })
  await alert.getByText('No se puede enviar ni cambiar nada').waitFor()
  const filter = () =>
    page
      .locator('[data-pill]')
      .first()
      .evaluate((pill) => getComputedStyle(pill).filter)
  assert.equal(await filter(), 'grayscale(1)')
  await page.getByRole('tab', { name: 'Global settings' }).click()
  const save = page.getByRole('button', { name: 'Save', exact: true })
  assert.equal(await save.isDisabled(), true)
  await page.getByText('El servidor no responde. Podrá enviar o guardar cuando vuelva.').waitFor()
  await page.unroute('**/api/**')
  server.cut()
  await page.evaluate("dispatchEvent(new Event('online'))")
  await alert.waitFor({ state: 'detached' })
  await eventually(async () => assert.equal(await save.isDisabled(), false))
})

test('a network that only refuses the live connection leaves everything usable', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/settings')
  await page.getByText('En vivo').waitFor()
  server.asked.length = 0
  server.cut(true)
  t.after(() => server.cut())
  // One call may be for the name in the menu.
  await eventually(
    () => assert.ok(server.asked.filter(({ path }) => path === '/api/user/1').length >= 3, 'asked twice'),
    40_000,
  )
  assert.equal(await page.getByRole('alert').filter({ hasText: 'Sin respuesta' }).count(), 0)
  assert.equal(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled(), false)
})
