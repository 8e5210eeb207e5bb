import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { eventually, useBrowser } from './browser.ts'
import { openExampleServer, type ExampleServer } from './example-server.ts'
import { exampleDevices } from './examples.ts'
import { axeFindings } from './places.ts'
import { shaped, type Asked, type Shape, type StandIn } from './stand-in.ts'

const open = useBrowser()
let server: ExampleServer
let answers: StandIn['answers']

before(async () => {
  server = await openExampleServer()
  answers = server.answers
})
beforeEach(() => {
  server.answers = { ...answers }
  server.asked.length = 0
})
after(() => server.stop())

const record = { id: 3, spoof_time_secs: 45, send_enabled: true }

function rowOf(page: Page, uid: string): Locator {
  return page.getByRole('row').filter({ has: page.getByRole('cell', { name: uid, exact: true }) })
}

function posts(path: string): Asked[] {
  return server.asked.filter((asked) => asked.method === 'POST' && asked.path === path)
}

const shapes: Record<string, unknown> = {
  'as an array': [record, { ...record, id: 4, spoof_time_secs: 1 }],
  'as an object with settings': { settings: record },
  'as an object with data': { data: record },
  'as a list under settings': { settings: [record] },
  'as a list under data': { data: [record] },
}

for (const [shape, body] of Object.entries(shapes)) {
  test(`the global settings are read ${shape}`, async (t) => {
    server.answers['GET /api/global-settings'] = { body }
    const page = await open(t, { url: server.url })
    await page.goto('/settings')
    assert.equal(await page.getByLabel('Spoof time (secs)').inputValue(), '45')
    assert.ok(await page.getByLabel('Send enabled').isChecked())
    await page.getByText('Yes', { exact: true }).waitFor()
  })
}

test('the tabs, with the chosen one in the address, work by keyboard', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/devices')
  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor()
  await page.getByRole('tab', { name: 'Global settings' }).focus()
  await page.keyboard.press('ArrowRight')
  await page.waitForURL('**/settings?tab=devices')
  await rowOf(page, 'drone-0001').waitFor()
  assert.deepEqual(await page.getByRole('columnheader').allInnerTexts(), [
    'UID',
    'Status',
    'Max SMS daily',
    'Actions',
  ])
})

test('saving sends a number, says that it saves and that it has', async (t) => {
  server.answers['GET /api/global-settings'] = { body: [record] }
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  server.answers['POST /api/global-settings'] = async ({ body }) => {
    await held
    return { body: JSON.parse(body) as unknown }
  }
  const page = await open(t, { url: server.url })
  await page.goto('/settings')
  await page.getByLabel('Spoof time (secs)').fill('90')
  await page.getByLabel('Send enabled').uncheck()
  await page.getByText('No', { exact: true }).waitFor()
  await page.getByText('Al guardar, ningún dispositivo recibirá más mensajes').waitFor()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  const saving = page.getByRole('button', { name: 'Saving...' })
  await saving.waitFor()
  assert.ok(await saving.isDisabled())
  release()
  await page.getByRole('status').getByText('¡Properly saved!', { exact: true }).waitFor()
  const [post] = posts('/api/global-settings')
  assert.deepEqual(JSON.parse(post?.body ?? ''), { id: 3, spoof_time_secs: 90, send_enabled: false })
  assert.equal(post?.query.size, 0)
  await page.getByText('El envío está desactivado').waitFor()
})

test('a spoof time that is no whole number in its range is not sent', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/settings')
  for (const typed of ['', '-1', '1.5', '86401']) {
    await page.getByLabel('Spoof time (secs)').fill(typed)
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Escriba un número entero de 0 a 86400.').waitFor()
  }
  assert.deepEqual(posts('/api/global-settings'), [])
})

