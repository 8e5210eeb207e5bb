import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import type { CampaignPreview } from '@sdd/contract/people/campaign-checks.ts'
import type { Campaign, CampaignDetail } from '@sdd/contract/people/campaigns.ts'
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

test('a draft that is opened again has its newest text, whatever its page had loaded', async (t) => {
  let draft = exampleCampaigns.find(({ state }) => state === 'draft')!
  const detail = server.answers['GET /api/campaigns/*'] as (call: ReceivedCall) => Answer
  server.answers['GET /api/campaigns/*'] = (call) => ({
    body: { ...(detail(call).body as object), ...draft },
  })
  server.answers['POST /api/campaigns/*'] = ({ body }) => ({
    body: (draft = { ...draft, ...(JSON.parse(body) as Partial<Campaign>) }),
  })
  t.after(server.holdLive())
  const page = await open(t, { url: server.url })
  await page.goto('/campaigns/3')
  await page.getByRole('link', { name: 'Seguir con el borrador' }).click()
  const message = page.getByLabel('Mensaje', { exact: true })
  await message.fill('El texto nuevo')
  await page.keyboard.press('ControlOrMeta+s')
  await eventually(() => assert.equal(draft.text, 'El texto nuevo'))
  await page.getByRole('navigation').getByRole('link', { name: 'Campañas' }).click()
  await page.getByRole('link', { name: 'Felicitación de Navidad' }).click()
  await eventually(async () => assert.equal(await message.inputValue(), 'El texto nuevo'))
})

test('a discarded draft is no longer in the list', async (t) => {
  t.after(server.holdLive())
  const page = await open(t, { url: server.url })
  await page.goto('/campaigns')
  const list = server.answers['GET /api/campaigns'] as (call: ReceivedCall) => {
    body: { campaigns: Campaign[] }
  }
  server.answers['DELETE /api/campaigns/*'] = () => {
    server.answers['GET /api/campaigns'] = (call) => {
      const { body } = list(call)
      return { body: { ...body, campaigns: body.campaigns.filter(({ state }) => state !== 'draft') } }
    }
    return { status: 204 }
  }
  await page.getByRole('link', { name: 'Felicitación de Navidad' }).click()
  await page.getByRole('button', { name: 'Descartar' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Descartar' }).click()
  await page.waitForURL('**/campaigns')
  await page.getByRole('link', { name: 'Vacuna de la gripe' }).waitFor()
  await page.getByRole('link', { name: 'Felicitación de Navidad' }).waitFor({ state: 'detached' })
})

test('the preview begins again if the rows of its page are gone', async (t) => {
  const preview = (server.answers['GET /api/campaigns/*/preview'] as { body: CampaignPreview }).body
  let sendable = 7
  server.answers['GET /api/campaigns/*/preview'] = () => ({ body: { ...preview, sendable } })
  server.answers['GET /api/campaigns/*/check'] = ({ query }) => {
    const after = Number(query.get('cursor'))
    const rows = [4, 5, 6, 7].filter((row) => row > after && row <= sendable).slice(0, 3)
    return { body: { rows: rows.map((row) => ({ ...preview.examples[0], row })), next_cursor: null } }
  }
  t.after(server.holdLive())
  const page = await open(t, { url: server.url })
  await page.goto('/campaigns/new?draft=3')
  const next = page.getByRole('button', { name: 'Filas siguientes' })
  await page.getByText('1–3 de 7').waitFor()
  await next.click()
  await page.getByText('4–6 de 7').waitFor()
  await next.click()
  await page.getByText('7–7 de 7').waitFor()
  sendable = 4
  await page.getByLabel('Nombre de la campaña').fill('Otra')
  await page.keyboard.press('ControlOrMeta+s')
  await page.getByText('1–3 de 4').waitFor()
})

function isCreation({ method, path }: ReceivedCall): boolean {
  return method === 'POST' && path === '/api/campaigns'
}

test('at midnight, the days in the list and in the rows of a campaign change', async (t) => {
  const at = '2026-11-20T23:50:00.000Z'
  const [paused] = exampleCampaigns.filter(({ state }) => state === 'paused')
  const campaign = { ...paused!, started_at: at, not_before: null, paused_at: at }
  const list = server.answers['GET /api/campaigns'] as (asked: ReceivedCall) => { body: object }
  server.answers['GET /api/campaigns'] = (asked) => ({
    body: { ...list(asked).body, campaigns: asked.query.get('state')?.includes('paused') ? [campaign] : [] },
  })
  server.answers['GET /api/campaigns/*/rows'] = {
    body: { rows: [{ ...exampleRows[0]!, at }], next_cursor: null },
  }
  const page = await open(t, { url: server.url })
  await page.clock.install({ time: '2026-11-20T23:58:00Z' })
  await page.goto('/campaigns')
  const row = page.locator('tbody tr').first()
  await row.getByText('hoy 23:50').waitFor()
  await row.getByText(/ a las 23:50/).waitFor()
  await page.clock.fastForward('03:00')
  await row.getByText('ayer 23:50').waitFor()
  await row.getByText(/ ayer a las 23:50/).waitFor()

  await page.clock.setSystemTime('2026-11-20T23:58:00Z')
  await page.goto(`/campaigns/${campaign.id}`)
  await row.getByText('23:50:00').waitFor()
  await page.clock.fastForward('03:00')
  await row.getByText('ayer 23:50').waitFor()
})
