import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eventually, useBrowser } from '../packages/console/test/browser.ts'
import { type Installation, startInstallation } from './installation.ts'
import { PASSWORD } from './server-process.ts'

const DEVICES = 6

let installation: Installation
const visit = useBrowser()

before(async () => {
  installation = await startInstallation({
    devices: DEVICES,
    behaviour: {
      send_ms: [200, 400],
      delivery_ms: [300, 600],
      reply_ms: [300, 600],
      replying: 1,
      reconnect_ms: [50, 300],
    },
  })
})
after(() => installation.stop())

async function logIn(page: Awaited<ReturnType<typeof visit>>, password = PASSWORD): Promise<void> {
  await page.goto('/')
  await page.getByPlaceholder('Username').fill('superadmin')
  await page.getByPlaceholder('Password').fill(password)
  await page.getByRole('button', { name: 'LOG IN' }).click()
}

test('an operator logs in, sees the fleet, sends an SMS from a device and watches its log fill in', async (t) => {
  const page = await visit(t, { url: installation.url, role: 'none' })
  await logIn(page, 'wrong password')
  await page.getByText('Usuario o contraseña incorrectos').waitFor()
  await logIn(page)
  await page.getByRole('heading', { name: 'LINKED DEVICES', level: 1 }).waitFor()
  assert.equal(new URL(page.url()).pathname, '/devices')
  assert.equal(await page.title(), 'SMS DRONE DASH')

  const row = page.getByRole('row').filter({ hasText: 'drone-0001' })
  await row.getByText('connected', { exact: true }).waitFor()
  await row.getByRole('button', { name: 'Details' }).click()
  const panel = page.getByRole('region', { name: 'Networks drone-0001' })
  await panel.getByText('WiFi').first().waitFor()
  await panel
    .getByText(installation.fleet.devices.get('drone-0001')!.numbers[0]!.slice(-9).slice(-3))
    .first()
    .waitFor()

  await row.getByRole('button', { name: 'Send SMS' }).click()
  const form = page.getByRole('dialog', { name: 'Send SMS' })
  await form.getByPlaceholder('+34...').fill('+34 600 123 456')
  await form.locator('textarea').fill('Su pedido está en camino')
  await form.getByRole('button', { name: 'SEND', exact: true }).click()
  const result = page.getByRole('dialog', { name: 'Envío correcto' })
  await result.getByText('SMS enviado vía MQTT').waitFor()
  await result.getByRole('button', { name: 'Cerrar' }).click()
  await form.waitFor({ state: 'detached' })

  await page.getByRole('link', { name: 'Logs' }).click()
  await page.getByRole('heading', { name: 'Transaction Logs', level: 1 }).waitFor()
  const log = page.getByRole('row').filter({ hasText: '+34600123456' })
  await log.waitFor()
  const loaded = await page.evaluate(() => performance.timeOrigin)
  // Queued, handed, sent, delivered and replied, one after the other while the page stays open, and the note's time.
  await eventually(async () => assert.equal((await log.innerText()).match(/\d\d:\d\d:\d\d/g)?.length, 6))
  for (const screen of ['Devices', 'Logs']) await page.getByRole('link', { name: screen }).click()
  await log.waitFor()
  assert.equal(await page.evaluate(() => performance.timeOrigin), loaded, 'without reloading')
})

test('a status cell follows its device, and a device that cannot send offers no sending', async (t) => {
  const page = await visit(t, { url: installation.url, role: 'none' })
  await logIn(page)
  const row = page.getByRole('row').filter({ hasText: 'drone-0002' })
  await row.getByText('connected', { exact: true }).waitFor()
  const device = installation.fleet.devices.get('drone-0002')!
  device.misbehave({ away_ms: [10_000, 10_000] })
  const cannotSend = row.getByRole('button', { name: 'Send SMS', disabled: true })
  await Promise.all([row.getByText('disconnected').waitFor(), cannotSend.waitFor(), device.leave()])
  await row.getByText('connected', { exact: true }).waitFor()
  await row.getByRole('button', { name: 'Send SMS', disabled: false }).waitFor()
})

test('a disabled device accepts no message, and the refusal says what to do', async (t) => {
  const page = await visit(t, { url: installation.url, role: 'none' })
  await logIn(page)
  const enabled = page.getByRole('checkbox', { name: 'Enabled drone-0003' })
  const disabling = page.waitForResponse('**/api/disable-device/drone-0003')
  await enabled.click()
  await disabling
  await page.getByRole('link', { name: 'Send SMS' }).click()
  await page.getByRole('heading', { name: 'Send SMS', level: 1 }).waitFor()
  await page.getByRole('combobox').first().selectOption('drone-0003')
  // A separate number, since the other may already have replied BAJA.
  await page.getByPlaceholder('+34...').fill('611222333')
  await page.locator('textarea').fill('hola')
  await page.getByRole('button', { name: 'SEND', exact: true }).click()
  const refusal = page.getByRole('dialog', { name: 'Error' })
  await refusal.getByText(/drone-0003 is disabled\. Enable it/).waitFor()
  await refusal.getByRole('button', { name: 'Cerrar' }).click()
  await page.getByRole('link', { name: 'Devices' }).click()
  const enabling = page.waitForResponse('**/api/enable-device/drone-0003')
  await enabled.click()
  await enabling
})

test('the console shows that the server is down and back, and the changes made meanwhile', async (t) => {
  const page = await visit(t, { url: installation.url, role: 'none' })
  await logIn(page)
  await page.getByText('En vivo').first().waitFor()
  // It says so for a few seconds only, then that there is no connection.
  await Promise.all([page.getByText('Reconectando').first().waitFor(), installation.server.stop()])
  await installation.restart()
  await page.getByText('En vivo').first().waitFor({ timeout: 60_000 })
  await eventually(async () => {
    assert.equal(await page.getByRole('row').getByText('connected', { exact: true }).count(), DEVICES)
  }, 60_000)
})

test('a session that ended elsewhere leads to the login, with the reason', async (t) => {
  const page = await visit(t, { url: installation.url, role: 'none' })
  await logIn(page)
  await page.getByRole('heading', { name: 'LINKED DEVICES' }).waitFor()
  const token = await page.evaluate(() => localStorage.getItem('token'))
  await fetch(`${installation.url}/api/logout`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
  })
  await page.waitForURL('**/login')
  await page.getByText('Sesión expirada').waitFor()
  assert.equal(await page.evaluate(() => localStorage.getItem('token')), null)
})