test('a save that fails shows the server’s detail, or that it failed, and loses nothing', async (t) => {
  server.answers['POST /api/global-settings'] = {
    status: 422,
    body: { detail: 'Not that long.', code: 'invalid' },
  }
  const page = await open(t, { url: server.url })
  await page.goto('/settings')
  await page.getByLabel('Spoof time (secs)').fill('7')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('alert').getByText('Not that long.', { exact: true }).waitFor()
  server.answers['POST /api/global-settings'] = { status: 500 }
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('alert').getByText('Error al guardar', { exact: true }).waitFor()
  assert.equal(await page.getByLabel('Spoof time (secs)').inputValue(), '7')
})

test('what changes elsewhere shows, and leaves what is being typed', async (t) => {
  let current = record
  server.answers['GET /api/global-settings'] = () => ({ body: [current] })
  const page = await open(t, { url: server.url })
  await page.goto('/settings')
  await page.getByLabel('Spoof time (secs)').fill('8')
  await eventually(() => assert.equal(server.listeners(), 1))
  current = { ...record, spoof_time_secs: 50, send_enabled: false }
  server.publish('/front/change', { changed: ['settings'] })
  await eventually(async () => assert.equal(await page.getByLabel('Send enabled').isChecked(), false))
  assert.equal(await page.getByLabel('Spoof time (secs)').inputValue(), '8')
})

test('who sees several companies begins with their own, and writes to the one that is chosen', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/settings')
  const choice = page.getByLabel('Company')
  await eventually(async () =>
    assert.deepEqual(await choice.getByRole('option').allInnerTexts(), [
      'Main (1)',
      'Norte Mensajería (2)',
      'Clínicas Sur (3)',
    ]),
  )
  assert.equal(await page.getByLabel('Spoof time (secs)').inputValue(), '0')
  await choice.selectOption('3')
  await page.waitForURL('**/settings?company=3')
  assert.equal(await page.getByLabel('Spoof time (secs)').inputValue(), '30')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('¡Properly saved!').waitFor()
  const [post] = posts('/api/global-settings')
  assert.equal(post?.query.get('company'), '3')
  assert.equal((JSON.parse(post?.body ?? '') as { id: number }).id, 13)
})

test('settings that fail to load say so, and a retry loads them', async (t) => {
  server.answers['GET /api/global-settings'] = { status: 500 }
  server.answers['GET /api/device-list-settings'] = { status: 500 }
  const page = await open(t, { url: server.url })
  await page.goto('/settings')
  await page.getByRole('alert').getByText('Error al cargar settings', { exact: true }).waitFor()
  await page.getByRole('tab', { name: 'Device settings' }).click()
  await page.getByRole('alert').getByText('Error al cargar dispositivos', { exact: true }).waitFor()
  server.answers['GET /api/device-list-settings'] = answers['GET /api/device-list-settings'] ?? {}
  await page.getByRole('button', { name: 'Reintentar' }).click()
  await rowOf(page, 'drone-0001').waitFor()
})

for (const shape of ['bare', 'named', 'data'] as Shape[]) {
  test(`the devices' settings are read ${shape}`, async (t) => {
    const rows = [{ uid: 'alpha-1', status: 'connected', max_sms_dayly: 12 }]
    server.answers['GET /api/device-list-settings'] = { body: shaped(shape, 'devices', rows) }
    const page = await open(t, { url: server.url })
    await page.goto('/settings?tab=devices')
    const cells = rowOf(page, 'alpha-1').getByRole('cell')
    await cells.first().waitFor()
    assert.deepEqual((await cells.allInnerTexts()).slice(0, 3), ['alpha-1', 'connected', '12'])
  })
}

