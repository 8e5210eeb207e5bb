import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { changeLanguage, eventually, useBrowser } from './browser.ts'
import { useExampleServer } from './example-server.ts'
import { exampleCallback, exampleKey, exampleWebhooks } from './example-systems.ts'
import type { ReceivedCall } from './stand-in.ts'

const open = useBrowser()
const server = await useExampleServer()
const { answers } = server

function writes(): ReceivedCall[] {
  return server.asked.filter(({ method }) => method !== 'GET')
}

function rowOf(page: Page, guid: string): Locator {
  return page.getByRole('row').filter({ has: page.getByRole('button', { name: `Ver ${guid}`, exact: true }) })
}

test('the log shows each callback with its receiver and outcome; dead letters stand out', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/settings?tab=callbacks')
  const dead = rowOf(page, 'task-000120')
  await dead.getByText('Abandonado').waitFor()
  await dead.getByText('No respondió en 15 s.').waitFor()
  const texts = await rowOf(page, 'task-000119').getByRole('cell').allInnerTexts()
  assert.equal(texts[1], 'task.expired')
  assert.equal(texts[3], 'https://ops.example.net/alerts')
  assert.deepEqual(texts.slice(5, 8), ['En espera', '3', 'HTTP 503'])
  assert.equal(await dead.getAttribute('data-state'), 'dead')
})

test('state and guid filter on the server and are kept in the address', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/settings?tab=callbacks')
  await page.getByLabel('Estado').selectOption('Abandonado')
  await page.waitForURL('**/settings?tab=callbacks&state=dead')
  await rowOf(page, 'task-000119').waitFor({ state: 'detached' })
  await page.keyboard.press('Escape')
  await page.getByPlaceholder('GUID de la tarea').fill('task-000115')
  await page.waitForURL('**&search=task-000115')
  await rowOf(page, 'task-000120').waitFor({ state: 'detached' })
  await page.reload()
  await rowOf(page, 'task-000115').waitFor()
  const { query } = server.asked.findLast(({ path }) => path === '/api/callbacks')!
  assert.deepEqual([query.get('state'), query.get('guid')], ['dead', 'task-000115'])
  await page.getByPlaceholder('GUID de la tarea').fill('nothing-like-it')
  await page.getByRole('button', { name: 'Quitar filtros' }).click()
  await rowOf(page, 'task-000119').waitFor()
})

test('a dead letter is sent again from its row and from its details, and the row updates live', async (t) => {
  let row = exampleCallback(120)
  server.answers['GET /api/callbacks'] = () => ({ body: { callbacks: [row], next_cursor: null } })
  const page = await open(t, { url: server.url })
  await page.goto('/settings?tab=callbacks')
  await page.getByRole('button', { name: 'Enviar de nuevo task-000120' }).click()
  await page.getByText('task-000120: se envía de nuevo').waitFor()
  await rowOf(page, 'task-000120').getByRole('button', { name: 'Ver' }).click()
  await page.waitForURL('**/settings?tab=callbacks&open=120')
  const details = page.getByRole('dialog', { name: 'Detalles de la entrega' })
  await details.getByText('msg_000120').waitFor()
  await details.getByRole('button', { name: 'Enviar de nuevo' }).click()
  await eventually(() =>
    assert.deepEqual(
      writes().map(({ method, path }) => `${method} ${path}`),
      ['POST /api/callbacks/120/repeat', 'POST /api/callbacks/120/repeat'],
    ),
  )
  await eventually(() => assert.equal(server.listeners(), 1))
  row = { ...row, state: 'delivered', last_status: 204, last_error: null }
  server.publish('/front/change', { changed: ['callbacks'] })
  await details.getByText('Entregado', { exact: true }).first().waitFor()
  await details.getByRole('link', { name: 'Ver la tarea' }).click()
  await page.waitForURL('**/running-tasks?open=task-000120&company=1')
})

