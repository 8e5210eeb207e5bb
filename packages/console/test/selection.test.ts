import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { eventually, rowOf, useBrowser } from './browser.ts'
import { useExampleServer } from './example-server.ts'
import { exampleDevices } from './examples.ts'

const open = useBrowser()
const server = await useExampleServer()
beforeEach(() => {
  server.devices = exampleDevices(48)
})

const COLUMNS = ['ID', 'UID', 'Status', 'Location', 'Created At', 'Enabled', 'Acciones']

type Asked = { uids: string[]; change: Record<string, unknown> }

function changes(): Asked[] {
  return server.asked
    .filter(({ path }) => path === '/api/devices/changes')
    .map(({ body }) => JSON.parse(body) as Asked)
}

function bar(page: Page): Locator {
  return page.getByRole('region', { name: 'Selección', exact: true })
}

test('checkboxes appear only while selecting, in front of the columns of the specification', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/devices')
  await rowOf(page, 'drone-0001').waitFor()
  const heads = page.getByRole('columnheader')
  assert.deepEqual(await heads.allInnerTexts(), COLUMNS)
  await page.getByRole('button', { name: 'Seleccionar', exact: true }).click()
  await page.getByRole('checkbox', { name: 'Seleccionar drone-0001', exact: true }).waitFor()
  assert.deepEqual(await heads.allInnerTexts(), ['', ...COLUMNS])
  await bar(page).waitFor()
  await page.keyboard.press('Escape')
  await bar(page).waitFor({ state: 'detached' })
  await eventually(async () => assert.deepEqual(await heads.allInnerTexts(), COLUMNS))
})

test('rows are selected by mouse, ranges with Shift, and the buttons of a row keep working', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/devices')
  await page.getByRole('button', { name: 'Seleccionar', exact: true }).click()
  await page.getByRole('checkbox', { name: 'Seleccionar drone-0002', exact: true }).click()
  await bar(page).getByText('1 seleccionado', { exact: true }).waitFor()
  await rowOf(page, 'drone-0006')
    .getByRole('cell', { name: 'drone-0006', exact: true })
    .click({ modifiers: ['Shift'] })
  await bar(page).getByText('5 seleccionados', { exact: true }).waitFor()
  assert.ok(await page.getByRole('checkbox', { name: 'Seleccionar drone-0004', exact: true }).isChecked())
  await rowOf(page, 'drone-0004').getByRole('cell', { name: 'drone-0004', exact: true }).click()
  await bar(page).getByText('4 seleccionados', { exact: true }).waitFor()
  await rowOf(page, 'drone-0004').getByRole('button', { name: 'Details', exact: true }).click()
  await page.getByRole('region', { name: 'Networks drone-0004' }).waitFor()
  await bar(page).getByText('4 seleccionados', { exact: true }).waitFor()
})

test('the keyboard selects, extends, selects all that match, goes to the actions and ends it', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/devices')
  await rowOf(page, 'drone-0001').waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('x')
  await bar(page).getByText('1 seleccionado', { exact: true }).waitFor()
  for (const key of ['Shift+ArrowDown', 'Shift+ArrowDown']) await page.keyboard.press(key)
  await bar(page).getByText('3 seleccionados', { exact: true }).waitFor()
  await page.keyboard.press('Shift+ArrowUp')
  await bar(page).getByText('2 seleccionados', { exact: true }).waitFor()
  await page.keyboard.press('*')
  await bar(page).getByText('48 seleccionados', { exact: true }).waitFor()
  await page.keyboard.press('b')
  const first = bar(page).getByRole('button').first()
  await eventually(async () => assert.ok(await first.evaluate((one) => one === document.activeElement)))
  await page.keyboard.press('Escape')
  await bar(page).waitFor({ state: 'detached' })
})

test('a limit is set for all devices that match, and undone', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/devices?search=drone-000')
  await page.getByRole('button', { name: 'Seleccionar', exact: true }).click()
  await bar(page).getByRole('button', { name: 'Todos los que cumplen el filtro (9)' }).click()
  await bar(page).getByText('9 seleccionados', { exact: true }).waitFor()
  await bar(page).getByRole('button', { name: 'Límite diario…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Límite de 9 dispositivos' })
  await dialog.getByRole('button', { name: 'Aplicar' }).click()
  await dialog.getByText('Escriba un número entero de 0 a 100000.').waitFor()
  assert.deepEqual(changes(), [])
  await dialog.getByLabel('SMS al día').fill('70')
  await dialog.getByRole('button', { name: 'Aplicar' }).click()
  const toast = page.getByText('9 dispositivos con 70 SMS al día')
  await toast.waitFor()
  const [over, under] = [await toast.boundingBox(), await bar(page).boundingBox()]
  assert.ok(over && under && over.y + over.height < under.y, 'the message does not cover the bar')
  assert.ok(server.devices.slice(0, 9).every(({ max_sms_dayly }) => max_sms_dayly === 70))
  await page.getByRole('button', { name: 'Deshacer' }).click()
  await page.getByText('9 dispositivos vuelven a estar como antes').waitFor()
  assert.ok(server.devices.every(({ max_sms_dayly }) => max_sms_dayly === 1000))
  assert.deepEqual(
    changes().map(({ uids, change }) => [uids.length, change]),
    [
      [9, { max_sms_dayly: 70 }],
      [9, { max_sms_dayly: 1000 }],
    ],
  )
})