test('a row turns into a number input, and back when it is saved', async (t) => {
  server.answers['POST /api/device-list-settings'] = { body: { max_sms_dayly: 70 } }
  const page = await open(t, { url: server.url })
  await page.goto('/settings?tab=devices')
  const row = rowOf(page, 'drone-0002')
  await row.getByRole('button', { name: 'Edit' }).click()
  await page.waitForURL('**/settings?tab=devices&edit=drone-0002')
  const input = row.getByRole('spinbutton')
  assert.equal(await input.inputValue(), '1000')
  await eventually(async () => assert.ok(await input.evaluate((field) => field === document.activeElement)))
  await input.fill('75')
  await row.getByRole('button', { name: 'Save' }).click()
  // What the server says counts, not what was typed.
  await row.getByRole('cell', { name: '70', exact: true }).waitFor()
  assert.deepEqual(
    posts('/api/device-list-settings').map(({ body }) => JSON.parse(body) as unknown),
    [{ uid: 'drone-0002', max_sms_dayly: 75 }],
  )
  await eventually(async () =>
    assert.ok(
      await row.getByRole('button', { name: 'Edit' }).evaluate((button) => button === document.activeElement),
    ),
  )
})

test('Cancel and Escape leave a limit as it was; Enter saves it', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/settings?tab=devices')
  const row = rowOf(page, 'drone-0002')
  for (const leave of [
    () => row.getByRole('button', { name: 'Cancel' }).click(),
    () => page.keyboard.press('Escape'),
  ]) {
    await row.getByRole('button', { name: 'Edit' }).click()
    await row.getByRole('spinbutton').fill('5')
    await leave()
    await row.getByRole('cell', { name: '1000', exact: true }).waitFor()
  }
  assert.deepEqual(posts('/api/device-list-settings'), [])
  await row.getByRole('button', { name: 'Edit' }).click()
  assert.equal(await row.getByRole('spinbutton').inputValue(), '1000')
  await row.getByRole('spinbutton').fill('0')
  await page.keyboard.press('Enter')
  await row.getByText('no envía nada').waitFor()
})

test('a limit that is refused stays open with what was typed, and says why', async (t) => {
  server.answers['POST /api/device-list-settings'] = {
    status: 422,
    body: { detail: 'Too many.', code: 'invalid' },
  }
  const page = await open(t, { url: server.url })
  await page.goto('/settings?tab=devices&edit=drone-0002')
  const row = rowOf(page, 'drone-0002')
  await row.getByRole('spinbutton').fill('77')
  await row.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('alert').getByText('Too many.', { exact: true }).waitFor()
  assert.equal(await row.getByRole('spinbutton').inputValue(), '77')
  server.answers['POST /api/device-list-settings'] = { status: 500 }
  await row.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('alert').getByText('Error al guardar', { exact: true }).waitFor()
  await row.getByRole('spinbutton').fill('')
  await row.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('alert').getByText('Escriba un número entero de 0 a 100000.').waitFor()
  assert.equal(posts('/api/device-list-settings').length, 2)
})

test('who may not write sees everything read-only', async (t) => {
  const page = await open(t, { url: server.url, role: 'user' })
  await page.goto('/settings')
  await page.getByText('Solo un administrador puede cambiar los ajustes.').waitFor()
  assert.equal(await page.getByLabel('Spoof time (secs)').isEditable(), false)
  assert.ok(await page.getByLabel('Send enabled').isDisabled())
  assert.ok(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled())
  assert.deepEqual(await axeFindings(page), [])
  await page.goto('/settings?tab=devices&edit=drone-0002')
  assert.ok(await rowOf(page, 'drone-0002').getByRole('button', { name: 'Edit' }).isDisabled())
  assert.equal(await page.getByRole('spinbutton').count(), 0)
})

test('a status follows its device live', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/settings?tab=devices')
  await rowOf(page, 'drone-0001').getByText('connected', { exact: true }).waitFor()
  await eventually(() => assert.equal(server.listeners(), 1))
  server.publish('devices/status', { device_uid: 'drone-0001', status: 'disconnected' })
  await rowOf(page, 'drone-0001').getByText('disconnected').waitFor()
})