test('a callback that cannot be sent again says why', async (t) => {
  const detail = 'The webhook of callback 120 was removed: nothing is sent there again.'
  server.answers['POST /api/callbacks/*/repeat'] = { status: 404, body: { detail, code: 'unknown_webhook' } }
  const page = await open(t, { url: server.url })
  await page.goto('/settings?tab=callbacks')
  await page.getByRole('button', { name: 'Enviar de nuevo task-000120' }).click()
  await page.getByText(detail).waitFor()
})

test('a webhook is added with its callback types, and its secret is shown only once', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/settings?tab=callbacks')
  await page.getByRole('button', { name: 'Añadir webhook' }).click()
  await page.waitForURL('**/settings?tab=callbacks&open=new')
  const form = page.getByRole('dialog', { name: 'Añadir webhook' })
  await form.getByLabel('URL').fill('ftp://example.com')
  await form.getByRole('button', { name: 'Añadir webhook' }).click()
  await form.getByText('Escriba una dirección http:// o https:// sin nombre de usuario.').waitFor()
  await form.getByLabel('URL').fill('https://10.0.0.1/x')
  await form.getByLabel('La red aceptó el SMS').uncheck()
  server.answers['POST /api/webhooks'] = {
    status: 422,
    body: { detail: 'url is private.', code: 'invalid', fields: { url: 'is a private address' } },
  }
  await form.getByRole('button', { name: 'Añadir webhook' }).click()
  await form.getByText('is a private address').waitFor()
  server.answers['POST /api/webhooks'] = answers['POST /api/webhooks'] ?? {}
  await form.getByLabel('URL').fill('https://example.com/x')
  await form.getByRole('button', { name: 'Añadir webhook' }).click()
  const made = page.getByRole('dialog', { name: 'Webhook añadido' })
  await made.getByText('whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD').waitFor()
  assert.deepEqual(JSON.parse(writes().at(-1)?.body ?? ''), {
    url: 'https://example.com/x',
    types: [
      'task.delivered',
      'task.replied',
      'task.failed',
      'task.uncertain',
      'task.expired',
      'sms.received',
    ],
  })
})

test('a webhook in the form of Twilio needs a key that may read received SMS, and has no secret of its own', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/settings?tab=callbacks&open=new')
  const form = page.getByRole('dialog', { name: 'Añadir webhook' })
  await form.getByLabel('URL').fill('https://example.com/sms')
  await form.getByLabel('Formato').selectOption('Como Twilio')
  assert.equal(await form.getByLabel('La red aceptó el SMS').count(), 0)
  await form.getByRole('button', { name: 'Añadir webhook' }).click()
  await form.getByText('Elija la clave que firma.').waitFor()
  const keys = form.getByLabel('Clave de API')
  await keys.getByRole('option').nth(1).waitFor({ state: 'attached' })
  assert.equal(await keys.getByRole('option').count(), 2)
  await keys.selectOption({ index: 1 })
  await form.getByRole('button', { name: 'Añadir webhook' }).click()
  await form.waitFor({ state: 'detached' })
  await page.getByText('Webhook añadido').waitFor()
  assert.equal(await page.getByText('whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD').count(), 0)
  const { api_key_id, ...rest } = JSON.parse(writes().at(-1)?.body ?? '') as Record<string, unknown>
  assert.equal(typeof api_key_id, 'number')
  assert.deepEqual(rest, { url: 'https://example.com/sms', types: ['sms.received'], format: 'twilio' })
})

test('the keys for the form of Twilio are those of the chosen company', async (t) => {
  const may = ['inbox:read'] as const
  const [ours, theirs] = [exampleKey(8, { may: [...may] }), exampleKey(9, { may: [...may], company_id: 3 })]
  server.answers['GET /api/api-keys'] = { body: { api_keys: [ours, theirs] } }
  const page = await open(t, { url: server.url })
  await page.goto('/settings?tab=callbacks&open=new')
  const form = page.getByRole('dialog', { name: 'Añadir webhook' })
  await form.getByLabel('Empresa').selectOption({ label: 'Clínicas Sur (3)' })
  await form.getByLabel('Empresa').selectOption({ label: 'Main (1)' })
  await form.getByLabel('URL').fill('https://example.com/sms')
  await form.getByLabel('Formato').selectOption('Como Twilio')
  const keys = form.getByLabel('Clave de API')
  const named = () => keys.getByRole('option').allInnerTexts()
  await eventually(async () => assert.deepEqual((await named()).slice(1), ['key 8 (sdk_8Qx7…)']))
  await keys.selectOption({ index: 1 })
  await form.getByLabel('Empresa').selectOption({ label: 'Clínicas Sur (3)' })
  assert.deepEqual((await named()).slice(1), ['key 9 (sdk_9Qx7…)'])
  await form.getByRole('button', { name: 'Añadir webhook' }).click()
  await form.getByText('Elija la clave que firma.').waitFor()
  assert.deepEqual(writes(), [])
})

