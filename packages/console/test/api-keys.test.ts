import assert from 'node:assert/strict'
import { test } from 'node:test'
import { copied, eventually, rowOf, useBrowser } from './browser.ts'
import { useExampleServer } from './example-server.ts'
import { exampleKey, exampleKeys } from './example-systems.ts'
import type { ReceivedCall } from './stand-in.ts'

const open = useBrowser()
const server = await useExampleServer()

function writes(): ReceivedCall[] {
  return server.asked.filter(({ method }) => method !== 'GET')
}

test('an admin sees each key with its maker, permissions, start and expiry', async (t) => {
  server.answers['GET /api/global-settings'] = { body: [{ id: 1, company_id: 1, spoof_time_secs: 0 }] }
  const page = await open(t, { url: server.url, role: 'admin' })
  await page.goto('/settings')
  await page.getByRole('tab', { name: 'Claves de API' }).click()
  await page.waitForURL('**/settings?tab=api-keys')
  await rowOf(page, 'CRM de citas').waitFor()
  assert.deepEqual(await page.getByRole('columnheader').allInnerTexts(), [
    'Nombre',
    'Permisos',
    'Clave',
    'Creada',
    'Por',
    'Último uso',
    'Caduca',
    'Acciones',
  ])
  const texts = await rowOf(page, 'Avisos de almacén').getByRole('cell').allInnerTexts()
  assert.deepEqual(texts.slice(1, 3), ['entregar, recibidos', 'sdk_2Qx7…'])
  assert.deepEqual(texts.slice(4), ['superadmin', 'nunca', '16/09/2027 21:32', 'Revocar'])
  await rowOf(page, 'Informes').getByRole('img', { name: 'pronto' }).waitFor()
})

test('a user who may not manage keys sees no tab for them, and its address is refused', async (t) => {
  const page = await open(t, { url: server.url, role: 'user' })
  await page.goto('/settings?tab=api-keys')
  await page.getByRole('alert').getByText('Solo un administrador puede ver esto.').waitFor()
  assert.deepEqual(await page.getByRole('tab').allInnerTexts(), ['Global settings', 'Device settings'])
  assert.deepEqual(
    server.asked.filter(({ path }) => path === '/api/api-keys'),
    [],
  )
  await page.getByRole('button', { name: 'Ir a Global settings' }).click()
  await page.getByLabel('Spoof time (secs)').waitFor()
})

test('a new key and its secret are shown only once, with a line that works', async (t) => {
  const page = await open(t, { url: server.url })
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto('/settings?tab=api-keys')
  await page.getByRole('button', { name: 'Nueva clave' }).click()
  await page.waitForURL('**/settings?tab=api-keys&open=new')
  const form = page.getByRole('dialog', { name: 'Nueva clave' })
  await form.getByRole('button', { name: 'Crear clave' }).click()
  await form.getByText('Escriba un nombre.').waitFor()
  await form.getByLabel('Nombre').fill(' Facturas ')
  await form.getByLabel('Leer tareas').uncheck()
  assert.equal(await form.getByLabel('Leer SMS recibidos').isChecked(), false)
  await form.getByLabel('Marketing').uncheck()
  await form.getByLabel('Empresa').selectOption('Norte Mensajería (2)')
  await form.getByRole('button', { name: 'Crear clave' }).click()

  const made = page.getByRole('dialog', { name: 'Clave «Facturas»' })
  await made.getByText('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw').waitFor()
  const [post] = writes()
  assert.deepEqual(JSON.parse(post?.body ?? ''), {
    name: 'Facturas',
    may: ['tasks:write'],
    classes: ['code', 'transactional'],
    expires_at: null,
  })
  assert.equal(post?.query.get('company'), '2')
  const copy = () => made.getByRole('button', { name: 'Copiar orden' }).click()
  await copy()
  const line = await copied(page, /^curl /, copy)
  assert.match(line, /^curl -s -X POST http:.*\/api\/external-tasks \\\n/)
  assert.match(line, /-H 'Authorization: Bearer sdk_4dQx7mVtR2bYpK9sLw3hN6cJ8fZ1gA5e'/)
  await page.keyboard.press('Escape')
  await made.waitFor({ state: 'detached' })
  assert.equal(new URL(page.url()).search, '?tab=api-keys')
  assert.equal(await page.getByText('sdk_4dQx7mVtR2bYpK9sLw3hN6cJ8fZ1gA5e').count(), 0)
})

test('the short login for SMPP is asked for with the key, and shown only with it', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/settings?tab=api-keys&open=new')
  const form = page.getByRole('dialog', { name: 'Nueva clave' })
  await form.getByLabel('Nombre').fill('Kannel')
  await form.getByLabel('Con un acceso corto para SMPP').check()
  await form.getByRole('button', { name: 'Crear clave' }).click()
  const made = page.getByRole('dialog', { name: 'Clave «Kannel»' })
  await made.getByText('sdd-4f9c21', { exact: true }).waitFor()
  await made.getByText('k7Qm2xTz', { exact: true }).waitFor()
  assert.equal((JSON.parse(writes()[0]?.body ?? '') as { smpp?: unknown }).smpp, true)
})

