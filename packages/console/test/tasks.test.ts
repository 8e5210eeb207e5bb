import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { copied, eventually, fontsLoaded, useBrowser } from './browser.ts'
import { useExampleServer } from './example-server.ts'
import { exampleTask, exampleTasks } from './example-staff.ts'
import { wrapList, type ReceivedCall, type ListShape } from './stand-in.ts'

const open = useBrowser()
const server = await useExampleServer()

function rowOf(page: Page, guid: string): Locator {
  return page.getByRole('row').filter({ has: page.getByRole('button', { name: `Ver ${guid}`, exact: true }) })
}

function lists(): ReceivedCall[] {
  return server.asked.filter(({ path }) => path === '/api/external-tasks')
}

/** Exactly the fields of the user specification's section 3. */
const bare = [
  {
    guid: 'g-2',
    from_number: '+34610000001',
    to_number: '+34600111222',
    text: 'Hola',
    sent_stamp: '2026-01-31T09:29:59.000Z',
    silent: true,
    created_at: '2026-01-31T09:30:00.000Z',
    device_guid_assigned: 'alpha-1',
    assigned_at: '2026-01-31T09:30:01.000Z',
    completed_at: null,
    discarded_at: null,
  },
  {
    guid: 'g-1',
    from_number: null,
    to_number: '600333444',
    text: 'Adiós',
    sent_stamp: null,
    silent: false,
    created_at: '2026-01-31T09:00:00.000Z',
    device_guid_assigned: null,
    assigned_at: null,
    completed_at: null,
    discarded_at: null,
  },
]

for (const shape of ['bare', 'named', 'data'] as ListShape[]) {
  test(`the tasks are read ${shape}, with only the specified fields`, async (t) => {
    server.answers['GET /api/external-tasks'] = { body: wrapList(shape, 'tasks', bare) }
    const page = await open(t, { url: server.url })
    await page.goto('/running-tasks')
    const texts = (guid: string) => rowOf(page, guid).getByRole('cell').allInnerTexts()
    await rowOf(page, 'g-2').waitFor()
    const [, ...first] = await texts('g-2')
    assert.deepEqual(first.slice(0, 4), ['g-2', '+34610000001', '+34600111222', 'Hola'])
    assert.match(first.slice(4).join('|'), /09:29:59\|Sí\|.*09:30:00\|alpha-1\|.*09:30:01\|-\|-$/)
    const [, ...second] = await texts('g-1')
    assert.deepEqual([second[4], second[5], ...second.slice(8)], ['-', 'No', '-', '-', '-'])
    await rowOf(page, 'g-2').getByText('En curso', { exact: true }).waitFor()
    await rowOf(page, 'g-1').getByText('Recibida', { exact: true }).waitFor()
  })
}

test('title, columns and filters are those of the specification', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/devices')
  await page.getByRole('link', { name: 'Running Tasks' }).click()
  await page.getByRole('heading', { name: 'RUNNING TASKS', level: 1 }).waitFor()
  await rowOf(page, 'task-000700').waitFor()
  assert.equal(
    (await page.getByRole('columnheader').allInnerTexts()).join('|'),
    'Ver|GUID|From|To|Text|Sent|Silent|Created|Assigned Device|Assigned|Completed|Discarded',
  )
  const options = page.getByLabel('Status').getByRole('option')
  assert.deepEqual(await options.allInnerTexts(), ['All', 'Received', 'In Progress', 'Completed'])
  const values = await options.evaluateAll((all) => all.map((option) => option.getAttribute('value')))
  assert.deepEqual(values, ['all', 'received', 'started', 'completed'])
})

test('the filter goes to the server and is kept in the address', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/running-tasks')
  await rowOf(page, 'task-000700').waitFor()
  assert.equal(lists()[0]?.query.get('status'), 'all')
  await page.getByLabel('Status').selectOption('In Progress')
  await page.waitForURL('**/running-tasks?status=started')
  await rowOf(page, 'task-000700').waitFor({ state: 'detached' })
  await rowOf(page, 'task-000699').waitFor()
  assert.equal(lists().at(-1)?.query.get('status'), 'started')
  await page.reload()
  await rowOf(page, 'task-000699').waitFor()
  assert.equal(await page.getByLabel('Status').inputValue(), 'started')
})

