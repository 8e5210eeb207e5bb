import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import type { Task } from '@sdd/contract/tasks/tasks.ts'
import { eventually, useBrowser } from './browser.ts'
import { openExampleServer, type ExampleServer } from './example-server.ts'
import { exampleTask } from './example-staff.ts'
import type { StandIn } from './stand-in.ts'

const open = useBrowser()
let server: ExampleServer
let answers: StandIn['answers']
/** The server's only task. */
let task: Task

before(async () => {
  server = await openExampleServer()
  answers = server.answers
})
beforeEach(() => {
  server.answers = {
    ...answers,
    'GET /api/external-tasks': () => ({ body: { tasks: [task] } }),
    'GET /api/external-tasks/*': () => ({ body: task }),
    'GET /api/logs/queue/guid/*': () => ({ body: { guid: task.guid, state: task.state } }),
  }
  server.asked.length = 0
})
after(() => server.stop())

function discards(): string[] {
  return server.asked.filter(({ method }) => method === 'DELETE').map(({ path }) => path)
}

test('a task that no device has is discarded after a confirmation', async (t) => {
  task = exampleTask(1, 'received')
  server.answers['DELETE /api/external-tasks/*'] = () => {
    task = { ...exampleTask(1, 'discarded'), error_msg: 'It was discarded by ana.' }
    return { body: task }
  }
  const page = await open(t, { url: server.url, role: 'user' })
  await page.goto('/running-tasks?open=task-000001')
  const details = page.getByRole('dialog', { name: 'Detalles de la tarea' })
  await details.getByRole('button', { name: 'Descartar' }).click()
  await details.getByText('¿Descartar esta tarea? No se puede deshacer.').waitFor()
  await details.getByRole('button', { name: 'Cancelar' }).click()
  assert.deepEqual(discards(), [])
  await details.getByRole('button', { name: 'Descartar' }).click()
  await details.getByRole('button', { name: 'Sí, descartar' }).click()
  await details.getByRole('status').getByText('Descartada: no se envía.').waitFor()
  await details.getByText('Descartada', { exact: true }).waitFor()
  await details.getByText('It was discarded by ana.').waitFor()
  assert.equal(await details.getByRole('button', { name: /escartar/ }).count(), 0)
  assert.deepEqual(discards(), ['/api/external-tasks/task-000001'])
})

for (const [state, said] of [
  ['discarded', 'Descartada: no se envía.'],
  ['completed', 'El dispositivo ya no podía dejarla.'],
] as const) {
  test(`a device that has the task is asked to drop it, and the task shows when it is ${state}`, async (t) => {
    task = exampleTask(2, 'started')
    server.answers['DELETE /api/external-tasks/*'] = () => ({ status: 202, body: task })
    const page = await open(t, { url: server.url })
    await page.goto('/running-tasks?open=task-000002')
    const details = page.getByRole('dialog', { name: 'Detalles de la tarea' })
    await details.getByRole('button', { name: 'Descartar' }).click()
    await details.getByText('Ya la tiene un dispositivo').waitFor()
    await details.getByRole('button', { name: 'Sí, descartar' }).click()
    await details.getByText('Se ha pedido al dispositivo que la deje.').waitFor()
    await eventually(() => assert.equal(server.listeners(), 1))
    task = exampleTask(2, state)
    server.publish('/front/change', { changed: ['tasks', 'logs'] })
    await details.getByText(said).waitFor()
    assert.equal(await details.getByText('Se ha pedido al dispositivo').count(), 0)
  })
}

test('a task that can no longer be discarded says why', async (t) => {
  task = exampleTask(3, 'started')
  const detail = 'drone-0004 has accepted task-000003: it may be on air.'
  server.answers['DELETE /api/external-tasks/*'] = {
    status: 409,
    body: { detail, code: 'task_not_discardable' },
  }
  const page = await open(t, { url: server.url })
  await page.goto('/running-tasks?open=task-000003')
  await page.getByRole('button', { name: 'Descartar' }).click()
  await page.getByRole('button', { name: 'Sí, descartar' }).click()
  await page.getByRole('alert').getByText(detail).waitFor()
})

test('an ended task has no discard button, and shows how it ended', async (t) => {
  task = { ...exampleTask(5, 'failed'), attempts: 3 }
  const page = await open(t, { url: server.url })
  await page.goto('/running-tasks?open=task-000005')
  const details = page.getByRole('dialog', { name: 'Detalles de la tarea' })
  await details.getByText('Red fuera de servicio').waitFor()
  await details.getByText('3 intentos').waitFor()
  assert.equal(await details.getByRole('button', { name: 'Descartar' }).count(), 0)
})

test('details of a task outside the list are loaded on their own', async (t) => {
  task = exampleTask(6, 'received')
  server.answers['GET /api/external-tasks'] = { body: { tasks: [] } }
  const page = await open(t, { url: server.url })
  await page.goto('/running-tasks?status=completed&open=task-000006')
  const details = page.getByRole('dialog', { name: 'Detalles de la tarea' })
  await details.getByText('Recibida').waitFor()
  await details.getByRole('button', { name: 'Descartar' }).waitFor()
})
