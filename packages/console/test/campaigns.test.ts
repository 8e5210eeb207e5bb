import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import type { CampaignDetail } from '@sdd/contract/people/campaigns.ts'
import { eventually, useBrowser } from './browser.ts'
import { exampleCampaigns, exampleRows } from './example-campaigns.ts'
import { useExampleServer } from './example-server.ts'
import { exampleSettings } from './example-staff.ts'
import type { Answer, ReceivedCall } from './stand-in.ts'

const open = useBrowser()
const server = await useExampleServer()

const names = (page: Page) => page.locator('tbody a[data-act=open]').allInnerTexts()
const lines = (page: Page) => page.locator('tbody button[data-act=open]').allInnerTexts()

test('the list has what runs first, filters by state, and works by keyboard', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/campaigns')
  await eventually(async () =>
    assert.deepEqual(
      await names(page),
      exampleCampaigns.map(({ name }) => name),
    ),
  )
  const cells = async (n: number) => (await page.locator('tbody tr').nth(n).innerText()).replace(/\s+/g, ' ')
  assert.match(await cells(0), /En curso 567 de 1183 89,4 % 4,6 %/)
  assert.match(await cells(1), /En pausa por Pedro Gallardo/)
  assert.match(await cells(2), /Fuera del horario de envío; sigue .* En espera/)
  assert.match(await cells(3), /Programada 920 mensajes/)
  assert.match(await cells(4), /Borrador sin destinatarios/)
  assert.match(await cells(5), /Detenida: 10 % de fallos/)
  const chip = (name: string) =>
    page.getByRole('group', { name: 'Filtrar por estado' }).getByRole('button', { name })
  await chip('Terminadas 2').click()
  await eventually(async () => assert.deepEqual(await names(page), ['Promoción', 'Vacuna de la gripe']))
  assert.equal(new URL(page.url()).search, '?state=ended')
  await page.keyboard.press('/')
  await page.keyboard.type('gripe')
  await eventually(async () => assert.deepEqual(await names(page), ['Vacuna de la gripe']))
  await page.keyboard.press('Tab')
  await page.keyboard.press('j')
  await page.locator('[data-index="0"]:focus-within').waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Vacuna de la gripe' }).waitFor()
  await page.goto('/campaigns')
  await page.getByRole('link', { name: 'Aviso de cierre' }).waitFor()
  await page.keyboard.press('n')
  await page.waitForURL('**/campaigns/new')
})

test('an admin sees each column in a window of 1440 pixels', async (t) => {
  server.answers['GET /api/global-settings'] = { body: { settings: [exampleSettings[0]] } }
  const page = await open(t, { url: server.url, role: 'admin' })
  await page.goto('/campaigns')
  await page.getByRole('button', { name: 'Borrar Promoción' }).waitFor()
  const overflow = (table: Element) => table.parentElement!.scrollWidth - table.parentElement!.clientWidth
  await eventually(async () => assert.equal(await page.getByRole('table').evaluate(overflow), 0))
})

test('who may not manage campaigns sees them without the buttons', async (t) => {
  const page = await open(t, { url: server.url, role: 'user' })
  await page.goto('/campaigns')
  await page.getByRole('link', { name: 'Felicitación de Navidad' }).waitFor()
  assert.equal(await page.getByRole('link', { name: 'Nueva campaña' }).count(), 0)
  await page.goto('/campaigns/7')
  await page.getByRole('button', { name: 'CSV' }).waitFor()
  for (const name of ['Pausar', 'Detener…', 'Reintentar 15', 'Añadir dispositivos'])
    assert.equal(
      await page.getByRole('button', { name }).or(page.getByRole('link', { name })).count(),
      0,
      name,
    )
})

test('a campaign tells how its end has moved and why, and its legend and reasons filter the table', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/campaigns/7')
  await page.getByText('1 h 30 min más que lo previsto').waitFor()
  const why = page.getByRole('region', { name: 'Por qué termina' })
  await why.getByText('fuera desde').waitFor()
  assert.equal(await why.getByText('80 por hora', { exact: true }).count(), 2)
  await why.getByText('Faltan 614 mensajes a 160 por hora').waitFor()
  await why.getByText('Si vuelve drone-0008').waitFor()
  // The table is loaded after the figures.
  await eventually(async () =>
    assert.deepEqual(
      await lines(page),
      exampleRows.map(({ row }) => String(row)),
    ),
  )

  await page.getByRole('region', { name: 'Progreso' }).getByRole('button', { name: 'Inciertos 3' }).click()
  await eventually(async () => assert.deepEqual(await lines(page), ['15']))
  assert.equal(new URL(page.url()).search, '?state=uncertain')
  await page.getByRole('button', { name: 'Sin red' }).click()
  await eventually(async () => assert.deepEqual(await lines(page), ['17']))
  assert.equal(new URL(page.url()).search, '?state=failed&reason=no_network')
  await page.getByRole('button', { name: 'Quitar el motivo Sin red' }).click()
  await page.getByRole('button', { name: 'Todos' }).click()
  await eventually(async () => assert.equal((await lines(page)).length, exampleRows.length))
  assert.equal(await page.getByRole('button', { name: 'Reintentar 15' }).isDisabled(), true)
})

