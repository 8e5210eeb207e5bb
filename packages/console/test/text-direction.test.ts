import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator } from 'playwright-core'
import { useBrowser } from './browser.ts'
import { useExampleServer } from './example-server.ts'
import { exampleTask } from './example-staff.ts'
import { exampleLog } from './examples.ts'
import type { Answer } from './stand-in.ts'

const open = useBrowser()
const server = await useExampleServer()

const ARABIC = 'مرحبا، الموعد الساعة 5.'

test('a text in Arabic goes from right to left in a thread, the log, the tasks and the fields', async (t) => {
  const thread = server.answers['GET /api/conversations/*'] as (asked: unknown) => {
    body: { messages: object[] }
  }
  server.answers['GET /api/conversations/*'] = (asked) => {
    const { body } = thread(asked)
    return { body: { ...body, messages: [{ ...body.messages[1], text: ARABIC }] } } satisfies Answer
  }
  const row = { ...exampleLog(1, 'replied', 5, 'order-1'), message: ARABIC, answer_3: ARABIC }
  server.answers['GET /api/logs/devices'] = { body: { logs: [row], next_cursor: null } }
  server.answers['GET /api/logs/queue/guid/*'] = { body: row }
  server.answers['GET /api/external-tasks'] = {
    body: { tasks: [{ ...exampleTask(1, 'received'), text: ARABIC }] },
  }
  const page = await open(t, { url: server.url })

  await page.goto('/conversations?filter=all&open=%2B34600111242&company=1')
  const region = page.getByRole('region', { name: 'Lucía Ferrer Gil' })
  await assertRightToLeft(region.getByRole('listitem').getByText(ARABIC))
  await region.getByRole('textbox', { name: 'Mensaje' }).fill(ARABIC)
  await assertRightToLeft(region.getByRole('textbox', { name: 'Mensaje' }))

  await page.goto('/logs?open=order-1')
  await assertRightToLeft(page.getByRole('cell', { name: ARABIC, exact: true }).first())
  await assertRightToLeft(page.getByRole('complementary').getByText(ARABIC, { exact: true }).first())

  await page.goto('/running-tasks')
  await assertRightToLeft(page.getByRole('cell', { name: ARABIC, exact: true }))

  await page.goto('/sms')
  await page.getByRole('textbox', { name: 'Mensaje' }).fill(ARABIC)
  await assertRightToLeft(page.getByRole('textbox', { name: 'Mensaje' }))
})

async function assertRightToLeft(text: Locator): Promise<void> {
  assert.equal(await text.evaluate((element) => getComputedStyle(element).direction), 'rtl')
}