test('a key that was not copied does not close on the first attempt', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/settings?tab=api-keys&open=new')
  await page.getByLabel('Nombre').fill('Facturas')
  await page.getByRole('button', { name: 'Crear clave' }).click()
  const made = page.getByRole('dialog', { name: 'Clave «Facturas»' })
  await made.waitFor()
  await page.keyboard.press('Escape')
  await made
    .getByRole('alert')
    .getByText(/^No ha copiado nada/)
    .waitFor()
  await page.keyboard.press('Escape')
  await made.waitFor({ state: 'detached' })
})

test('a key expires when chosen, and never in the past', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/settings?tab=api-keys&open=new')
  await page.getByLabel('Nombre').fill('Facturas')
  await page.getByLabel('Caducidad').selectOption('Otra fecha…')
  await page.getByLabel('Caduca el').fill('2020-01-01T10:00')
  await page.getByRole('button', { name: 'Crear clave' }).click()
  await page.getByText('Elija una fecha que esté por venir.').waitFor()
  assert.deepEqual(writes(), [])
  await page.getByLabel('Caduca el').fill('2040-01-01T10:00')
  await page.getByRole('button', { name: 'Crear clave' }).click()
  await page.getByRole('dialog', { name: 'Clave «Facturas»' }).waitFor()
  const [post] = writes()
  assert.equal(
    (JSON.parse(post?.body ?? '') as { expires_at: string }).expires_at,
    '2040-01-01T10:00:00.000Z',
  )
})

test('a refused key stays in its form, with the reason', async (t) => {
  server.answers['POST /api/api-keys'] = {
    status: 422,
    body: { detail: 'name is too long.', code: 'invalid', fields: { name: 'is too long' } },
  }
  const page = await open(t, { url: server.url })
  await page.goto('/settings?tab=api-keys&open=new')
  await page.getByLabel('Nombre').fill('Facturas')
  await page.getByRole('button', { name: 'Crear clave' }).click()
  await page.getByRole('alert').getByText('name is too long.').waitFor()
  await page.getByText('is too long', { exact: true }).waitFor()
  assert.equal(await page.getByLabel('Nombre').inputValue(), 'Facturas')
})

test('revoking a key says what stops working, and cannot be undone', async (t) => {
  let keys = exampleKeys
  server.answers['GET /api/api-keys'] = () => ({ body: { api_keys: keys } })
  server.answers['DELETE /api/api-keys/*'] = { status: 500 }
  const page = await open(t, { url: server.url })
  await page.goto('/settings?tab=api-keys')
  await page.getByRole('button', { name: 'Revocar CRM de citas' }).click()
  await page.waitForURL('**/settings?tab=api-keys&open=3')
  const ask = page.getByRole('dialog', { name: '¿Revocar «CRM de citas»?' })
  await ask.getByText(/sdk_3Qx7… deja de poder entregar/).waitFor()
  await ask.getByRole('button', { name: 'Revocar' }).click()
  await ask.getByRole('alert').getByText('No se pudo revocar la clave.').waitFor()
  server.answers['DELETE /api/api-keys/*'] = () => {
    keys = keys.filter(({ id }) => id !== 3)
    return { status: 204 }
  }
  await ask.getByRole('button', { name: 'Revocar' }).click()
  await ask.waitFor({ state: 'detached' })
  await page.getByText('«CRM de citas» revocada').waitFor()
  await rowOf(page, 'CRM de citas').waitFor({ state: 'detached' })
  assert.deepEqual(
    writes().map(({ method, path }) => `${method} ${path}`),
    ['DELETE /api/api-keys/3', 'DELETE /api/api-keys/3'],
  )
})

test('keys added or removed elsewhere show at once', async (t) => {
  let keys = exampleKeys
  server.answers['GET /api/api-keys'] = () => ({ body: { api_keys: keys } })
  const page = await open(t, { url: server.url })
  await page.goto('/settings?tab=api-keys')
  await rowOf(page, 'Informes').waitFor()
  await eventually(() => assert.equal(server.listeners(), 1))
  keys = [exampleKey(4, { name: 'Otra' }), ...keys.slice(0, 2)]
  server.publish('/front/change', { changed: ['api_keys'] })
  await rowOf(page, 'Otra').waitFor()
  await rowOf(page, 'Informes').waitFor({ state: 'detached' })
})

test('without keys the tab shows the next step; a failed load is reported', async (t) => {
  server.answers['GET /api/api-keys'] = { status: 500 }
  const page = await open(t, { url: server.url })
  await page.goto('/settings?tab=api-keys')
  await page.getByRole('alert').getByText('No se pudieron cargar las claves de API.').waitFor()
  server.answers['GET /api/api-keys'] = { body: { api_keys: [] } }
  await page.getByRole('button', { name: 'Reintentar' }).click()
  await page.getByText('Todavía no hay claves de API.').waitFor()
  await page.getByRole('button', { name: 'Nueva clave' }).click()
  await page.getByRole('dialog', { name: 'Nueva clave' }).waitFor()
})

test('the keyboard walks the keys and presses the buttons of a row', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/settings?tab=api-keys')
  await rowOf(page, 'CRM de citas').waitFor()
  for (const key of ['j', 'j', 'Enter']) await page.keyboard.press(key)
  await page.getByRole('dialog', { name: '¿Revocar «Avisos de almacén»?' }).waitFor()
  await page.keyboard.press('Escape')
  await eventually(() => assert.equal(new URL(page.url()).search, '?tab=api-keys'))
})