test('a webhook is removed after a confirmation, with the number of abandoned callbacks', async (t) => {
  let webhooks = exampleWebhooks
  server.answers['GET /api/webhooks'] = () => ({ body: { webhooks } })
  server.answers['DELETE /api/webhooks/*'] = () => {
    webhooks = webhooks.slice(1)
    return { status: 204 }
  }
  const page = await open(t, { url: server.url })
  await page.goto('/settings?tab=callbacks')
  const list = page.getByRole('region', { name: 'Webhooks' })
  await list.getByText('2 abandonados en 7 días').waitFor()
  await list.getByRole('button', { name: 'Quitar https://crm.example.com/hooks/sms' }).click()
  await page.waitForURL('**&open=webhook-1')
  const ask = page.getByRole('dialog', { name: '¿Quitar este webhook?' })
  await ask.getByText('lo que aún espera para él se abandona').waitFor()
  await ask.getByRole('button', { name: 'Quitar' }).click()
  await list.getByText('https://crm.example.com/hooks/sms').waitFor({ state: 'detached' })
  // The row disappears before the server has answered, perhaps before the request.
  await eventually(() =>
    assert.deepEqual(
      writes().map(({ path }) => path),
      ['/api/webhooks/1'],
    ),
  )
})

test('without webhooks and callbacks the tab says what it is for; a failed load is reported', async (t) => {
  server.answers['GET /api/webhooks'] = { status: 500 }
  server.answers['GET /api/callbacks'] = { status: 500 }
  const page = await open(t, { url: server.url })
  await page.goto('/settings?tab=callbacks')
  await page.getByRole('alert').getByText('No se pudieron cargar los webhooks.').waitFor()
  await page.getByRole('alert').getByText('No se pudieron cargar las entregas.').waitFor()
  server.answers['GET /api/webhooks'] = { body: { webhooks: [] } }
  server.answers['GET /api/callbacks'] = { body: { callbacks: [], next_cursor: null } }
  for (const _ of [1, 2]) await page.getByRole('button', { name: 'Reintentar' }).first().click()
  await page.getByText('Todavía no hay webhooks.').waitFor()
  await page.getByText('Todavía no se ha enviado nada.').waitFor()
})

test('a chosen language shows events, and why a callback did not arrive, in its words', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/settings?tab=callbacks')
  await rowOf(page, 'task-000120').waitFor()
  await changeLanguage(page, 'es')
  const dead = rowOf(page, 'task-000120')
  await dead.getByText('Abandonada').waitFor()
  await dead.getByText('No respondió en 15 s.').waitFor()
  await page.getByText('Fallido, Caducado').waitFor()
  await dead.getByRole('button', { name: 'Ver task-000120' }).click()
  const details = page.getByRole('dialog', { name: 'Detalles de la entrega' })
  await details.getByText('No respondió en 15 s.').waitFor()
  await changeLanguage(page, 'en')
  const english = page.getByRole('dialog', { name: 'Details of the delivery' })
  await english.getByText('Given up', { exact: true }).waitFor()
  await english.getByText('It did not answer within 15 s.').waitFor()
})