test('an undo gives each device its own former state', async (t) => {
  const before = server.devices.map(({ enabled }) => enabled)
  assert.ok(before.includes(false))
  const page = await open(t, { url: server.url })
  await page.goto('/devices')
  await rowOf(page, 'drone-0001').waitFor()
  await page.keyboard.press('*')
  await bar(page).getByRole('button', { name: 'Deshabilitar' }).click()
  await page.getByText('48 dispositivos deshabilitados').waitFor()
  await eventually(async () =>
    assert.equal(
      await page.getByRole('checkbox', { name: 'Enabled drone-0001', exact: true }).isChecked(),
      false,
    ),
  )
  await page.getByRole('button', { name: 'Deshacer' }).click()
  await page.getByText('48 dispositivos vuelven a estar como antes').waitFor()
  assert.deepEqual(
    server.devices.map(({ enabled }) => enabled),
    before,
  )
})

test('refused devices are listed by reason, and only the others are undone', async (t) => {
  const usual = server.answers['POST /api/devices/changes']
  server.answers['POST /api/devices/changes'] = (asked) => {
    const { uids } = JSON.parse(asked.body) as Asked
    const refused = uids.filter((uid) => uid === 'drone-0002')
    const detail = 'There is no device "drone-0002".'
    return {
      body: {
        changed: uids.length - refused.length,
        refused: refused.map((uid) => ({ uid, code: 'unknown_device', detail, params: {} })),
      },
    }
  }
  const page = await open(t, { url: server.url })
  await page.goto('/devices')
  await rowOf(page, 'drone-0001').waitFor()
  for (const key of ['j', 'x', 'Shift+ArrowDown', 'Shift+ArrowDown']) await page.keyboard.press(key)
  await bar(page).getByRole('button', { name: 'Deshabilitar' }).click()
  const summary = page.getByRole('dialog', { name: 'Algunos dispositivos no cambiaron' })
  await summary.getByText('Cambiados: 2. No cambiados: 1.').waitFor()
  await summary.getByRole('heading', { name: 'There is no device "drone-0002".' }).waitFor()
  await summary.getByText('drone-0002', { exact: true }).waitFor()
  server.answers['POST /api/devices/changes'] = usual!
  await summary.getByRole('button', { name: 'Deshacer' }).click()
  await page.getByText('2 dispositivos vuelven a estar como antes').waitFor()
  assert.deepEqual(changes().at(-1), { uids: ['drone-0001', 'drone-0003'], change: { enabled: true } })
})

test('two hundred devices are disabled by one request, shown at once, and undone for refused ones', async (t) => {
  server.devices = exampleDevices(200)
  let release = () => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  server.answers['POST /api/devices/changes'] = async (asked) => {
    await held
    const { uids, change } = JSON.parse(asked.body) as Asked
    const isRefused = (uid: string) => uid === 'drone-0002'
    server.devices = server.devices.map((device) =>
      uids.includes(device.uid) && !isRefused(device.uid) ? { ...device, ...change } : device,
    )
    const detail = 'There is no device "drone-0002".'
    return {
      body: {
        changed: uids.length - 1,
        refused: uids.filter(isRefused).map((uid) => ({ uid, code: 'unknown_device', detail, params: {} })),
      },
    }
  }
  const goLive = server.holdLive()
  t.after(goLive)
  const page = await open(t, { url: server.url })
  await page.goto('/devices')
  await rowOf(page, 'drone-0001').waitFor()
  await page.keyboard.press('*')
  await bar(page).getByText('200 seleccionados', { exact: true }).waitFor()
  await bar(page).getByRole('button', { name: 'Deshabilitar' }).click()
  const isEnabled = (uid: string) =>
    page.getByRole('checkbox', { name: `Enabled ${uid}`, exact: true }).isChecked()
  await eventually(async () => {
    assert.deepEqual([await isEnabled('drone-0001'), await isEnabled('drone-0002')], [false, false])
  })
  await page
    .getByRole('button', { name: /^Deshabilitados/ })
    .getByText('200')
    .waitFor()
  assert.ok(
    server.devices.some(({ enabled }) => enabled),
    'shown before the answer',
  )
  release()
  const summary = page.getByRole('dialog', { name: 'Algunos dispositivos no cambiaron' })
  await summary.getByText('Cambiados: 199. No cambiados: 1.').waitFor()
  await summary.getByRole('button', { name: 'Cerrar' }).click()
  assert.deepEqual([await isEnabled('drone-0001'), await isEnabled('drone-0002')], [false, true])
  assert.deepEqual(
    changes().map(({ uids }) => uids.length),
    [200],
  )
})

