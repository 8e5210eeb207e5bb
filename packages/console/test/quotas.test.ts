import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useBrowser } from './browser.ts'
import { useExampleServer } from './example-server.ts'

const open = useBrowser()
const server = await useExampleServer()

function saved(): unknown[] {
  return server.asked
    .filter(({ method, path }) => method === 'POST' && path === '/api/quotas')
    .map(({ body }) => JSON.parse(body) as unknown)
}

test("a superadmin sees a company's usage and quotas, and saves typed quotas", async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/settings')
  await page.getByRole('tab', { name: 'Cuotas' }).click()
  await page.waitForURL('**/settings?tab=quotas')
  const devices = page.getByLabel('Dispositivos', { exact: true })
  assert.equal(await devices.inputValue(), '10000')
  await page.getByText('En uso: 3. De serie: 10\u202f000; vacío vuelve a ella.').waitFor()
  await devices.fill('3.000')
  await page.getByRole('button', { name: 'Guardar cuotas' }).click()
  await page.getByText('Escriba un número entero de 0 a 1000000000, o nada.').waitFor()
  assert.deepEqual(saved(), [])
  await devices.fill('20 000')
  await page.getByLabel('Webhooks').fill('')
  await page.keyboard.press('Enter')
  await page.getByRole('status').getByText('Cuotas guardadas.').waitFor()
  assert.deepEqual(saved(), [{ devices: 20_000, webhooks: null }])
})

test('an admin sees the quotas read-only; role user has no such tab', async (t) => {
  const page = await open(t, { url: server.url, role: 'admin' })
  await page.goto('/settings?tab=quotas')
  await page.getByText('Solo un superadmin puede cambiar las cuotas.').waitFor()
  assert.equal(await page.getByLabel('Webhooks').getAttribute('readonly'), '')
  await page.getByText('De serie: 10\u202f000.').waitFor()
  assert.equal(await page.getByText('vacío vuelve').count(), 0, 'they cannot empty it')
  assert.equal(await page.getByRole('button', { name: 'Guardar cuotas' }).count(), 0)
  const user = await open(t, { url: server.url, role: 'user' })
  await user.goto('/settings')
  await user.getByRole('tab', { name: 'Global settings' }).waitFor()
  assert.equal(await user.getByRole('tab', { name: 'Cuotas' }).count(), 0)
})