test('the screen says that it is loading; a failed load is reported, and a retry loads the tasks', async (t) => {
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  server.answers['GET /api/external-tasks'] = async () => {
    await held
    return { status: 500 }
  }
  const page = await open(t, { url: server.url })
  await page.goto('/running-tasks')
  await page.getByText('Cargando...', { exact: true }).waitFor()
  release()
  await page.getByRole('alert').getByText('Error al cargar tareas', { exact: true }).waitFor()
  assert.equal(await page.getByText('Cargando...').count(), 0)
  server.answers['GET /api/external-tasks'] = { body: bare }
  await page.getByRole('button', { name: 'Reintentar' }).click()
  await rowOf(page, 'g-2').waitFor()
})

test('without tasks the screen says so, and offers a next step', async (t) => {
  server.answers['GET /api/external-tasks'] = ({ query }) => ({
    body: query.get('status') === 'completed' ? [] : { tasks: bare },
  })
  const page = await open(t, { url: server.url })
  await page.goto('/running-tasks?status=completed')
  await page.getByText('Sin tareas', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Ver todas' }).click()
  await rowOf(page, 'g-2').waitFor()
})

test('any change message reloads the list, whatever its payload', async (t) => {
  let tasks = exampleTasks(3)
  server.answers['GET /api/external-tasks'] = () => ({ body: { tasks } })
  const page = await open(t, { url: server.url })
  await page.goto('/running-tasks')
  await rowOf(page, 'task-000003').waitFor()
  await eventually(() => assert.equal(server.listeners(), 1))
  tasks = [exampleTask(4, 'received'), ...tasks]
  server.publish('/front/change', { changed: ['tasks'] })
  await rowOf(page, 'task-000004').waitFor()
  tasks = [exampleTask(5, 'received'), ...tasks.slice(0, 2)]
  server.publish('/front/change', 'no JSON at all')
  await rowOf(page, 'task-000005').waitFor()
  await rowOf(page, 'task-000002').waitFor({ state: 'detached' })
})

test('new tasks appear at the top, and do not move the rows being read', async (t) => {
  let tasks = exampleTasks(300)
  server.answers['GET /api/external-tasks'] = () => ({ body: { tasks } })
  const page = await open(t, { url: server.url })
  await page.goto('/running-tasks')
  await rowOf(page, 'task-000300').waitFor()
  await eventually(() => assert.equal(server.listeners(), 1))
  tasks = [exampleTask(301, 'received'), ...tasks]
  server.publish('/front/change', { changed: ['tasks'] })
  const visible = rowOf(page, 'task-000301')
  await visible.waitFor()
  assert.ok((await visible.boundingBox())!.y < (await rowOf(page, 'task-000300').boundingBox())!.y)

  await page.getByRole('region', { name: 'Tareas' }).evaluate((list) => list.scrollTo({ top: 4_000 }))
  const read = rowOf(page, 'task-000185')
  await read.waitFor()
  const place = (await read.boundingBox())?.y
  const loads = lists().length
  tasks = [...exampleTasks(311).slice(0, 10), ...tasks]
  server.publish('/front/change', { changed: ['tasks'] })
  await eventually(() => assert.ok(lists().length > loads))
  await eventually(async () =>
    assert.equal(await page.getByRole('table').getAttribute('aria-rowcount'), String(tasks.length + 1)),
  )
  await eventually(async () => assert.equal((await read.boundingBox())?.y, place))
})

test('scrolling loads page after page, and at most 60 rows are mounted', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/running-tasks')
  await rowOf(page, 'task-000700').waitFor()
  assert.equal(await page.getByRole('table').getAttribute('aria-rowcount'), '-1')
  let most = 0
  await eventually(async () => {
    await page.getByRole('region', { name: 'Tareas' }).evaluate((list) => list.scrollBy({ top: 3_000 }))
    most = Math.max(most, await page.getByRole('row').count())
    assert.ok(await rowOf(page, 'task-000001').isVisible())
  }, 60_000)
  assert.ok(most <= 61, `${most} rows`)
  // The first page is loaded once more when the live connection is there.
  const cursors = new Set(lists().map(({ query }) => query.get('cursor')))
  assert.deepEqual([...cursors], [null, '500'])
  assert.equal(await page.getByRole('table').getAttribute('aria-rowcount'), '701')
})

