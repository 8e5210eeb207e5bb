import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { eventually, rowOf, useBrowser } from './browser.ts'
import { useExampleServer } from './example-server.ts'
import { exampleKeys, exampleWebhooks } from './example-systems.ts'

const open = useBrowser()
const server = await useExampleServer()

const NEW_KEY = 'sdk_9tRwL2mXc7VbN4qZs8KdJ5hGf3Ye6PaU'
const UNTIL = '2040-01-02T03:04:05.000Z'
const UNTIL_SHOWN = '02/01/2040 03:04'
const DENIED = { status: 403, body: { detail: 'Prove it.', code: 'proof_required' } }

/** The writing calls that were received, with their bodies. */
const writes = () =>
  server.asked
    .filter(({ method }) => method !== 'GET')
    .map(({ method, path, body }) => `${method} ${path} ${body}`.trim())

const dialog = (page: Page, name: string) => page.getByRole('dialog', { name })

/** Gives the key and the webhook with id 1 an overlap that ends at `until()`. */
function overlapping(until: () => string | null): void {
  const one = <Row extends { id: number }>(rows: Row[]) =>
    rows.filter(({ id }) => id === 1).map((row) => ({ ...row, previous_until: until() }))
  server.answers['GET /api/api-keys'] = () => ({ body: { api_keys: one(exampleKeys) } })
  server.answers['GET /api/webhooks'] = () => ({ body: { webhooks: one(exampleWebhooks) } })
}

test('a key is rotated from its row, with the chosen overlap and a proof; the new one is shown only once', async (t) => {
  let keys = exampleKeys
  let proved = false
  const rotated = server.answers['POST /api/api-keys/*/rotate'] as (asked: unknown) => { body: object }
  server.answers['GET /api/api-keys'] = () => ({ body: { api_keys: keys } })
  server.answers['POST /api/proof'] = () => {
    proved = true
    return { status: 204 }
  }
  server.answers['POST /api/api-keys/*/rotate'] = (asked) => {
    if (!proved) return DENIED
    keys = keys.map((key) => (key.id === 3 ? { ...key, hint: 'sdk_9tRw', previous_until: UNTIL } : key))
    return { body: { ...rotated(asked).body, previous_until: UNTIL } }
  }
  const page = await open(t, { url: server.url })
  await page.goto('/settings?tab=api-keys')
  await page.getByRole('button', { name: 'Rotar CRM de citas' }).click()
  await page.waitForURL('**/settings?tab=api-keys&open=rotate-3')
  const ask = dialog(page, '¿Rotar «CRM de citas»?')
  const overlap = ask.getByLabel('¿Sigue valiendo sdk_3Qx7… después de rotar?')
  await overlap.waitFor()
  assert.deepEqual(await overlap.getByRole('option').allInnerTexts(), [
    'No: deja de valer ahora',
    'Sí, 1 hora',
    'Sí, 24 horas',
    'Sí, 7 días',
  ])
  assert.equal(await overlap.inputValue(), '24')
  assert.equal(await ask.getByRole('button', { name: 'Anular ya' }).count(), 0)
  await overlap.selectOption('Sí, 7 días')
  await ask.getByRole('button', { name: 'Rotar' }).click()
  const proof = dialog(page, 'Confirme que es usted')
  await proof.getByLabel('Contraseña actual').fill('correct')
  await page.keyboard.press('Enter')

  const made = dialog(page, 'Clave «CRM de citas»')
  await made.getByText(NEW_KEY, { exact: true }).waitFor()
  await made.getByText('whsec_Zr8vTq3LkW5nYb2HsXg7Jd9MfC4pEa6U').waitFor()
  await made.getByText(`valen hasta ${UNTIL_SHOWN}`).waitFor()
  assert.deepEqual(writes(), [
    'POST /api/api-keys/3/rotate {"overlap_hours":168}',
    'POST /api/proof {"password":"correct"}',
    'POST /api/api-keys/3/rotate {"overlap_hours":168}',
  ])
  await page.keyboard.press('Escape')
  await made.getByText(/^No ha copiado nada/).waitFor()
  await page.keyboard.press('Escape')
  await made.waitFor({ state: 'detached' })
  await rowOf(page, 'CRM de citas').getByText(`anterior: ${UNTIL_SHOWN}`).waitFor()
  assert.equal(await page.getByText(NEW_KEY).count(), 0)
})

test('a rotation without an overlap says that the previous key no longer works, and a failed one says why', async (t) => {
  const usual = server.answers['POST /api/api-keys/*/rotate']!
  server.answers['POST /api/api-keys/*/rotate'] = { status: 500 }
  const page = await open(t, { url: server.url })
  await page.goto('/settings?tab=api-keys&open=rotate-2')
  const ask = dialog(page, '¿Rotar «Avisos de almacén»?')
  await ask.getByLabel(/^¿Sigue valiendo/).selectOption('No: deja de valer ahora')
  await ask.getByRole('button', { name: 'Rotar' }).click()
  await ask.getByRole('alert').getByText('No se pudo rotar la clave.').waitFor()
  server.answers['POST /api/api-keys/*/rotate'] = usual
  await ask.getByRole('button', { name: 'Rotar' }).click()
  await dialog(page, 'Clave «Avisos de almacén»')
    .getByText('La clave anterior y su secreto ya no valen.')
    .waitFor()
  assert.equal(writes().at(-1), 'POST /api/api-keys/2/rotate {"overlap_hours":0}')
})

