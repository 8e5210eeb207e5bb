import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useBrowser } from './browser.ts'
import { useExampleServer } from './example-server.ts'

const open = useBrowser()
const server = await useExampleServer()

test('the end of a session is announced once, and not again after a reload of the login', async (t) => {
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
