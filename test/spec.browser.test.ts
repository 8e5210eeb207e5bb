import assert from 'node:assert/strict'
import { after, before, test, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { useBrowser } from '../packages/console/test/browser.ts'
import { type Installation, startInstallation } from './installation.ts'
import { PASSWORD } from './server-process.ts'

let installation: Installation
const visit = useBrowser()

before(async () => {
  installation = await startInstallation({
    devices: 3,
    behaviour: { send_ms: [20, 40], delivery_ms: [20, 40], reconnect_ms: [50, 300] },
  })
})
after(() => installation.stop())

async function enter(t: TestContext): Promise<Page> {
  const page = await visit(t, { url: installation.url, role: 'none' })
  await page.goto('/login')
  await page.getByPlaceholder('Username', { exact: true }).fill('superadmin')
  await page.getByPlaceholder('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'LOG IN', exact: true }).click()
  await page.waitForURL('**/devices')
  return page
}

const screens = [
  ['Dashboard', '/dashboard', 'Dashboard'],
  ['Devices', '/devices', 'LINKED DEVICES'],
  ['Send SMS', '/sms', 'Send SMS'],
  ['Users', '/users', 'Usuarios'],
  ['Logs', '/logs', 'Transaction Logs'],
  ['Running Tasks', '/running-tasks', 'RUNNING TASKS'],
  ['Settings', '/settings', 'Settings'],
] as const

test('without a token every guarded screen leads to /login, and unknown paths to /', async (t) => {
  const page = await visit(t, { url: installation.url, role: 'none' })
  for (const [from, to] of [
    ...screens.map(([, path]) => [path, '/login'] as const),
    ['/login/anything', '/login'] as const,
    ['/nowhere', '/'] as const,
    ['/', '/'] as const,
  ]) {
    await page.goto(from)
    await page.getByRole('button', { name: 'LOG IN', exact: true }).waitFor()
    assert.equal(new URL(page.url()).pathname, to, from)
  }
})

test('with a token each link of the menu leads to its screen under its title, and Logout to /', async (t) => {
  const page = await enter(t)
  for (const [link, path, title] of screens) {
    await page.getByRole('link', { name: link, exact: true }).click()
    await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor()
    assert.equal(new URL(page.url()).pathname, path)
    assert.equal(await page.title(), 'SMS DRONE DASH')
  }
  const stored = await page.evaluate(() =>
    ['token', 'role', 'user_id'].map((key) => localStorage.getItem(key)),
  )
  assert.match(stored[0]!, /^\S{20,}$/)
  assert.deepEqual(stored.slice(1), ['superadmin', '1'])
  await page.getByRole('button', { name: 'Logout', exact: true }).click()
  await page.getByRole('button', { name: 'LOG IN', exact: true }).waitFor()
  assert.equal(new URL(page.url()).pathname, '/')
  assert.equal(await page.evaluate(() => localStorage.getItem('token')), null)
})

for (const [path, columns] of [
  ['/devices', 'ID, UID, Status, Location, Created At, Enabled, Acciones'],
  ['/users', 'ID, Nombre, Email, Role, Enabled, Company, Acciones'],
  [
    '/logs',
    'ID, GUID, Device ID, Device GUID, Mensaje, Destino, Queue Time, Handed Time, Answer Sent Time, Answer Sent, ' +
      'Answer 2 Time, Answer 2, Notes, Answer 3, Answer 3 Time, Error, Error Msg, Error Time',
  ],
  [
    '/running-tasks',
    'Ver, GUID, From, To, Text, Sent, Silent, Created, Assigned Device, Assigned, Completed, Discarded',
  ],
  ['/settings', 'UID, Status, Max SMS daily, Actions'],
] as const) {
  test(`the table of ${path} has the columns ${columns}`, async (t) => {
    const page = await enter(t)
    await page.goto(path)
    if (path === '/settings') await page.getByRole('tab', { name: 'Device settings' }).click()
    await page.getByRole('columnheader').first().waitFor()
    const shown = await page.getByRole('columnheader').allInnerTexts()
    assert.deepEqual(
      shown.map((text) => text.trim()),
      columns.split(', '),
    )
  })
}

test('running tasks can be filtered, and say when there are none', async (t) => {
  const page = await enter(t)
  await page.goto('/running-tasks')
  const filter = page.getByRole('combobox').first()
  await filter.waitFor()
  const options = await filter
    .locator('option')
    .evaluateAll((all) => all.map((option) => [option.textContent, (option as { value?: string }).value]))
  assert.deepEqual(options, [
    ['All', 'all'],
    ['Received', 'received'],
    ['In Progress', 'started'],
    ['Completed', 'completed'],
  ])
  await page.getByText('Sin tareas').waitFor()
})

test('global settings are saved, confirmed and kept, and what they forbid is refused', async (t) => {
  const page = await enter(t)
  await page.goto('/settings')
  const spoof = page.getByLabel('Spoof time (secs)')
  await spoof.fill('7')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('¡Properly saved!').waitFor()
  await page.reload()
  assert.equal(await spoof.inputValue(), '7')
  await page.getByRole('checkbox', { name: /Send enabled/ }).click()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('¡Properly saved!').waitFor()
  const refused = await installation.api<{ code: string }>('/api/device-send-sms', {
    device_uid: 'drone-0001',
    telefono_to: '600111222',
    mensaje_sms: 'hola',
  })
  assert.equal(refused.body.code, 'sending_disabled')
  await installation.api('/api/global-settings', { spoof_time_secs: 0, send_enabled: true })
})

test('a device’s daily limit is edited in its row', async (t) => {
  const page = await enter(t)
  await page.goto('/settings')
  await page.getByRole('tab', { name: 'Device settings' }).click()
  const row = page.getByRole('row').filter({ hasText: 'drone-0002' })
  await row.getByRole('button', { name: /^Edit/ }).click()
  await row.getByRole('spinbutton').fill('42')
  await row.getByRole('button', { name: /^Save/ }).click()
  await row.getByText('42', { exact: true }).waitFor()
  const { body } = await installation.api<{ devices: { uid: string; max_sms_dayly: number }[] }>(
    '/api/device-list-settings',
  )
  assert.equal(body.devices.find(({ uid }) => uid === 'drone-0002')?.max_sms_dayly, 42)
})

test('the search of the devices looks for a part of the uid in any case, and says when none is found', async (t) => {
  const page = await enter(t)
  const search = page.getByPlaceholder('UID', { exact: true })
  await search.fill('DRONE-0003')
  await page.getByRole('row').filter({ hasText: 'drone-0003' }).waitFor()
  await page.getByRole('row').filter({ hasText: 'drone-0001' }).waitFor({ state: 'detached' })
  await search.fill('no such device')
  await page.getByText('No devices found.').waitFor()
})

test('the page for sending offers connected devices, and sends nothing while a field is empty', async (t) => {
  const page = await enter(t)
  await page.goto('/sms')
  const device = page.getByRole('combobox').first()
  await device.locator('option').nth(3).waitFor({ state: 'attached' })
  assert.deepEqual(await device.locator('option').allInnerTexts(), [
    '-- Selecciona UID --',
    ...installation.uids,
  ])
  const sends: string[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/api/device-send-sms')) sends.push(request.url())
  })
  const send = page.getByRole('button', { name: 'SEND', exact: true })
  await send.click()
  await page.getByPlaceholder('+34...').fill('+34600999888')
  await send.click()
  await page.locator('textarea').fill('hola')
  await send.click()
  assert.deepEqual(sends, [], 'no device is chosen')
  assert.equal(await page.locator('textarea').getAttribute('rows'), '4')
  assert.equal(await page.getByRole('button', { name: 'Cancelar' }).count(), 0)
  await device.selectOption('drone-0002')
  await send.click()
  await page.getByRole('dialog', { name: 'Envío correcto' }).getByText('SMS enviado vía MQTT').waitFor()
  await page.getByRole('button', { name: 'Cerrar', exact: true }).click()
  assert.equal(await page.locator('textarea').inputValue(), '')
  assert.equal(await page.getByPlaceholder('+34...').inputValue(), '')
  assert.equal(sends.length, 1)
})
