import assert from 'node:assert/strict'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test, type TestContext } from 'node:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { eventually, openBrowser, profileOf } from './browser.ts'
import { exampleDashboard } from './example-dashboard.ts'
import { openExampleServer, type ExampleServer } from './example-server.ts'

const DIST = join(import.meta.dirname, '../dist')
let browser: Browser
let server: ExampleServer
let dist: string

before(async () => {
  browser = await openBrowser()
  dist = await mkdtemp(join(tmpdir(), 'console-'))
  await cp(DIST, dist, { recursive: true })
  server = await openExampleServer({ dist })
})
after(async () => {
  await browser.close()
  await server.stop()
  await rm(dist, { recursive: true })
})

async function visit(t: TestContext, path: string): Promise<{ context: BrowserContext; page: Page }> {
  const context = await browser.newContext({ ...profileOf({ url: server.url }), serviceWorkers: 'allow' })
  const faults: string[] = []
  context.on('weberror', (fault) => faults.push(fault.error().message))
  context.on('console', (message) => {
    if (/content security policy|trusted ?type/i.test(message.text())) faults.push(message.text())
  })
  t.after(async () => {
    await context.close()
    assert.deepEqual(faults, [])
  })
  const page = await context.newPage()
  await page.goto(path)
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined))
  return { context, page }
}

/** The paths of the files that the worker keeps. */
const kept = (page: Page) =>
  page.evaluate(async () => {
    const requests = await (await caches.open('console')).keys()
    return requests.map(({ url }) => new URL(url).pathname)
  })

/** Resolves once the worker keeps the screen of devices. */
function untilKept(page: Page): Promise<void> {
  return eventually(async () =>
    assert.ok((await kept(page)).some((path) => path.startsWith('/assets/devices-page-'))),
  )
}

const row = (page: Page) => page.getByRole('cell', { name: 'drone-0001', exact: true })

/** Presses a notification about failed messages. */
async function press(context: BrowserContext): Promise<void> {
  await eventually(() => assert.equal(context.serviceWorkers().length, 1))
  const [worker] = context.serviceWorkers()
  await worker!.evaluate(() => {
    const press = new Event('notificationclick')
    const notification = { close() {}, data: { url: '/logs?state=failed' } }
    self.dispatchEvent(Object.assign(press, { notification, waitUntil() {} }))
  })
}

/** So many messages have failed. */
function fail(count: number): void {
  const failures = [{ code: 'no_network', count, last_at: '2026-11-20T20:00:00.000Z' }]
  server.answers['GET /api/dashboard'] = { body: { ...exampleDashboard(), failures } }
}

/** Counts the notifications on their way, as a browser without a screen refuses to show them. */
function countNotifications(): void {
  const titles: string[] = []
  Object.assign(window, { titles })
  ServiceWorkerRegistration.prototype.showNotification = (title) => {
    titles.push(title)
    return Promise.resolve()
  }
}

const shownIn = (page: Page) => page.evaluate(() => (window as unknown as { titles: string[] }).titles)

/**
 * Starts the console, which tells of failed messages, in a hidden window, and lets it load the prepared figures.
 * `untilTold` tells it that the log changed, until the check passes.
 */
async function startHidden(t: TestContext, prepare: () => void) {
  const { context, page } = await visit(t, '/devices')
  await row(page).waitFor()
  await context.grantPermissions(['notifications'])
  await page.evaluate(() => localStorage.setItem('message-alerts', 'on'))
  await page.addInitScript(countNotifications)
  await page.addInitScript(() => Object.defineProperty(document, 'visibilityState', { value: 'hidden' }))
  await page.clock.install()
  prepare()
  const loaded = page.waitForResponse('**/api/dashboard')
  await page.reload()
  await (await loaded).finished()
  const untilTold = (check: () => Promise<void> | void) =>
    eventually(async () => {
      server.publish('/front/change', { changed: ['logs'] })
      // It looks at the figures only each half minute.
      await page.clock.fastForward(30_000)
      await check()
    })
  return { page, untilTold }
}

test('without a network the console opens with the files that it used last, and says that it is offline', async (t) => {
  const { context, page } = await visit(t, '/devices')
  await row(page).waitFor()
  await untilKept(page)
  // Then it has the part that notices a missing server, too.
  await page.getByText('En vivo').waitFor()
  await context.setOffline(true)
  await page.reload()
  await page.getByRole('heading', { name: 'LINKED DEVICES' }).waitFor()
  await page.getByText('Sin conexión').waitFor()
  await page.getByRole('alert').getByText('Sin respuesta del servidor desde las').waitFor()
  await context.setOffline(false)
  await page.getByText('En vivo').waitFor()
  await row(page).waitFor()
  assert.equal(await page.getByRole('alert').getByText('Sin respuesta del servidor').count(), 0)
})

