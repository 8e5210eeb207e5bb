import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { useBrowser } from './browser.ts'
import { useExampleServer } from './example-server.ts'
import { exampleKey, exampleWebhooks, madeBy } from './example-systems.ts'

const open = useBrowser()
const server = await useExampleServer()

const MADE = 'GET /api/user/2/made'

/** The form of Ana Ruiz, an admin who made a key, a webhook and a link code. */
async function openForm(page: Page): Promise<Locator> {
  await page.goto('/users?edit=2')
  const form = page.getByRole('dialog', { name: 'Editar usuario' })
  await form.getByRole('button', { name: 'Acceso y empresa' }).click()
  return form
}

const madeIn = (form: Locator) => form.getByRole('region', { name: 'Lo que creó Ana Ruiz' })

test('before a user is disabled, the form lists the keys and webhooks that keep working, and the link codes that do not', async (t) => {
  const page = await open(t, { url: server.url, role: 'admin' })
  const form = await openForm(page)
  assert.equal(await madeIn(form).count(), 0)
  assert.ok(!server.asked.some(({ path }) => path.endsWith('/made')), 'nothing is asked before')
  const enabled = form.getByRole('checkbox', { name: 'Enabled' })
  await enabled.uncheck()
  const made = madeIn(form)
  await made.getByRole('heading', { name: 'Sigue funcionando' }).waitFor()
  await made.getByText('CRM de citas (sdk_3Qx7…)').waitFor()
  await made.getByText('https://crm.example.com/hooks/sms').waitFor()
  await made.getByRole('heading', { name: 'Deja de funcionar al guardar' }).waitFor()
  await made.getByText('Código de enlace QK7M… (quedan 18 usos)').waitFor()
  assert.equal(await made.getByText('Avisos de almacén').count(), 0, 'that is a colleague’s')
  await enabled.check()
  await made.waitFor({ state: 'detached' })
})

test('the keys are reviewed in another tab, and the form keeps its input', async (t) => {
  const page = await open(t, { url: server.url })
  const form = await openForm(page)
  await form.getByLabel('Name').fill('Ana R.')
  await form.getByRole('checkbox', { name: 'Enabled' }).uncheck()
  const opened = page.context().waitForEvent('page')
  await form.getByRole('link', { name: /claves de API/ }).click()
  const other = await opened
  await other.getByRole('button', { name: 'Revocar CRM de citas' }).waitFor()
  assert.equal(await form.getByLabel('Name').inputValue(), 'Ana R.')
  await form.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('status').getByText('Usuario guardado').waitFor()
})

test('a lower role or another company shows the same list, a higher role does not', async (t) => {
  const page = await open(t, { url: server.url })
  const form = await openForm(page)
  await form.getByLabel('Role').selectOption('superadmin')
  assert.equal(await madeIn(form).count(), 0)
  await form.getByLabel('Role').selectOption('user')
  await madeIn(form).getByText('CRM de citas').waitFor()
  await form.getByLabel('Role').selectOption('admin')
  await madeIn(form).waitFor({ state: 'detached' })
  await form.getByLabel('Company').selectOption('2')
  // Users who see several companies also see the company of each.
  await madeIn(form).getByText('CRM de citas (sdk_3Qx7…) · Main').waitFor()
})

test('a long list of keys is folded until the user asks for the rest', async (t) => {
  const api_keys = Array.from({ length: 12 }, (_, n) => exampleKey(n + 1, {}))
  server.answers[MADE] = { body: { ...madeBy(''), api_keys } }
  const page = await open(t, { url: server.url })
  const form = await openForm(page)
  await form.getByRole('checkbox', { name: 'Enabled' }).uncheck()
  const made = madeIn(form)
  await made.getByRole('button', { name: 'Mostrar los 12' }).waitFor()
  assert.equal(await made.getByRole('listitem').count(), 5)
  await made.getByRole('button', { name: 'Mostrar los 12' }).press('Enter')
  await made.getByText('key 12').waitFor()
  assert.equal(await made.getByRole('listitem').count(), 12)
})

test('an empty list is stated, and so is a failed load', async (t) => {
  server.answers[MADE] = { status: 500 }
  const page = await open(t, { url: server.url })
  const form = await openForm(page)
  await form.getByRole('checkbox', { name: 'Enabled' }).uncheck()
  const alert = form.getByRole('alert')
  await alert.getByText('No se pudo cargar lo que creó').waitFor()
  server.answers[MADE] = { body: { ...madeBy(''), webhooks: [exampleWebhooks[0]] } }
  await alert.getByRole('button', { name: 'Reintentar' }).click()
  await madeIn(form).getByText('https://crm.example.com/hooks/sms').waitFor()
  assert.equal(await madeIn(form).getByRole('heading', { name: 'Claves de API' }).count(), 0)

  server.answers[MADE] = { body: madeBy('') }
  await page.reload()
  await form.getByRole('button', { name: 'Acceso y empresa' }).click()
  await form.getByRole('checkbox', { name: 'Enabled' }).uncheck()
  await madeIn(form).getByText('No hay claves de API, webhooks ni códigos').waitFor()
})