test('the eye opens every key and value of the task, under its own address', async (t) => {
  server.answers['GET /api/logs/queue/guid/*'] = {
    body: { guid: 'task-000700', notes: 'attempt 1', silent: true, answer_3: null, parts: 2 },
  }
  const page = await open(t, { url: server.url })
  await page.goto('/running-tasks')
  await page.getByRole('button', { name: 'Ver task-000700' }).click()
  await page.waitForURL('**/running-tasks?open=task-000700&company=1')
  const details = page.getByRole('dialog', { name: 'Detalles de la tarea' })
  await details.getByText('attempt 1').waitFor()
  assert.deepEqual(await details.locator('dt').allInnerTexts(), [
    'guid',
    'notes',
    'silent',
    'answer_3',
    'parts',
  ])
  assert.deepEqual(await details.locator('dd').allInnerTexts(), ['task-000700', 'attempt 1', 'Sí', '-', '2'])
  await details.getByText('Recibida').waitFor()
  await details.getByText(/No debe salir antes del \d\d\/\d\d/).waitFor()
  await page.keyboard.press('Escape')
  await details.waitFor({ state: 'detached' })
  assert.equal(new URL(page.url()).search, '')
})

test('details that are empty, refused or unreachable say so', async (t) => {
  server.answers['GET /api/logs/queue/guid/*'] = { body: {} }
  const page = await open(t, { url: server.url })
  await page.goto('/running-tasks?open=task-000700&company=1')
  const details = page.getByRole('dialog', { name: 'Detalles de la tarea' })
  await details.getByText('No hay datos', { exact: true }).waitFor()

  server.answers['GET /api/logs/queue/guid/*'] = { status: 404 }
  await page.goto('/running-tasks?open=task-000699')
  await details.getByRole('alert').getByText('No se pudo cargar la información', { exact: true }).waitFor()
  server.answers['GET /api/logs/queue/guid/*'] = { body: { guid: 'task-000699' } }
  await details.getByRole('button', { name: 'Reintentar' }).click()
  await details.getByText('task-000699').waitFor()

  await page.route('**/api/logs/queue/**', (route) => route.abort())
  await page.goto('/running-tasks?open=task-000698')
  await details.getByRole('alert').getByText('Error al cargar datos', { exact: true }).waitFor()
})

test('the keyboard walks the tasks, opens one and copies its guid', async (t) => {
  const page = await open(t, { url: server.url })
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto('/running-tasks')
  await rowOf(page, 'task-000700').waitFor()
  for (const key of ['j', 'j', 'c']) await page.keyboard.press(key)
  await page.getByText('GUID copiado').waitFor()
  await copied(page, 'task-000699', () => page.keyboard.press('c'))
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Detalles de la tarea' }).waitFor()
})

test('on a phone a task is a card that keeps every column for screen readers', async (t) => {
  const page = await open(t, { url: server.url, size: 'phone' })
  await page.goto('/running-tasks')
  const card = rowOf(page, 'task-000700')
  await card.waitFor()
  assert.equal(await page.getByRole('columnheader').count(), 12)
  assert.equal(await card.getByRole('cell').count(), 12)
  const eye = await card.getByRole('button').boundingBox()
  assert.ok(eye && eye.width >= 44 && eye.height >= 44)
})

