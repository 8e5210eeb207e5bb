import assert from 'node:assert/strict'
import { after, before, test, type TestContext } from 'node:test'
import type { Task } from '@sdd/contract/tasks/tasks.ts'
import type { Locator, Page } from 'playwright-core'
import { eventually, useBrowser } from '../packages/console/test/browser.ts'
import { type Installation, startInstallation } from './installation.ts'
import { cellsOf, logIn } from './visiting.ts'

let installation: Installation
let key: string
const visit = useBrowser()

before(async () => {
  installation = await startInstallation({
    devices: 2,
    behaviour: { send_ms: [5, 10], delivery_ms: [5, 10], reconnect_ms: [50, 300] },
  })
  key = (await installation.api<{ key: string }>('/api/api-keys', { name: 'shop' })).body.key
  await handIn({
    guid: 'goes-out',
    to_number: '+34600111222',
    text: 'Hola',
    sent_stamp: '2026-01-02T03:04:05.000Z',
  })
  await handIn({ guid: 'goes-out-silently', to_number: '+34600111223', text: 'Hola', silent: true })
  // No device has a SIM of this number, so these wait for one.
  await handIn({ guid: 'waits', to_number: '+34600111224', text: 'Adiós', from_number: '+34600000001' })
  await handIn({ guid: 'given-up', to_number: '+34600111225', text: 'Nunca', from_number: '+34600000001' })
  await fetch(`${installation.url}/api/external-tasks/given-up`, { method: 'DELETE', headers: bearer() })
  await eventually(async () => assert.ok((await taskOf('goes-out')).completed_at))
  await eventually(async () => assert.ok((await taskOf('goes-out-silently')).completed_at))
})
after(() => installation.stop())

function bearer() {
  return { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
}

/** As another system does, with its API key. */
async function handIn(task: Record<string, unknown>): Promise<void> {
  const body = JSON.stringify(task)
  const answer = await fetch(`${installation.url}/api/external-tasks`, {
    method: 'POST',
    headers: bearer(),
    body,
  })
  assert.equal(answer.status, 202, await answer.text())
}

async function taskOf(guid: string): Promise<Task> {
  return (await installation.api<Task>(`/api/external-tasks/${guid}`)).body
}

async function enter(t: TestContext): Promise<Page> {
  const page = await logIn(await visit(t, { url: installation.url, role: 'none' }))
  await page.getByRole('link', { name: 'Running Tasks', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'RUNNING TASKS', exact: true }).waitFor()
  return page
}

function taskRow(page: Page, guid: string): Locator {
  return page.getByRole('row').filter({ has: page.getByRole('button', { name: `Ver ${guid}`, exact: true }) })
}

/** As the columns write a time, in UTC, and where there is none. */
function time(iso: string | null): string {
  const [, year, month, day, clock] = /^(\d+)-(\d+)-(\d+)T([\d:]+)/.exec(iso ?? '') ?? []
  const past = Number(year) === new Date().getUTCFullYear() ? '' : `/${year}`
  return iso === null ? '-' : `${day}/${month}${past} ${clock}`
}

for (const guid of ['goes-out', 'goes-out-silently', 'waits', 'given-up']) {
  test(`the cells of the task ${guid} are its fields, a missing one shown as -`, async (t) => {
    const page = await enter(t)
    const [, ...cells] = await cellsOf(taskRow(page, guid))
    const task = await taskOf(guid)
    assert.deepEqual(cells, [
      guid,
      task.from_number ?? '-',
      task.to_number,
      task.text,
      time(task.sent_stamp),
      task.silent ? 'Sí' : 'No',
      time(task.created_at),
      task.device_guid_assigned ?? '-',
      time(task.assigned_at),
      time(task.completed_at),
      time(task.discarded_at),
    ])
  })
}

test('each filter asks the server with its value and shows its tasks alone', async (t) => {
  const page = await logIn(await visit(t, { url: installation.url, role: 'none' }))
  const asked = new Set<string | null>()
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url())
    if (pathname === '/api/external-tasks') asked.add(searchParams.get('status'))
  })
  await page.getByRole('link', { name: 'Running Tasks', exact: true }).click()
  await taskRow(page, 'given-up').waitFor()
  assert.deepEqual([...asked], ['all'])
  for (const [label, value, shown, hidden] of [
    ['Received', 'received', 'waits', 'goes-out'],
    ['Completed', 'completed', 'goes-out', 'waits'],
  ] as const) {
    await page.getByRole('combobox').selectOption(label)
    await taskRow(page, shown).waitFor()
    assert.equal(await taskRow(page, hidden).count(), 0)
    assert.ok(asked.has(value))
  }
  await page.getByRole('combobox').selectOption('In Progress')
  await page.getByText('Sin tareas', { exact: true }).waitFor()
  assert.ok(asked.has('started'))
  await page.getByRole('combobox').selectOption('All')
  for (const guid of ['waits', 'goes-out', 'given-up']) await taskRow(page, guid).waitFor()
})