test('a long action shows its progress and can be stopped; a server that fails ends it', async (t) => {
  server.devices = exampleDevices(1_200)
  let release = () => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  server.answers['POST /api/devices/changes'] = async (asked) => {
    await held
    const { uids } = JSON.parse(asked.body) as Asked
    return { body: { changed: uids.length, refused: [] } }
  }
  const page = await open(t, { url: server.url })
  await page.goto('/devices')
  await rowOf(page, 'drone-0001').waitFor()
  await page.keyboard.press('*')
  await bar(page).getByRole('button', { name: 'Habilitar', exact: true }).click()
  await bar(page).getByText('0 de 1200').waitFor()
  await bar(page).getByRole('button', { name: 'Parar' }).click()
  release()
  const summary = page.getByRole('dialog', { name: 'Algunos dispositivos no cambiaron' })
  await summary.getByText('Sin intentar: 200.').waitFor()
  await summary.getByRole('button', { name: 'Cerrar' }).click()
  assert.equal(changes().length, 1)
  server.answers['POST /api/devices/changes'] = { status: 503, body: { detail: 'Not ready yet.' } }
  await bar(page).getByRole('button', { name: 'Habilitar', exact: true }).click()
  await summary.getByRole('heading', { name: 'Not ready yet.' }).waitFor()
  await summary.getByText('Sin intentar: 200.').waitFor()
  assert.equal(changes().length, 2)
})

test('tags are added to the selected devices and removed from them, and each gets its own back', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/devices')
  await rowOf(page, 'drone-0001').waitFor()
  for (const key of ['j', 'x', 'Shift+ArrowDown']) await page.keyboard.press(key)
  await bar(page).getByRole('button', { name: 'Etiquetas…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Etiquetas de 2 dispositivos' })
  await dialog.getByRole('button', { name: 'Aplicar' }).click()
  await dialog.getByText('Escriba alguna etiqueta.').waitFor()
  await dialog.getByRole('textbox', { name: 'Añadir' }).fill('OTP, any')
  await dialog.getByRole('button', { name: 'Aplicar' }).click()
  await dialog.getByText('«any» no vale').waitFor()
  await dialog.getByRole('textbox', { name: 'Añadir' }).fill('OTP, android')
  await dialog.getByRole('button', { name: 'Quitar: norte' }).click()
  await dialog.getByRole('button', { name: 'Aplicar' }).click()
  await page.getByText('2 dispositivos con las etiquetas cambiadas').waitFor()
  await rowOf(page, 'drone-0001').getByText('almacén · android · otp').waitFor()
  await rowOf(page, 'drone-0002').getByText('android · otp').waitFor()
  assert.deepEqual(changes().at(-1)?.change, { add_tags: ['android', 'otp'], remove_tags: ['norte'] })
  await page.getByRole('button', { name: 'Deshacer' }).click()
  await page.getByText('2 dispositivos vuelven a estar como antes').waitFor()
  assert.deepEqual(
    server.devices.slice(0, 2).map(({ tags }) => tags),
    [['almacén', 'norte'], []],
  )
})