test('new rows wait while a person reads, and figures change in place', async (t) => {
  const rows = structuredClone(exampleRows)
  server.answers['GET /api/campaigns/*/rows'] = ({ query }) => ({
    body: { rows: query.get('state') === 'pending' ? [] : rows, next_cursor: null },
  })
  const page = await open(t, { url: server.url })
  await page.goto('/campaigns/7')
  await eventually(async () => assert.equal((await lines(page)).length, rows.length))
  await eventually(() => assert.ok(server.listeners() > 0))
  rows.unshift({ ...rows[0]!, row: 20 })
  rows[1]!.state = 'delivered'
  server.publish('/front/change', { changed: ['campaigns'] })
  await page.getByRole('button', { name: '1 nueva' }).waitFor()
  assert.equal((await lines(page))[0], '19')
  assert.match(await page.locator('tbody tr').first().innerText(), /Entregado/)
  await page.getByRole('button', { name: '1 nueva' }).click()
  await eventually(async () => assert.equal((await lines(page))[0], '20'))
})

test('an address without a campaign says so', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/campaigns/99')
  await page.getByText('Esa campaña no existe.').waitFor()
})

test('a campaign whose last messages are in the devices says so, instead of listing rates', async (t) => {
  const before = server.answers['GET /api/campaigns/*']
  server.answers['GET /api/campaigns/*'] = (asked) => {
    const { body } = (before as (asked: ReceivedCall) => { body: CampaignDetail })(asked)
    return {
      body: { ...body, finishes_at: null, counts: { ...body.counts, queued: 0, pending: 0, handed: 3 } },
    }
  }
  const page = await open(t, { url: server.url })
  await page.goto('/campaigns/7')
  const why = page.getByRole('region', { name: 'Por qué no hay hora de fin' })
  await why.getByText('Los dispositivos ya tienen los últimos mensajes').waitFor()
  assert.equal(await why.getByText('por hora').count(), 0)
})

test('a column can give a field that only the text names', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/campaigns/new')
  const buffer = Buffer.from('Móvil;Pedido\n600111242;7000\n600111243;7001\n')
  await page.locator('input[type=file]').setInputFiles({ name: 'pedidos.csv', mimeType: 'text/csv', buffer })
  await page.getByLabel('Mensaje', { exact: true }).fill('Listo: {{order}}')
  const warning = page.getByText('Ninguna columna da {{order}}')
  await warning.waitFor()
  const column = page.getByLabel('Qué contiene Pedido')
  await column.selectOption({ label: 'Campo «order»' })
  await warning.waitFor({ state: 'detached' })
  await page.getByText('Listo: 7000').waitFor()
  await column.selectOption({ label: 'Campo «Pedido»' })
  await warning.waitFor()
})

test('a new campaign that is left while it is saved does not lead the person back', async (t) => {
  const create = server.answers['POST /api/campaigns'] as (call: ReceivedCall) => Answer
  const answered = Promise.withResolvers<void>()
  server.answers['POST /api/campaigns'] = async (call) => {
    await answered.promise
    return create(call)
  }
  const page = await open(t, { url: server.url })
  await page.goto('/campaigns/new')
  const paths: string[] = []
  page.on('framenavigated', (frame) => paths.push(new URL(frame.url()).pathname))
  await page.getByLabel('Nombre de la campaña').fill('Recogidas')
  await page.getByText('Transaccional', { exact: true }).click()
  await page.getByLabel('Mensaje', { exact: true }).fill('Hola')
  await page.keyboard.press('ControlOrMeta+s')
  await eventually(() => assert.equal(server.asked.filter(isCreation).length, 1))
  const menu = page.getByRole('navigation')
  await menu.getByRole('link', { name: 'Devices' }).click()
  await page.getByRole('heading', { level: 1, name: 'LINKED DEVICES' }).waitFor()
  answered.resolve()
  // The browser forgets the text once the server has it, in the task that would lead back.
  await page.waitForFunction(() => !Object.keys(sessionStorage).some((name) => name.includes('campaign new')))
  await menu.getByRole('link', { name: 'Logs' }).click()
  await page.getByRole('heading', { level: 1, name: 'Transaction Logs' }).waitFor()
  assert.deepEqual(paths, ['/devices', '/logs'])
})

function isCreation({ method, path }: ReceivedCall): boolean {
  return method === 'POST' && path === '/api/campaigns'
}