test('of 10,000 devices one is found by its uid, and few rows are mounted', async (t) => {
  server.answers['GET /api/device-list-settings'] = { body: exampleDevices(10_000) }
  const page = await open(t, { url: server.url })
  await page.goto('/settings?tab=devices')
  await rowOf(page, 'drone-0001').waitFor()
  assert.equal(await page.getByRole('table').getAttribute('aria-rowcount'), '10001')
  assert.ok((await page.getByRole('row').count()) <= 60)
  await page.keyboard.press('/')
  await page.keyboard.type('E-9999')
  await rowOf(page, 'drone-9999').waitFor()
  assert.equal(await page.getByRole('row').count(), 2)
  await page.getByPlaceholder('UID').fill('none like it')
  await page.getByRole('button', { name: 'Limpiar búsqueda' }).click()
  await rowOf(page, 'drone-0001').waitFor()
})

test('without devices the table leads to linking one', async (t) => {
  server.answers['GET /api/device-list-settings'] = { body: [] }
  const page = await open(t, { url: server.url })
  await page.goto('/settings?tab=devices')
  await page.getByRole('link', { name: 'Vincular un dispositivo' }).click()
  await page.getByRole('dialog', { name: 'Link device' }).waitFor()
})

test('with sending off, what devices still hold counts down before one’s eyes', async (t) => {
  let held = 3
  server.answers['GET /api/global-settings'] = () => ({
    body: { settings: [{ ...record, send_enabled: false, held }] },
  })
  const page = await open(t, { url: server.url })
  await page.goto('/settings')
  await page.getByText('Los dispositivos aún tienen 3 mensajes').waitFor()
  await eventually(() => assert.equal(server.listeners(), 1))
  held = 1
  server.publish('/front/change', { changed: ['settings'] })
  await page.getByText('Los dispositivos aún tienen 1 mensaje', { exact: true }).waitFor()
  held = 0
  server.publish('/front/change', { changed: ['settings'] })
  await page.getByText('Ninguno: no se envía nada').waitFor()
})

test('with sending on, or where the server does not count, nothing is said of what devices hold', async (t) => {
  server.answers['GET /api/global-settings'] = { body: [{ ...record, held: 4 }] }
  const page = await open(t, { url: server.url })
  await page.goto('/settings')
  await page.getByLabel('Spoof time (secs)').waitFor()
  assert.equal(await page.getByText('Los dispositivos aún').count(), 0)
  server.answers['GET /api/global-settings'] = { body: [{ ...record, send_enabled: false }] }
  await page.reload()
  await page.getByText('El envío está desactivado').waitFor()
  assert.equal(await page.getByText('no se envía nada').count(), 0)
})

test('days and stop words are saved when they were changed, and only then', async (t) => {
  server.answers['GET /api/global-settings'] = {
    body: [{ ...record, retention_days: 365, stop_words: ['STOP', 'BAJA'] }],
  }
  const page = await open(t, { url: server.url })
  await page.goto('/settings')
  const days = page.getByLabel('Días que se guardan los mensajes')
  const stopWords = page.getByLabel('Palabras de baja')
  assert.equal(await stopWords.inputValue(), 'STOP, BAJA')
  await days.fill('0')
  await stopWords.fill('STOP, ..')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Escriba un número entero de 1 a 3650.').waitFor()
  await page.getByText('Como mucho 50 palabras').waitFor()
  assert.deepEqual(posts('/api/global-settings'), [])
  await days.fill('90')
  await stopWords.fill(' STOP , baja ya,STOP,')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('¡Properly saved!').waitFor()
  assert.deepEqual(JSON.parse(posts('/api/global-settings')[0]?.body ?? ''), {
    id: 3,
    spoof_time_secs: 45,
    send_enabled: true,
    retention_days: 90,
    stop_words: ['STOP', 'baja ya'],
  })
  assert.equal(await stopWords.inputValue(), 'STOP, baja ya')
})