test('selected devices are put in maintenance, which their rows, the strip and a filter show, and taken out', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/devices')
  await rowOf(page, 'drone-0001').waitFor()
  for (const key of ['j', 'x', 'Shift+ArrowDown']) await page.keyboard.press(key)
  await bar(page).getByRole('button', { name: 'Mantenimiento…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Mantenimiento de 2 dispositivos' })
  await dialog.getByLabel('Hasta').fill('2020-01-01T10:00')
  await dialog.getByRole('button', { name: 'Empezar' }).click()
  await dialog.getByText('Escriba una hora futura.').waitFor()
  await dialog.getByRole('button', { name: '4 h', exact: true }).click()
  await dialog.getByRole('button', { name: 'Empezar' }).click()
  await page.getByText('2 dispositivos en mantenimiento').waitFor()
  const ahead_ms = Date.parse(String(changes().at(-1)?.change['maintenance_until'])) - Date.now()
  assert.ok(Math.abs(ahead_ms - 4 * 3_600_000) < 120_000, String(ahead_ms))
  await rowOf(page, 'drone-0001').getByText('En mantenimiento hasta').waitFor()
  await page.getByRole('button', { name: /^En mantenimiento 3/ }).click()
  await page.waitForURL('**/devices?show=maintenance')
  await page.getByRole('button', { name: 'En mantenimiento: filtrar' }).waitFor()
  await rowOf(page, 'drone-0001').waitFor()
  await bar(page).getByRole('button', { name: 'Mantenimiento…' }).click()
  await dialog.getByRole('button', { name: 'Terminar mantenimiento' }).click()
  await page.getByText('2 dispositivos sin mantenimiento').waitFor()
  assert.deepEqual(changes().at(-1)?.change, { maintenance_until: null })
})

test('rows that a filter hides stay selected, and the bar says so', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/devices')
  await rowOf(page, 'drone-0001').waitFor()
  for (const key of ['j', 'x']) await page.keyboard.press(key)
  await page.getByPlaceholder('UID').fill('0048')
  await bar(page).getByText('1 no cumple el filtro').waitFor()
})

test('on a phone a whole card is pressed to select it', async (t) => {
  const page = await open(t, { url: server.url, size: 'phone' })
  await page.goto('/devices')
  await page.getByRole('button', { name: 'Seleccionar', exact: true }).click()
  await rowOf(page, 'drone-0001').getByRole('cell', { name: 'drone-0001', exact: true }).click()
  await bar(page).getByText('1 seleccionado', { exact: true }).waitFor()
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
  assert.equal(overflow, 0)
})

test('role user cannot select devices', async (t) => {
  const page = await open(t, { url: server.url, role: 'user' })
  await page.goto('/devices')
  await rowOf(page, 'drone-0001').waitFor()
  for (const key of ['j', 'x']) await page.keyboard.press(key)
  assert.equal(await page.getByRole('button', { name: 'Seleccionar', exact: true }).count(), 0)
  assert.equal(await bar(page).count(), 0)
})

test('device settings: a limit for all selected devices', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/settings?tab=devices')
  await rowOf(page, 'drone-0001').waitFor()
  await page.keyboard.press('*')
  await bar(page).getByRole('button', { name: 'Límite diario…' }).click()
  await page.getByRole('dialog').getByLabel('SMS al día').fill('5')
  await page.keyboard.press('Enter')
  await page.getByText('48 dispositivos con 5 SMS al día').waitFor()
  await rowOf(page, 'drone-0001').getByRole('cell', { name: '5', exact: true }).waitFor()
})

test('the undo of several devices stays for as long as the user stays on the screen', async (t) => {
  const page = await open(t, { url: server.url })
  await page.clock.install()
  await page.goto('/devices')
  await page.getByRole('button', { name: 'Seleccionar', exact: true }).click()
  await page.getByRole('checkbox', { name: 'Seleccionar drone-0001', exact: true }).click()
  await bar(page).getByRole('button', { name: 'Deshabilitar' }).click()
  const undo = page.getByRole('button', { name: 'Deshacer' })
  await undo.waitFor()
  await page.clock.runFor(60_000)
  assert.equal(await undo.count(), 1)
  await page.getByRole('link', { name: 'Users' }).click()
  await page.getByRole('heading', { level: 1, name: 'Usuarios' }).waitFor()
  await undo.waitFor({ state: 'detached' })
})

test('devices that are disabled together stay so in a list that is loaded meanwhile', async (t) => {
  const usual = server.answers['POST /api/devices/changes'] as (asked: unknown) => { body: unknown }
  const called = Promise.withResolvers<void>()
  server.answers['POST /api/devices/changes'] = async (asked) => (await called.promise, usual(asked))
  const page = await open(t, { url: server.url })
  await page.goto('/devices')
  await page.getByText('En vivo').waitFor()
  await page.keyboard.press('*')
  await bar(page).getByRole('button', { name: 'Deshabilitar' }).click()
  const box = page.getByRole('checkbox', { name: 'Enabled drone-0001', exact: true })
  await eventually(async () => assert.equal(await box.isChecked(), false))
  server.devices = server.devices.map((device) => ({ ...device, location: 'Soria' }))
  server.publish('/front/change', { changed: ['devices'] })
  await rowOf(page, 'drone-0001').getByText('Soria').waitFor()
  assert.equal(await box.isChecked(), false)
  called.resolve()
  await page.getByText('48 dispositivos deshabilitados').waitFor()
  assert.equal(await box.isChecked(), false)
})