test('the previous key is ended early after a confirmation, by keyboard too', async (t) => {
  let until: string | null = UNTIL
  overlapping(() => until)
  server.answers['DELETE /api/api-keys/*/previous'] = () => {
    until = null
    return { status: 204 }
  }
  const page = await open(t, { url: server.url })
  await page.goto('/settings?tab=api-keys')
  await rowOf(page, 'Informes').getByText(`anterior: ${UNTIL_SHOWN}`).waitFor()
  await page.getByRole('button', { name: 'Rotar Informes' }).press('Enter')
  const ask = dialog(page, '¿Rotar «Informes»?')
  await ask.getByText(`valen hasta ${UNTIL_SHOWN}. Si rota otra vez, dejan de valer.`).waitFor()
  await ask.getByRole('button', { name: 'Anular ya' }).press('Enter')
  const end = dialog(page, '¿Anular la clave anterior de «Informes»?')
  await end.waitFor()
  await eventually(async () =>
    assert.ok(await end.evaluate((element) => element.contains(document.activeElement))),
  )
  assert.deepEqual(writes(), [])
  await end.getByRole('button', { name: 'Anular ya' }).press('Enter')
  await page.getByText('«Informes»: clave anterior anulada').waitFor()
  await end.waitFor({ state: 'detached' })
  await rowOf(page, 'Informes')
    .getByText(/^anterior/)
    .waitFor({ state: 'detached' })
  assert.deepEqual(writes(), ['DELETE /api/api-keys/1/previous'])
})

test('revoking says that the previous key ends too, if there is one', async (t) => {
  overlapping(() => UNTIL)
  const page = await open(t, { url: server.url })
  await page.goto('/settings?tab=api-keys&open=1')
  await dialog(page, '¿Revocar «Informes»?')
    .getByText(/También deja de valer la clave anterior/)
    .waitFor()
})

test("a webhook's secret is rotated and shown only once; the row says until when the previous one signs", async (t) => {
  let until: string | null = null
  overlapping(() => until)
  const rotated = server.answers['POST /api/webhooks/*/rotate'] as (asked: unknown) => { body: object }
  server.answers['POST /api/webhooks/*/rotate'] = (asked) => {
    until = UNTIL
    return { body: { ...rotated(asked).body, previous_until: until } }
  }
  server.answers['DELETE /api/webhooks/*/previous'] = () => {
    until = null
    return { status: 204 }
  }
  const { url } = exampleWebhooks[0]!
  const page = await open(t, { url: server.url })
  await page.goto('/settings?tab=callbacks')
  await page.getByRole('button', { name: `Rotar el secreto de ${url}` }).click()
  await page.waitForURL('**/settings?tab=callbacks&open=rotate-1')
  const ask = dialog(page, '¿Rotar el secreto de este webhook?')
  await ask.getByLabel(/^¿Sigue firmando/).selectOption('Sí, 1 hora')
  await ask.getByRole('button', { name: 'Rotar' }).click()
  const made = dialog(page, 'Secreto nuevo')
  await made.getByText('whsec_Hq6yLw9TzN3vRb8KxM2cPd5JgS7fUa4E').waitFor()
  await made.getByText(`Hasta ${UNTIL_SHOWN} cada envío lleva las dos firmas.`).waitFor()
  for (let times = 0; times < 2; times++) await page.keyboard.press('Escape')
  await made.waitFor({ state: 'detached' })
  const row = page.getByRole('listitem').filter({ hasText: url })
  await row.getByText(`Firma también el secreto anterior, hasta ${UNTIL_SHOWN}`).waitFor()

  await row.getByRole('button', { name: `Rotar el secreto de ${url}` }).click()
  await ask.getByRole('button', { name: 'Anular ya' }).click()
  await dialog(page, '¿Anular el secreto anterior?').getByRole('button', { name: 'Anular ya' }).click()
  await page.getByText('Secreto anterior anulado').waitFor()
  await row.getByText(/^Firma también/).waitFor({ state: 'detached' })
  assert.deepEqual(writes(), [
    'POST /api/webhooks/1/rotate {"overlap_hours":1}',
    'DELETE /api/webhooks/1/previous',
  ])
})

test('rotating a key that no longer exists says so', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/settings?tab=api-keys&open=rotate-99')
  await page.getByRole('alert').getByText('Esa clave ya no existe.').waitFor()
  await page.goto('/settings?tab=callbacks&open=rotate-99')
  await page.getByRole('alert').getByText('Ese webhook ya no existe.').waitFor()
})
