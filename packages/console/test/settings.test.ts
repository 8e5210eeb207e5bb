import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator } from 'playwright-core'
import { eventually, rowOf, useBrowser } from './browser.ts'
import { useExampleServer } from './example-server.ts'
import { axeFindings } from './axe.ts'
import type { ReceivedCall } from './stand-in.ts'

const open = useBrowser()
const server = await useExampleServer()
const { answers } = server

const record = { id: 3, spoof_time_secs: 45, send_enabled: true }

function posts(path: string): ReceivedCall[] {
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

test('the tabs work by keyboard, and the chosen one is in the address', async (t) => {
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

test('a save sends a number, and reports its start and success', async (t) => {
  server.answers['GET /api/global-settings'] = { body: [record] }
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  server.answers['POST /api/global-settings'] = async ({ body }) => {
    await held
    return { body: JSON.parse(body) as unknown }
  }
  const goLive = server.holdLive()
  t.after(goLive)
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

test('input that is typed while a save runs stays, and is saved by the next one', async (t) => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  server.answers['GET /api/global-settings'] = { body: [record] }
  server.answers['POST /api/global-settings'] = async ({ body }) => {
    await released
    return { body: JSON.parse(body) as unknown }
  }
  const goLive = server.holdLive()
  t.after(goLive)
  const page = await open(t, { url: server.url })
  await page.goto('/settings')
  await page.getByLabel('Spoof time (secs)').fill('90')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('button', { name: 'Saving...' }).waitFor()
  await page.getByLabel('Send enabled').uncheck()
  release()
  await page.getByText('¡Properly saved!').waitFor()
  await page.getByText('Hay cambios sin guardar.').waitFor()
  assert.equal(await page.getByLabel('Send enabled').isChecked(), false)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Hay cambios sin guardar.').waitFor({ state: 'hidden' })
  const sent = posts('/api/global-settings').map(({ body }) => JSON.parse(body) as unknown)
  assert.deepEqual(sent, [
    { id: 3, spoof_time_secs: 90, send_enabled: true },
    { id: 3, spoof_time_secs: 90, send_enabled: false },
  ])
})

test('a spoof time that is not a whole number in its range is not sent', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/settings')
  for (const typed of ['', '-1', '1.5', '86401']) {
    await page.getByLabel('Spoof time (secs)').fill(typed)
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Escriba un número entero de 0 a 86400.').waitFor()
  }
  assert.deepEqual(posts('/api/global-settings'), [])
})

test('a failed save shows the server’s detail, or a general sentence, and loses nothing', async (t) => {
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

test('changes made elsewhere show, and do not overwrite the input', async (t) => {
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

test('a user who sees several companies starts with their own, and saves to the chosen one', async (t) => {
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
  await eventually(async () => assert.equal(await page.getByLabel('Spoof time (secs)').inputValue(), '30'))
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('¡Properly saved!').waitFor()
  const [post] = posts('/api/global-settings')
  assert.equal(post?.query.get('company'), '3')
  assert.equal((JSON.parse(post?.body ?? '') as { id: number }).id, 13)
})

test('settings that fail to load are reported, and a retry loads them', async (t) => {
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

test('a user without write permission sees everything read-only', async (t) => {
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

test('with sending off, the number of messages that devices hold counts down live', async (t) => {
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

test('with sending on, or without a count, the number of held messages is not shown', async (t) => {
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

test('days and stop words are saved only if they changed', async (t) => {
  server.answers['GET /api/global-settings'] = {
    body: [{ ...record, retention_days: 365, stop_words: ['STOP', 'BAJA'] }],
  }
  const goLive = server.holdLive()
  t.after(goLive)
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

test('the button, the note of unsaved changes and the outcome stay in view in a form longer than the window', async (t) => {
  server.answers['GET /api/global-settings'] = {
    body: [{ ...record, retention_days: 90, stop_words: ['STOP'], default_country: 'ES' }],
  }
  const page = await open(t, { url: server.url })
  await page.setViewportSize({ width: 1440, height: 500 })
  await page.goto('/settings')
  await page.getByLabel('Spoof time (secs)').fill('8')
  const note = page.getByText('Hay cambios sin guardar.')
  const button = page.getByRole('button', { name: 'Save', exact: true })
  await note.waitFor()
  const bottomOf = async (shown: Locator) => {
    const box = (await shown.boundingBox())!
    return box.y + box.height
  }
  assert.ok((await bottomOf(page.locator('main form'))) > 500, 'the form is longer')
  assert.ok((await bottomOf(note)) <= 500)
  assert.ok((await bottomOf(button)) <= 500)
  await button.click()
  const outcome = page.getByText('¡Properly saved!')
  await outcome.waitFor()
  assert.ok((await bottomOf(outcome)) <= 500)
  const last = page.getByLabel('País de los números')
  await last.focus()
  assert.ok((await bottomOf(last)) <= (await button.boundingBox())!.y, 'the focused field is not hidden')
})

test('unsaved changes stay when the user leaves the tab, are saved as shown, and can be discarded, also by a reload', async (t) => {
  const goLive = server.holdLive()
  t.after(goLive)
  const page = await open(t, { url: server.url })
  const spoof = page.getByLabel('Spoof time (secs)')
  const leave = async () => {
    await page.getByRole('tab', { name: 'Device settings' }).click()
    await page.getByRole('tab', { name: 'Global settings' }).click()
  }
  await page.goto('/settings')
  await spoof.fill('7')
  await leave()
  await page.getByText('Hay cambios sin guardar.').waitFor()
  assert.equal(await spoof.inputValue(), '7')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('¡Properly saved!').waitFor()
  const { spoof_time_secs, send_enabled } = JSON.parse(posts('/api/global-settings')[0]?.body ?? '') as {
    spoof_time_secs: number
    send_enabled: boolean
  }
  assert.deepEqual([spoof_time_secs, send_enabled], [7, await page.getByLabel('Send enabled').isChecked()])
  assert.equal(await page.getByText('Hay cambios sin guardar.').count(), 0)
  await spoof.fill('9')
  await page.getByRole('button', { name: 'Descartar' }).click()
  assert.equal(await spoof.inputValue(), '7')
  await leave()
  await spoof.waitFor()
  assert.equal(await page.getByText('Hay cambios sin guardar.').count(), 0)
  await spoof.fill('99')
  await page.getByText('Hay cambios sin guardar.').waitFor()
  await page.reload()
  await spoof.waitFor()
  assert.notEqual(await spoof.inputValue(), '99')
  assert.equal(await page.getByText('Hay cambios sin guardar.').count(), 0)
})
