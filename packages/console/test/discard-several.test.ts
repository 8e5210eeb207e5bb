import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import type { Task } from '@sdd/contract/tasks/tasks.ts'
import type { Locator, Page } from 'playwright-core'
import { eventually, useBrowser } from './browser.ts'
import { useExampleServer } from './example-server.ts'
import { exampleTask } from './example-staff.ts'

const open = useBrowser()
const server = await useExampleServer()
let tasks: Task[]

beforeEach(() => {
  tasks = (['received', 'completed', 'started', 'received', 'received', 'failed'] as const).map((state, n) =>
    exampleTask(6 - n, state),
  )
  server.answers['GET /api/external-tasks'] = () => ({ body: { tasks, next_cursor: null } })
  server.answers['DELETE /api/external-tasks/*'] = ({ path }) => {
    const guid = path.split('/').at(-1)
    const task = tasks.find((one) => one.guid === guid)!
    if (task.state !== 'received' && task.state !== 'started')
      return { status: 409, body: { detail: 'The task has ended.', code: 'task_not_discardable' } }
    if (task.state === 'started') return { status: 202, body: task }
    tasks = tasks.map((one) => (one === task ? { ...one, state: 'discarded' } : one))
    return { body: { ...task, state: 'discarded' } }
  }
})

function rowOf(page: Page, guid: string): Locator {
  return page.getByRole('row').filter({ has: page.getByRole('button', { name: `Ver ${guid}`, exact: true }) })
}

function bar(page: Page): Locator {
  return page.getByRole('region', { name: 'Selección', exact: true })
}

function discards(): string[] {
  return server.asked.filter(({ method }) => method === 'DELETE').map(({ path }) => path.split('/').at(-1)!)
}

test('checkboxes appear only while selecting, in front of the columns of the specification', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/running-tasks')
  await rowOf(page, 'task-000006').waitFor()
  assert.equal(await page.getByRole('columnheader').count(), 12)
  await page.getByRole('button', { name: 'Seleccionar', exact: true }).click()
  await page.getByRole('checkbox', { name: 'Seleccionar task-000006', exact: true }).waitFor()
  assert.equal(await page.getByRole('columnheader').count(), 13)
  assert.ok(await bar(page).getByRole('button', { name: 'Descartar' }).isDisabled())
  await page.getByRole('button', { name: 'Terminar la selección' }).click()
  await bar(page).waitFor({ state: 'detached' })
})

test('several tasks are selected and discarded by keyboard, after a question', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/running-tasks')
  await rowOf(page, 'task-000003').waitFor()
  for (const key of ['j', 'j', 'j', 'j', 'x', 'Shift+ArrowUp']) await page.keyboard.press(key)
  await bar(page).getByText('2 seleccionados', { exact: true }).waitFor()
  await page.keyboard.press('b')
  const discard = bar(page).getByRole('button', { name: 'Descartar' })
  await discard.focus()
  await page.keyboard.press('Enter')
  const ask = page.getByRole('dialog', { name: '¿Descartar 2 tareas?' })
  await ask.getByText('No se puede deshacer.').waitFor()
  assert.deepEqual(discards(), [])
  await page.keyboard.press('Escape')
  await ask.waitFor({ state: 'detached' })
  await discard.press('Enter')
  await ask.getByRole('button', { name: 'Descartar' }).press('Enter')
  await page.getByText('2 tareas descartadas', { exact: true }).waitFor()
  assert.deepEqual(discards(), ['task-000004', 'task-000003'])
  await rowOf(page, 'task-000003').getByText('Descartada', { exact: true }).waitFor()
})

test('of all selected, those that ended are refused with the reason, and the others discarded', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/running-tasks')
  await rowOf(page, 'task-000006').waitFor()
  await page.keyboard.press('*')
  await bar(page).getByText('6 seleccionados', { exact: true }).waitFor()
  await bar(page).getByRole('button', { name: 'Descartar' }).click()
  const ask = page.getByRole('dialog', { name: '¿Descartar 6 tareas?' })
  await ask.getByText('2 ya han terminado y se quedan como están.').waitFor()
  await ask.getByRole('button', { name: 'Descartar' }).click()
  const summary = page.getByRole('dialog', { name: 'No se descartaron todas las tareas' })
  await summary.getByText('Cambiados: 4. No cambiados: 2.').waitFor()
  await summary.getByText('task-000005, task-000001', { exact: true }).waitFor()
  await summary.getByRole('heading', { name: 'The task has ended.' }).waitFor()
  await summary.getByRole('button', { name: 'Cerrar' }).click()
  await eventually(async () => assert.equal(await page.locator('tr[data-state=discarded]').count(), 3))
})

test('a run shows its progress and can be stopped', async (t) => {
  let release = () => {}
  const answer = server.answers['DELETE /api/external-tasks/*'] as (call: never) => object
  server.answers['DELETE /api/external-tasks/*'] = async (call) => {
    await new Promise<void>((resolve) => (release = resolve))
    return answer(call as never)
  }
  const page = await open(t, { url: server.url })
  await discardAll(page)
  await bar(page).getByText('0 de 6', { exact: true }).waitFor()
  await eventually(() => assert.equal(discards().length, 1))
  await bar(page).getByRole('button', { name: 'Parar' }).click()
  release()
  const summary = page.getByRole('dialog', { name: 'No se descartaron todas las tareas' })
  await summary.getByText('Sin intentar: 5.').waitFor()
  assert.equal(discards().length, 1)
})

test('if more tasks match than are loaded, only the loaded ones are offered together', async (t) => {
  server.answers['GET /api/external-tasks'] = ({ query }) =>
    query.get('cursor') ? new Promise(() => {}) : { body: { tasks, next_cursor: '1' } }
  const page = await open(t, { url: server.url })
  await page.goto('/running-tasks')
  await rowOf(page, 'task-000006').waitFor()
  await page.getByRole('button', { name: 'Seleccionar', exact: true }).click()
  await bar(page).getByRole('button', { name: 'Todos los cargados (6)' }).click()
  await bar(page).getByText('6 seleccionados', { exact: true }).waitFor()
})

test('refusals are told after the user has left the screen', async (t) => {
  const answered = Promise.withResolvers<void>()
  server.answers['DELETE /api/external-tasks/*'] = async () => {
    await answered.promise
    return { status: 403, body: { detail: 'no', code: 'forbidden', params: {} } }
  }
  const page = await open(t, { url: server.url })
  await discardAll(page)
  await eventually(() => assert.equal(discards().length, 1))
  await page.getByRole('link', { name: 'Users' }).click()
  await page.getByRole('heading', { level: 1, name: 'Usuarios' }).waitFor()
  answered.resolve()
  await page.getByText('Cambiados: 0. No cambiados: 1. Sin intentar: 5.').waitFor()
})

async function discardAll(page: Page): Promise<void> {
  await page.goto('/running-tasks')
  await rowOf(page, 'task-000006').waitFor()
  await page.keyboard.press('*')
  await bar(page).getByRole('button', { name: 'Descartar' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Descartar' }).click()
}