test('a task that is handed in shows without a reload, and its way through the fleet too', async (t) => {
  const page = await enter(t)
  await page.getByText('En vivo').waitFor()
  await handIn({ guid: 'new-one', to_number: '+34600111226', text: 'Recién llegada' })
  const completed = taskRow(page, 'new-one').getByRole('cell').nth(10)
  await eventually(async () => assert.match(await completed.innerText(), /^\d\d\/\d\d \d\d:\d\d:\d\d$/))
})

test('while the tasks load the screen says Cargando...; when that fails, Error al cargar tareas', async (t) => {
  const page = await enter(t)
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/api/external-tasks?*', async (route) => {
    await held
    await route.fulfill({ status: 500, body: '' })
  })
  await page.reload()
  const loading = page.getByText('Cargando...', { exact: true })
  await loading.waitFor()
  release()
  await page.getByRole('alert').getByText('Error al cargar tareas', { exact: true }).waitFor()
  assert.equal(await loading.count(), 0)
  await page.unroute('**/api/external-tasks?*')
  await page.getByRole('button', { name: 'Reintentar' }).click()
  await taskRow(page, 'goes-out').waitFor()
})

test('the eye opens every key and value that the server has of the task', async (t) => {
  const page = await enter(t)
  await page.getByRole('button', { name: 'Ver goes-out', exact: true }).click()
  const details = page.getByRole('dialog', { name: 'Detalles de la tarea', exact: true })
  await details.locator('dt').first().waitFor()
  const { body } = await installation.api<Record<string, unknown>>('/api/logs/queue/guid/goes-out')
  assert.deepEqual(await details.locator('dt').allInnerTexts(), Object.keys(body))
  const said = (value: unknown) =>
    value === null || value === ''
      ? '-'
      : value === true
        ? 'Sí'
        : value === false
          ? 'No'
          : `${value as string}`
  const shown = (await details.locator('dd').allInnerTexts()).map((text) => text.replace(/\s+/g, ' '))
  assert.deepEqual(
    shown,
    Object.values(body).map((value) => said(value).replace(/\s+/g, ' ')),
  )
  await details.getByRole('button', { name: 'Cerrar', exact: true }).click()
  await details.waitFor({ state: 'detached' })
})

test('a task that waits says why and since when, in the browser’s time', async (t) => {
  const page = await enter(t)
  await page.getByRole('button', { name: 'Ver waits', exact: true }).click()
  const details = page.getByRole('dialog', { name: 'Detalles de la tarea', exact: true })
  await details.getByText('En espera', { exact: true }).waitFor()
  const { waiting_for } = await taskOf('waits')
  assert.ok(waiting_for)
  await details
    .getByText(waiting_for.split(/\d{4}-/)[0]!.trim())
    .first()
    .waitFor()
})

for (const [what, answer, said] of [
  ['a refusal', { status: 500, body: '' }, 'No se pudo cargar la información'],
  ['nothing', { status: 200, json: {} }, 'No hay datos'],
] as const) {
  test(`details that are answered with ${what} say ${said}`, async (t) => {
    const page = await enter(t)
    await page.route('**/api/logs/queue/guid/*', (route) => route.fulfill(answer))
    await page.getByRole('button', { name: 'Ver waits', exact: true }).click()
    const details = page.getByRole('dialog', { name: 'Detalles de la tarea', exact: true })
    await details.getByText(said, { exact: true }).waitFor()
  })
}

test('details that no answer comes to say Error al cargar datos, and a retry loads them', async (t) => {
  const page = await enter(t)
  await page.route('**/api/logs/queue/guid/*', (route) => route.abort())
  await page.getByRole('button', { name: 'Ver waits', exact: true }).click()
  const details = page.getByRole('dialog', { name: 'Detalles de la tarea', exact: true })
  await details.getByRole('alert').getByText('Error al cargar datos', { exact: true }).waitFor()
  await page.unroute('**/api/logs/queue/guid/*')
  await details.getByRole('button', { name: 'Reintentar' }).click()
  await details.locator('dt').first().waitFor()
})
