import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useBrowser } from './browser.ts'
import { useExampleServer } from './example-server.ts'
import { exampleTask } from './example-staff.ts'
import { exampleLog } from './examples.ts'

/** A superadmin sees two companies, each with the same guid. */

const open = useBrowser()
const server = await useExampleServer()

const first = { ...exampleTask(2, 'received'), guid: 'order-1', company_id: 1, text: 'of the first' }
const second = { ...exampleTask(1, 'received'), guid: 'order-1', company_id: 2, text: 'of the second' }

/** The calls about the guid, with the company that they name. */
function asked(): string[] {
  return server.asked
    .filter(({ path }) => path.endsWith('/order-1'))
    .map(({ method, path, query }) => `${method} ${path.split('/').at(2)} ${query.get('company')}`)
}

test('a task is read and discarded in the company of its row', async (t) => {
  server.answers['GET /api/external-tasks'] = { body: { tasks: [first, second] } }
  server.answers['GET /api/logs/queue/guid/*'] = ({ query }) => ({
    body: { guid: 'order-1', text: query.get('company') === '2' ? second.text : first.text },
  })
  server.answers['DELETE /api/external-tasks/*'] = { body: { ...second, state: 'discarded' } }
  const page = await open(t, { url: server.url })
  await page.goto('/running-tasks')
  await page.getByRole('button', { name: 'Ver order-1' }).nth(1).click()
  const details = page.getByRole('dialog', { name: 'Detalles de la tarea' })
  await details.getByText('of the second').waitFor()
  assert.equal(new URL(page.url()).search, '?open=order-1&company=2')
  await details.getByRole('button', { name: 'Descartar' }).click()
  await details.getByRole('button', { name: 'Sí, descartar' }).click()
  await details.getByRole('status').getByText('Descartada: no se envía.').waitFor()
  assert.ok(asked().includes('DELETE external-tasks 2'), asked().join(', '))
  assert.deepEqual(
    asked().filter((each) => !each.endsWith(' 2')),
    [],
  )
  await page.keyboard.press('Escape')
  await page.waitForURL((url) => url.search === '')
})

test('a task outside the list is read in the company that its address names', async (t) => {
  server.answers['GET /api/external-tasks'] = { body: { tasks: [] } }
  server.answers['GET /api/external-tasks/*'] = { body: second }
  server.answers['GET /api/logs/queue/guid/*'] = { body: { guid: 'order-1', queued_by: 'shop' } }
  const page = await open(t, { url: server.url })
  await page.goto('/running-tasks?open=order-1&company=2')
  await page.getByRole('button', { name: 'Descartar' }).waitFor()
  await page.getByText('Enviado por shop').waitFor()
  assert.deepEqual(new Set(asked()), new Set(['GET logs 2', 'GET external-tasks 2']))
})

test('a message of the log is read in the company of its row, and only that row is open', async (t) => {
  const rows = [
    { ...exampleLog(2, 'sent', 5, 'order-1'), company_id: 1, message: 'of the first' },
    { ...exampleLog(1, 'sent', 5, 'order-1'), company_id: 2, message: 'of the second' },
  ]
  server.answers['GET /api/logs/devices'] = { body: { logs: rows, next_cursor: null } }
  server.answers['GET /api/logs/queue/guid/*'] = ({ query }) => ({
    body: { ...rows[Number(query.get('company')) - 1], queued_by: `user of ${query.get('company')}` },
  })
  const page = await open(t, { url: server.url })
  await page.goto('/logs')
  await page.getByRole('row').filter({ hasText: 'of the second' }).getByRole('cell').nth(4).click()
  const pane = page.getByRole('complementary', { name: 'Detalle del mensaje' })
  await pane.getByText('Enviado por user of 2').waitFor()
  assert.equal(new URL(page.url()).search, '?open=order-1&company=2')
  assert.equal(await page.locator('tr[aria-current="true"]').count(), 1)
  // The first live connection loads it once more.
  assert.deepEqual(new Set(asked()), new Set(['GET logs 2']))
})