test('the worker keeps files of the console and never an answer of the API', async (t) => {
  const { page } = await visit(t, '/devices')
  await row(page).waitFor()
  await page.getByRole('link', { name: 'Users', exact: true }).click()
  await page.getByRole('cell', { name: 'Ana Ruiz', exact: true }).waitFor()
  await eventually(async () => {
    const files = await kept(page)
    assert.ok(files.some((path) => path.startsWith('/assets/users-page-')))
    assert.deepEqual(
      files.filter((path) => path.startsWith('/api') || path === '/mqtt'),
      [],
    )
  })
})

test('a new version is shown at the next page, and the files of the last one are gone', async (t) => {
  const { page } = await visit(t, '/devices')
  await row(page).waitFor()
  const index = join(dist, 'index.html')
  const last = await readFile(index, 'utf8')
  t.after(() => writeFile(index, last))
  await untilKept(page)
  await page.evaluate(async () => {
    await (await caches.open('console')).put('/assets/of-the-last-version.js', new Response(''))
  })
  await writeFile(index, last.replace('<head>', '<head><meta name="version" content="next">'))
  await page.reload()
  await page.locator('meta[name=version][content=next]').waitFor({ state: 'attached' })
  await row(page).waitFor()
  assert.equal((await kept(page)).includes('/assets/of-the-last-version.js'), false)
})

test('a proxy whose server is gone does not replace the console', async (t) => {
  const { page } = await visit(t, '/devices')
  await row(page).waitFor()
  await untilKept(page)
  // Then it has the part that notices a missing server, too.
  await page.getByText('En vivo').waitFor()
  server.down = true
  server.cut(true)
  t.after(() => {
    server.down = false
    server.cut()
  })
  await page.goto('/devices?show=connected')
  await page.getByRole('heading', { name: 'LINKED DEVICES' }).waitFor()
  await page.getByRole('alert').getByText('Sin respuesta del servidor desde las').waitFor()
})

const storageFaults = {
  'has no room': () => {
    Cache.prototype.put = () => Promise.reject(new DOMException('', 'QuotaExceededError'))
  },
  'cannot be opened': () => {
    CacheStorage.prototype.open = () => Promise.reject(new DOMException('', 'UnknownError'))
  },
}
for (const [fault, begin] of Object.entries(storageFaults)) {
  test(`in a browser whose storage ${fault} the console opens with the files of the server`, async (t) => {
    const { context, page } = await visit(t, '/devices')
    await row(page).waitFor()
    await eventually(() => assert.equal(context.serviceWorkers().length, 1))
    await context.serviceWorkers()[0]!.evaluate(begin)
    await page.evaluate(() => caches.delete('console'))
    await page.reload()
    await row(page).waitFor()
    await page.getByRole('link', { name: 'Users', exact: true }).click()
    await page.getByRole('cell', { name: 'Ana Ruiz', exact: true }).waitFor()
    assert.deepEqual(await kept(page), [])
  })
}

test('the manifest names icons of the sizes that it tells', async (t) => {
  const { page } = await visit(t, '/login')
  const manifest = JSON.parse(await readFile(join(dist, 'console.webmanifest'), 'utf8')) as {
    icons: { src: string; sizes: string }[]
  }
  for (const { src, sizes } of manifest.icons.filter(({ src }) => src.endsWith('.png'))) {
    const size = await page.evaluate(async (src) => {
      const image = new Image()
      image.src = src
      await image.decode()
      return `${image.naturalWidth}x${image.naturalHeight}`
    }, src)
    assert.equal(size, sizes, src)
  }
})

