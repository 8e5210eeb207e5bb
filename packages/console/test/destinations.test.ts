import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Destinations } from '@sdd/contract/messages/destinations.ts'
import { eventually, useBrowser } from './browser.ts'
import { useExampleServer } from './example-server.ts'

const open = useBrowser()
const server = await useExampleServer()

function saved(): unknown[] {
  return server.asked
    .filter(({ method, path }) => method === 'POST' && path === '/api/destinations')
    .map(({ body }) => JSON.parse(body) as unknown)
}

test('destinations are shown and saved, one prefix per line, without separators between digits', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/settings')
  await page.getByRole('tab', { name: 'Destinos' }).click()
  await page.waitForURL('**/settings?tab=destinations')
  const allow = page.getByLabel('Prefijos permitidos')
  assert.equal(await allow.inputValue(), '+34\n6')
  assert.equal(await page.getByLabel('Prefijos prohibidos').inputValue(), '+34803')
  await allow.fill('+34 6, (600)\n+34 6\n')
  await page.getByLabel('Mensajes al día a un mismo número').fill('')
  await page.keyboard.press('Enter')
  await page.getByRole('status').getByText('Destinos guardados.').waitFor()
  assert.deepEqual(saved(), [{ allow: ['+346', '600'], deny: ['+34803'], max_per_recipient_dayly: null }])
  assert.equal(await allow.inputValue(), '+346\n600')
})

test('an invalid prefix or cap is reported at its field before it is sent, and so is a refusal of the server', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/settings?tab=destinations')
  const deny = page.getByLabel('Prefijos prohibidos')
  const cap = page.getByLabel('Mensajes al día a un mismo número')
  await deny.fill('+34803\n+803a')
  await cap.fill('1.000')
  await page.getByRole('button', { name: 'Guardar destinos' }).click()
  await page.getByText('«+803a» no es un prefijo').waitFor()
  await page.getByText('Escriba un número entero de 1 a 100000, o nada.').waitFor()
  assert.ok(await deny.evaluate((field) => field === document.activeElement))
  assert.deepEqual(saved(), [])
  const fields = { deny: 'must hold prefixes' }
  server.answers['POST /api/destinations'] = { status: 422, body: { detail: 'Not valid.', fields } }
  await deny.fill('+34803')
  await cap.fill('3')
  await page.getByRole('button', { name: 'Guardar destinos' }).click()
  await page.getByRole('alert').getByText('Not valid.').waitFor()
  await page.getByText('must hold prefixes').waitFor()
})

test('a user who sees several companies chooses one to edit its destinations; role user has no such tab', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/settings?tab=destinations')
  await page.getByLabel('Empresa').selectOption({ index: 1 })
  await page.waitForURL('**/settings?tab=destinations&company=*')
  await page.getByRole('button', { name: 'Guardar destinos' }).click()
  await page.getByText('Destinos guardados.').waitFor()
  const asked = server.asked.find(({ method, path }) => method === 'POST' && path === '/api/destinations')
  assert.ok(asked!.query.get('company'))
  const user = await open(t, { url: server.url, role: 'user' })
  await user.goto('/settings')
  await user.getByRole('tab', { name: 'Global settings' }).waitFor()
  assert.equal(await user.getByRole('tab', { name: 'Destinos' }).count(), 0)
})

test('the result of the send form says why a message may not go to a number', async (t) => {
  const detail = '+34803111222 begins with +34803, which is on the deny list: nothing is sent to it.'
  server.answers['POST /api/device-send-sms'] = {
    status: 422,
    body: {
      detail,
      status: detail,
      code: 'destination_refused',
      fields: { telefono_to: 'begins with +34803' },
    },
  }
  const page = await open(t, { url: server.url })
  await page.goto('/devices?send=drone-0001')
  await page.getByPlaceholder('+34...').fill('+34803111222')
  await page.getByRole('textbox', { name: 'Mensaje' }).fill('Hola')
  await page.getByRole('button', { name: 'SEND', exact: true }).click()
  await page.getByRole('dialog').getByText(detail).waitFor()
})

test('saved destinations are not replaced by the former ones that were loading', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/settings?tab=destinations')
  await page.getByText('En vivo').waitFor()
  const allow = page.getByLabel('Prefijos permitidos')
  await allow.waitFor()
  const usual = server.answers['GET /api/destinations'] as (asked: unknown) => { body: Destinations }
  const { body: former } = usual({ query: new URLSearchParams() })
  let record = former
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  let loads = 0
  server.answers['GET /api/destinations'] = async () => {
    const body = record
    loads++
    await released
    return { body }
  }
  server.answers['POST /api/destinations'] = ({ body }) => {
    const saved = { ...former, ...(JSON.parse(body) as Destinations) }
    record = { ...saved, deny: ['+34900'] }
    return { body: saved }
  }
  server.publish('/front/change', { changed: ['settings'] })
  await eventually(() => assert.ok(loads > 0, 'they are loaded'))
  await allow.fill('+346')
  const before = loads
  await page.getByRole('button', { name: 'Guardar destinos' }).click()
  await page.getByText('Destinos guardados.').waitFor()
  await eventually(() => assert.ok(loads > before, 'they are loaded again'))
  release()
  const deny = page.getByLabel('Prefijos prohibidos')
  await eventually(async () => assert.equal(await deny.inputValue(), '+34900'))
  assert.equal(await allow.inputValue(), '+346')
})