test('a webhook is tested with one event, and the outcome is shown', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/settings?tab=callbacks')
  const { id, url } = exampleWebhooks[0]!
  await page.getByRole('button', { name: `Probar ${url}` }).click()
  const dialog = page.getByRole('dialog', { name: 'Probar el webhook' })
  await dialog.getByRole('button', { name: 'Enviar prueba' }).click()
  await dialog.getByText('HTTP 204 · 37 ms').waitFor()
  assert.deepEqual(
    writes().map(({ path }) => path),
    [`/api/webhooks/${id}/test`],
  )
  const refused = {
    last_error: 'The connection was refused.',
    last_error_code: 'refused',
    last_error_params: {},
  }
  server.answers['POST /api/webhooks/*/test'] = {
    body: { delivered: false, status: null, ...refused, took_ms: 2 },
  }
  await dialog.getByRole('button', { name: 'Enviar otra prueba' }).click()
  await dialog.getByText('No llegó').waitFor()
  await dialog.getByText('Rechazó la conexión. · 2 ms').waitFor()
})

test('everything that was given up is sent again with one button', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/settings?tab=callbacks&state=dead')
  await page.getByRole('button', { name: 'Enviar de nuevo todo lo abandonado' }).click()
  await page.getByText('3 entregas se envían de nuevo').waitFor()
  assert.deepEqual(
    writes().map(({ path }) => path),
    ['/api/callbacks/repeat'],
  )
})

test('the details have the posted body, and the earlier delivery for which it waits', async (t) => {
  server.answers['GET /api/callbacks/*'] = ({ path }) => ({
    body: {
      ...exampleCallback(119),
      id: Number(path.split('/').at(-1)),
      body: '{"type":"task.expired"}',
      behind: { id: 118, type: 'task.sent', next_try_at: '2026-11-20T21:40:00.000Z' },
    },
  })
  const page = await open(t, { url: server.url })
  await page.goto('/settings?tab=callbacks')
  await rowOf(page, 'task-000119').getByRole('button', { name: 'Ver' }).click()
  const details = page.getByRole('dialog', { name: 'Detalles de la entrega' })
  await details.getByText('"type": "task.expired"').waitFor()
  await details.getByText(/Espera a otra entrega anterior .*task\.sent.*20\/11\/2026 21:40/).waitFor()
})

test('a callback that is sent again stays in its dialog, although it leaves the list of those given up', async (t) => {
  let row = exampleCallback(120)
  server.answers['GET /api/callbacks'] = () => ({
    body: { callbacks: row.state === 'dead' ? [row] : [], next_cursor: null },
  })
  server.answers['GET /api/callbacks/*'] = () => ({ body: { ...row, body: '{}', behind: null } })
  server.answers['POST /api/callbacks/*/repeat'] = () => {
    row = { ...row, state: 'waiting' }
    return { status: 202, body: row }
  }
  const page = await open(t, { url: server.url })
  await page.goto('/settings?tab=callbacks&state=dead&open=120')
  const details = page.getByRole('dialog', { name: 'Detalles de la entrega' })
  await details.getByText('Abandonado', { exact: true }).first().waitFor()
  await details.getByRole('button', { name: 'Enviar de nuevo' }).click()
  await page.getByText('task-000120: se envía de nuevo').waitFor()
  await details.getByText('En espera', { exact: true }).first().waitFor()
  await details.getByText('msg_000120').waitFor()
})

test('a callback that does not exist is said to be missing', async (t) => {
  server.answers['GET /api/callbacks/*'] = {
    status: 404,
    body: { detail: 'No.', code: 'unknown_callback' },
  }
  const page = await open(t, { url: server.url })
  await page.goto('/settings?tab=callbacks&open=999')
  await page.getByText('Esa entrega no está en la lista.').waitFor()
})

test('a callback that could not be loaded is not called missing, and is loaded again on request', async (t) => {
  const missing = exampleCallback(999)
  let fails = true
  server.answers['GET /api/callbacks/*'] = () =>
    fails ? { status: 503 } : { body: { ...missing, body: '{}', behind: null } }
  const page = await open(t, { url: server.url })
  await page.goto('/settings?tab=callbacks&open=999')
  const details = page.getByRole('dialog', { name: 'Detalles de la entrega' })
  const retry = details.getByRole('button', { name: 'Reintentar' })
  await retry.waitFor()
  assert.equal(await details.getByText('Esa entrega no está en la lista.').count(), 0)
  fails = false
  await retry.click()
  await details.getByText('msg_000999').waitFor()
})