test('notifications are asked for by a press, and shown if a device disconnects, a message fails, or an SMS is received, while the window is hidden', async (t) => {
  const { context, page } = await visit(t, '/devices')
  await row(page).waitFor()
  await page.getByText('En vivo').waitFor()
  await context.grantPermissions(['notifications'])
  for (const [option, said] of [
    ['Avisarme si se desconecta un dispositivo', 'Recibirá un aviso si se desconecta un dispositivo'],
    ['Avisarme si falla un mensaje', 'Recibirá un aviso si fallan mensajes'],
  ] as const) {
    await page.keyboard.press('ControlOrMeta+k')
    await page.getByRole('combobox', { name: 'Ir a cualquier parte' }).fill('avisos')
    await page.getByRole('option', { name: option }).click()
    await page.getByText(said).waitFor()
  }
  await page.evaluate(countNotifications)
  const shown = () => shownIn(page)
  fail(3)
  const baseline = page.waitForResponse('**/api/dashboard')
  await page.evaluate(() => {
    Object.defineProperty(document, 'visibilityState', { value: 'hidden' })
    document.dispatchEvent(new Event('visibilitychange'))
  })
  await (await baseline).finished()
  server.publish('devices/status', { device_uid: 'drone-0001', status: 'disconnected' })
  await eventually(async () => assert.deepEqual(await shown(), ['Dispositivo desconectado: drone-0001']))
  for (const device_uid of ['drone-0002', 'drone-0003'])
    server.publish('devices/status', { device_uid, status: 'disconnected' })
  await eventually(async () => assert.equal((await shown()).at(-1), '2 dispositivos desconectados'))
  fail(5)
  await eventually(async () => {
    server.publish('/front/change', { changed: ['logs'] })
    assert.equal((await shown()).at(-1), 'Han fallado 2 mensajes')
  })

  await page.keyboard.press('ControlOrMeta+k')
  await page.getByRole('combobox', { name: 'Ir a cualquier parte' }).fill('avisos')
  await page.getByRole('option', { name: 'Avisarme si llega un SMS' }).click()
  await page.getByText('Recibirá un aviso si llega un SMS').waitFor()
  const reply = await page.evaluate(
    async () => (await fetch('/api/conversations')).json() as Promise<unknown>,
  )
  const { conversations } = reply as { conversations: { name: string; last_at: string; unread: number }[] }
  const answer = { ...conversations[0]!, name: 'Nuria Blanco', last_at: new Date().toISOString(), unread: 1 }
  server.answers['GET /api/conversations'] = {
    body: { conversations: [{ ...answer, last_direction: 'in' }, ...conversations], next_cursor: null },
  }
  server.publish('/front/change', { changed: ['conversations'] })
  await eventually(async () => assert.equal((await shown()).at(-1), 'SMS de Nuria Blanco'))
})

test('failed messages are told if the console starts while the window is hidden', async (t) => {
  const { page, untilTold } = await startHidden(t, () => fail(3))
  fail(5)
  await untilTold(async () => assert.deepEqual(await shownIn(page), ['Han fallado 2 mensajes']))
})

test('failed messages are told even if the figures could not be loaded when the window was hidden', async (t) => {
  const { page, untilTold } = await startHidden(t, () => {
    server.answers['GET /api/dashboard'] = { status: 503, body: { detail: 'No.' } }
  })
  const loads = () => server.asked.filter(({ path }) => path === '/api/dashboard').length
  const before = loads()
  fail(3)
  await untilTold(() => assert.ok(loads() > before))
  fail(5)
  await untilTold(async () => assert.deepEqual(await shownIn(page), ['Han fallado 2 mensajes']))
})

test('a pressed notification shows its address in the open page, which is not loaded again', async (t) => {
  const { context, page } = await visit(t, '/devices')
  await row(page).waitFor()
  await page.evaluate(() => Object.assign(window, { same: true }))
  await press(context)
  await page.waitForURL('**/logs?state=failed')
  await page.getByRole('heading', { level: 1 }).waitFor()
  assert.equal(await page.evaluate(() => 'same' in window), true)
})

test('a pressed notification shows its address in the console, not in a page of the API', async (t) => {
  const { context, page } = await visit(t, '/devices')
  await row(page).waitFor()
  const docs = await context.newPage()
  await docs.route('**/docs', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<h1>The API</h1>' }),
  )
  await docs.goto('/docs')
  await docs.getByRole('heading', { name: 'The API' }).waitFor()
  await press(context)
  await page.waitForURL('**/logs?state=failed')
  assert.equal(new URL(docs.url()).pathname, '/docs')
})

test('a file that was loading when the worker started is kept, too', async (t) => {
  const context = await browser.newContext({ ...profileOf({ url: server.url }), serviceWorkers: 'allow' })
  t.after(() => context.close())
  const page = await context.newPage()
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await page.route('**/assets/devices-page-*.js', async (route) => {
    await released
    await route.continue()
  })
  await page.goto('/devices')
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
  await eventually(async () => assert.ok((await kept(page)).some((path) => path.includes('/assets/index-'))))
  release()
  await row(page).waitFor()
  await eventually(async () =>
    assert.ok((await kept(page)).some((path) => path.includes('/assets/devices-page-'))),
  )
})
