import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { eventually, useBrowser } from './browser.ts'
import { useExampleServer } from './example-server.ts'

const open = useBrowser()
const server = await useExampleServer()

const LATE = 'se cerrará en cuanto haya conexión'
const DONE = 'ya está cerrada también en el servidor'
const DAY_MS = 86_400_000

const logouts = () => server.asked.filter(({ path }) => path === '/api/logout')
const tokensAsked = () => logouts().map(({ token }) => token)
const kept = (page: Page) => page.evaluate(() => Object.entries(localStorage))

async function openDevices(t: TestContext): Promise<Page> {
  const page = await open(t, { url: server.url })
  await page.goto('/devices')
  await page.getByRole('cell', { name: 'drone-0001', exact: true }).waitFor()
  return page
}

/** Logs out while the server is unreachable. */
async function leaveOffline(t: TestContext): Promise<Page> {
  const page = await openDevices(t)
  await page.context().setOffline(true)
  await page.getByRole('button', { name: 'Logout' }).click()
  await page.getByRole('status').getByText(LATE).waitFor()
  return page
}

async function logInAgain(page: Page): Promise<void> {
  await page.getByPlaceholder('Username').fill('mrojas')
  await page.getByPlaceholder('Password').fill('correct')
  await page.getByRole('button', { name: 'LOG IN' }).click()
  await page.waitForURL('**/devices')
}

test('an offline logout ends the session here at once, and on the server after reconnecting', async (t) => {
  const page = await leaveOffline(t)
  assert.equal(await page.evaluate(() => localStorage.getItem('token')), null)
  assert.deepEqual(tokensAsked(), [])
  await page.context().setOffline(false)
  await page.getByRole('status').getByText(DONE).waitFor()
  assert.deepEqual(tokensAsked(), ['token-1'])
  assert.deepEqual(await kept(page), [])
})

test('a logout that the server could not confirm is retried after a reload, and the token is used for nothing else', async (t) => {
  server.answers['POST /api/logout'] = { status: 503 }
  const page = await openDevices(t)
  await page.getByRole('button', { name: 'Logout' }).click()
  await page.getByText(LATE).waitFor()
  server.asked.length = 0
  await page.goto('/devices')
  await page.waitForURL('**/login')
  await page.getByText(LATE).waitFor()
  await eventually(() => assert.ok(logouts().length > 0))
  assert.deepEqual([...new Set(server.asked.map(({ path }) => path))], ['/api/logout'])
  server.answers['POST /api/logout'] = { status: 204 }
  await page.reload()
  await page.getByText(DONE).waitFor()
  assert.deepEqual(await kept(page), [])
  await logInAgain(page)
  await page.goBack()
  await page.getByRole('button', { name: 'LOG IN' }).waitFor()
  assert.equal(await page.getByText(DONE).count(), 0, 'it is said once')
})

test('the pauses between retries grow, and a 401 confirms that the session ended', async (t) => {
  const page = await openDevices(t)
  await page.clock.install()
  // Until then the time of the page goes on; with a slow machine it would add to the pauses.
  await page.clock.pauseAt(Date.now() + 60_000)
  server.answers['POST /api/logout'] = { status: 500 }
  let answered = 0
  page.on('response', (response) => {
    if (new URL(response.url()).pathname === '/api/logout') answered += 1
  })
  await page.getByRole('button', { name: 'Logout' }).click()
  await page.getByText(LATE).waitFor()
  const pauses: number[] = []
  for (let tries = 1; tries < 4; tries += 1) {
    await eventually(() => assert.equal(answered, tries))
    // Once the page has the answer of a later call, it has set the timer of its next try.
    await page.evaluate(() => fetch('/api/device-list'))
    await page.getByText(LATE).waitFor()
    // Advance one second at a time until the next retry.
    let waited = 0
    while (logouts().length === tries) {
      await page.clock.runFor(1_000)
      await page.evaluate(() => fetch('/api/device-list'))
      waited += 1
    }
    pauses.push(waited)
  }
  assert.deepEqual(pauses, [2, 4, 8])
  server.answers['POST /api/logout'] = { status: 401 }
  await page.clock.runFor(16_000)
  await page.getByText(DONE).waitFor()
  assert.deepEqual(await kept(page), [])
})

test('each of several sessions is ended with its own token, also by another tab and after a new login', async (t) => {
  const refused = { status: 503 }
  server.answers['POST /api/logout'] = refused
  const page = await openDevices(t)
  const usual = server.answers['POST /api/login']
  for (const next of ['token-2', 'token-3']) {
    await page.getByRole('button', { name: 'Logout' }).click()
    await page.getByText(LATE).waitFor()
    server.answers['POST /api/login'] = {
      body: { access_token: next, token_type: 'bearer', role: 'user', id: 4 },
    }
    await logInAgain(page)
  }
  server.answers['POST /api/login'] = usual!
  server.asked.length = 0
  const other = await page.context().newPage()
  server.answers['POST /api/logout'] = { status: 204 }
  await other.goto('/devices')
  await eventually(() => assert.deepEqual(new Set(tokensAsked()), new Set(['token-1', 'token-2'])))
  await eventually(async () => assert.equal((await kept(other)).length, 3))
  await other.getByRole('cell', { name: 'drone-0001', exact: true }).waitFor()
  assert.equal(await page.evaluate(() => localStorage.getItem('token')), 'token-3')
  const others = server.asked.filter(({ path }) => path !== '/api/logout')
  assert.deepEqual([...new Set(others.map(({ token }) => token))], ['token-3'])
})

test('a session that has expired is not retried', async (t) => {
  server.answers['POST /api/logout'] = { status: 503 }
  const page = await openDevices(t)
  await page.getByRole('button', { name: 'Logout' }).click()
  await page.getByText(LATE).waitFor()
  await page.clock.install({ time: Date.now() + 30 * DAY_MS + 60_000 })
  server.asked.length = 0
  await page.reload()
  await page.getByRole('button', { name: 'LOG IN' }).waitFor()
  assert.deepEqual(await kept(page), [])
  assert.equal(await page.getByText(LATE).count(), 0)
  assert.deepEqual(logouts(), [])
})

test('another user who signs in in another tab is the user of this one too', async (t) => {
  const page = await openDevices(t)
  const other = await page.context().newPage()
  await other.goto('/devices')
  const loaded = page.waitForEvent('load')
  await other.evaluate(() => {
    localStorage.setItem('token', 'token-2')
    localStorage.setItem('role', 'user')
    localStorage.setItem('user_id', '2')
  })
  await loaded
  await page.getByRole('cell', { name: 'drone-0001', exact: true }).waitFor()
  assert.equal(server.asked.at(-1)!.token, 'token-2')
})

test('an undo of a call that ends after the logout is not offered to the next user', async (t) => {
  const called = Promise.withResolvers<void>()
  server.answers['POST /api/disable-device/*'] = async () => {
    await called.promise
    return { body: { uid: 'drone-0001', enabled: false } }
  }
  const page = await openDevices(t)
  await page.getByRole('checkbox', { name: 'Enabled drone-0001', exact: true }).click()
  await eventually(() => assert.ok(server.asked.some(({ path }) => path.startsWith('/api/disable-device/'))))
  await page.getByRole('button', { name: 'Logout' }).click()
  await page.getByRole('button', { name: 'LOG IN' }).waitFor()
  called.resolve()
  // Once the page has the answer of a later call, it has that of this one.
  await page.evaluate(() => fetch('/api/device-list'))
  await logInAgain(page)
  await page.getByRole('cell', { name: 'drone-0001', exact: true }).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Deshacer' }).count(), 0)
})
