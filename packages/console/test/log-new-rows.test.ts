import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { eventually, useBrowser } from './browser.ts'
import { useExampleServer } from './example-server.ts'
import { exampleLog, exampleLogs } from './examples.ts'

const open = useBrowser()
const server = await useExampleServer()
beforeEach(() => {
  server.logs = exampleLogs(450, 48)
})

function rowOf(page: Page, id: number): Locator {
  return page
    .getByRole('row')
    .filter({ has: page.getByRole('button', { name: `Abrir mensaje ${id}`, exact: true }) })
}

test('new rows wait behind a button, and states change in place', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/logs')
  await rowOf(page, 450).getByText('En cola', { exact: true }).waitFor()
  await eventually(() => assert.equal(server.listeners(), 1))
  const top = server.logs.map((entry) => (entry.id === 450 ? exampleLog(450, 'sent', 48) : entry))
  server.logs = [exampleLog(452, 'queued', 48), exampleLog(451, 'queued', 48), ...top]
  server.publish('/front/change', { changed: ['logs'] })
  await rowOf(page, 450).getByText('Enviado', { exact: true }).waitFor()
  const button = page.getByRole('button', { name: '2 nuevas' })
  await button.waitFor()
  const said = page.getByRole('status').filter({ hasText: 'Hay mensajes nuevos.' })
  assert.equal(await said.count(), 1)
  assert.equal(await rowOf(page, 452).count(), 0)
  await button.click()
  await rowOf(page, 452).waitFor()
  assert.deepEqual([await button.count(), await said.count()], [0, 0])
  assert.match(await page.getByRole('row').nth(1).innerText(), /452/)
})

test('more new rows than a page holds are shown by reloading the list', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/logs')
  await rowOf(page, 450).waitFor()
  await eventually(() => assert.equal(server.listeners(), 1))
  server.logs = exampleLogs(900, 48)
  server.publish('/front/change', { changed: ['logs'] })
  await page.getByRole('button', { name: '200+ nuevas' }).click()
  await rowOf(page, 900).waitFor()
})

test('the first message of an empty log appears by itself', async (t) => {
  server.logs = []
  const page = await open(t, { url: server.url })
  await page.goto('/logs')
  await page.getByText('Todavía no hay mensajes.').waitFor()
  await eventually(() => assert.equal(server.listeners(), 1))
  server.logs = [exampleLog(1, 'queued', 48)]
  server.publish('/front/change', { changed: ['logs'] })
  await rowOf(page, 1).waitFor()
})

test('a message that begins to match the filter waits behind the button, and comes into its place', async (t) => {
  const states = { 5: 'failed', 4: 'queued', 3: 'failed', 2: 'delivered', 1: 'failed' } as const
  const all = Object.entries(states).map(([id, state]) => exampleLog(Number(id), state, 48))
  server.logs = all.toSorted((a, b) => b.id - a.id)
  const page = await open(t, { url: server.url })
  await page.goto('/logs?state=failed')
  await rowOf(page, 5).waitFor()
  await page.getByText('En vivo').waitFor()
  server.logs = server.logs.with(1, exampleLog(4, 'failed', 48))
  server.publish('/front/change', { changed: ['logs'] })
  await page.getByRole('button', { name: '1 nueva' }).click()
  await rowOf(page, 4).waitFor()
  const ids = page.getByRole('button', { name: /^Abrir mensaje \d+$/ })
  await eventually(async () =>
    assert.deepEqual(
      await ids.evaluateAll((all) => all.map((one) => one.getAttribute('aria-label'))),
      [5, 4, 3, 1].map((id) => `Abrir mensaje ${id}`),
    ),
  )
})