test('search, outcomes and a period go to the server and are kept in the address', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/running-tasks')
  await rowOf(page, 'task-000700').waitFor()
  await page.getByPlaceholder('Número, texto, GUID…').fill('manana')
  await page.waitForURL('**/running-tasks?search=manana')
  await page.getByRole('button', { name: 'Filtros' }).click()
  await page.getByRole('checkbox', { name: 'Fallida' }).click()
  await page.waitForURL('**state=failed*')
  await page.getByRole('checkbox', { name: 'Caducada' }).click()
  await page.getByRole('button', { name: 'Hoy' }).click()
  await page.waitForURL('**/running-tasks?search=manana&state=failed%2Cexpired&period=today')
  const midnight = await page.evaluate(() => new Date(new Date().setHours(0, 0, 0, 0)).toISOString())
  const wanted = { status: 'all', search: 'manana', state: 'failed,expired', from: midnight }
  await eventually(() => assert.deepEqual(Object.fromEntries(lists().at(-1)?.query ?? []), wanted))
  server.answers['GET /api/external-tasks'] = ({ query }) => ({ body: query.get('search') ? [] : bare })
  await page.reload()
  await page.getByText('Ninguna tarea cumple el filtro.').waitFor()
  await page.getByRole('table').getByRole('button', { name: 'Quitar filtros' }).click()
  await rowOf(page, 'g-2').waitFor()
  assert.equal(new URL(page.url()).search, '')
})

test('the columns, their titles and the reason why a task waits fit at a width of 1440', async (t) => {
  const waits = {
    waiting_for: 'The device drone-0007 is in maintenance until 2026-11-20T22:00:00.000Z.',
    waiting_code: 'maintenance',
    waiting_params: { device: 'drone-0007', at: '2026-11-20T22:00:00.000Z' },
  }
  server.answers['GET /api/external-tasks'] = {
    body: { tasks: [{ ...exampleTask(700, 'received'), ...waits }] },
  }
  const page = await open(t, { url: server.url })
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.goto('/running-tasks')
  await rowOf(page, 'task-000700').waitFor()
  await fontsLoaded(page)
  const reason = page.getByText('Dispositivo en mantenimiento', { exact: true }).first()
  assert.match((await reason.getAttribute('title')) ?? '', /^drone-0007 está en mantenimiento hasta el/)
  for (const shown of [reason, ...(await page.getByRole('columnheader').all())]) {
    const cut = await shown.evaluate((element) => element.scrollWidth > element.clientWidth)
    assert.equal(cut, false, await shown.innerText())
  }
  const list = page.getByRole('region', { name: 'Tareas' })
  assert.equal(await list.evaluate((element) => element.scrollWidth - element.clientWidth), 0)
})

test('the details have a timeline above every key, and an ended task can be sent again', async (t) => {
  const task = exampleTask(5, 'failed')
  server.answers['GET /api/external-tasks'] = { body: { tasks: [task] } }
  server.answers['GET /api/logs/queue/guid/*'] = {
    body: { guid: task.guid, queue_timestamp: task.created_at },
  }
  const page = await open(t, { url: server.url })
  await page.goto('/running-tasks')
  await page.getByRole('button', { name: 'Ver task-000005' }).click()
  const details = page.getByRole('dialog', { name: 'Detalles de la tarea' })
  await details.getByRole('heading', { name: 'Recorrido' }).waitFor()
  await details.getByRole('listitem').filter({ hasText: 'Encolado' }).waitFor()
  await details.getByRole('link', { name: 'Enviar de nuevo' }).click()
  await page.getByRole('heading', { level: 1, name: 'Send SMS', exact: true }).waitFor()
  assert.equal(await page.getByPlaceholder('+34...').inputValue(), task.to_number)
})

test('a view keeps the filters of the tasks by name in this browser, and is opened and deleted', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/running-tasks?status=completed&search=600')
  await page.getByRole('button', { name: 'Vistas guardadas' }).click()
  const views = page.getByRole('region', { name: 'Vistas guardadas' })
  await views.getByLabel('Nombre').fill('Hechas')
  await views.getByRole('button', { name: 'Guardar esta vista' }).click()
  await page.goto('/running-tasks')
  await page.getByRole('button', { name: 'Vistas guardadas' }).click()
  await views.getByRole('link', { name: 'Hechas' }).click()
  await page.waitForURL('**/running-tasks?status=completed&search=600')
  await eventually(async () => assert.equal(await page.getByRole('searchbox').inputValue(), '600'))
  await views.getByRole('button', { name: 'Borrar la vista Hechas' }).click()
  await views.getByText('Todavía no hay ninguna.').waitFor()
})
