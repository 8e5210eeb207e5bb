import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { useBrowser } from './browser.ts'
import { openExampleServer, type ExampleServer } from './example-server.ts'
import type { StandIn } from './stand-in.ts'

const open = useBrowser()
let server: ExampleServer
let answers: StandIn['answers']

before(async () => {
  server = await openExampleServer()
  answers = server.answers
})
beforeEach(() => {
  server.answers = { ...answers }
  server.asked.length = 0
})
after(() => server.stop())

test('the end of a session is said once: a reload of the login shows no old news', async (t) => {
  server.answers['GET /api/device-list'] = { status: 401 }
  const page = await open(t, { url: server.url })
  await page.goto('/devices')
  const said = page.getByText('Sesión expirada')
  await said.waitFor()
  assert.equal(new URL(page.url()).pathname, '/login')
  await page.reload()
  await page.getByRole('button', { name: 'LOG IN' }).waitFor()
  assert.equal(await said.count(), 0)
})
