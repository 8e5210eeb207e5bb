import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { changeLanguage, eventually, fontsLoaded, sizes, useBrowser } from './browser.ts'
import { exampleLog } from './examples.ts'
import { useExampleServer } from './example-server.ts'
import type { Answer } from './stand-in.ts'

const open = useBrowser()
const server = await useExampleServer()

const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent)

test('after a login, a link, a jump and the palette, the focus is on the heading', async (t) => {
  const page = await open(t, { url: server.url, role: 'none' })
  await page.goto('/login')
  await page.getByPlaceholder('Username').fill('superadmin')
  await page.getByPlaceholder('Password').fill('correct')
  await page.getByRole('button', { name: 'LOG IN' }).click()
  await eventually(async () => assert.equal(await focused(page), 'LINKED DEVICES'))
  await page.getByRole('link', { name: 'Logs', exact: true }).click()
  await eventually(async () => assert.equal(await focused(page), 'Transaction Logs'))
  await eventually(async () => {
    await page.keyboard.press('g')
    await page.keyboard.press('u')
    assert.equal(new URL(page.url()).pathname, '/users')
  })
  await eventually(async () => assert.equal(await focused(page), 'Usuarios'))
  await page.keyboard.press('ControlOrMeta+k')
  await page.getByRole('combobox', { name: 'Ir a cualquier parte' }).fill('tareas')
  await page.getByRole('option', { name: 'Running Tasks' }).waitFor()
  await page.keyboard.press('Enter')
  await eventually(async () => assert.equal(await focused(page), 'RUNNING TASKS'))
})

test('a page that is opened leaves the focus at its start, and the first stop skips to the content', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/users')
  await page.getByRole('cell', { name: 'Ana Ruiz', exact: true }).waitFor()
  await page.keyboard.press('Tab')
  assert.equal(await focused(page), 'Saltar al contenido')
  await page.keyboard.press('Enter')
  assert.equal(await page.evaluate(() => document.activeElement?.tagName), 'MAIN')
})

test('g and a letter lead to each screen, but not while typing, and the letter does nothing else', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/account')
  await page.getByRole('heading', { level: 1 }).waitFor()
  for (const [letter, path] of Object.entries({
    h: '/dashboard',
    d: '/devices',
    e: '/sms',
    l: '/logs',
    t: '/running-tasks',
    s: '/settings',
    y: '/account',
    u: '/users',
  })) {
    // Again if the two presses came too far apart.
    await eventually(async () => {
      await page.keyboard.press('g')
      await page.keyboard.press(letter)
      assert.equal(new URL(page.url()).pathname, path)
    })
  }
  await page.getByRole('searchbox').fill('')
  await page.keyboard.type('gd')
  await page.waitForURL('**/users?search=gd')
})

test('in a chosen language the title names the screen and the number of new messages', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/logs')
  await page.getByRole('button', { name: 'Abrir mensaje 450', exact: true }).waitFor()
  assert.equal(await page.title(), 'SMS DRONE DASH')
  await changeLanguage(page, 'es')
  await page.getByRole('heading', { level: 1, name: 'Registro' }).waitFor()
  await eventually(async () => assert.equal(await page.title(), 'Registro · SMS DRONE DASH'))
  await page.getByText('En vivo').waitFor()
  server.logs.unshift(exampleLog(452, 'sent', 48), exampleLog(451, 'sent', 48))
  t.after(() => server.logs.splice(0, 2))
  server.publish('/front/change', { changed: ['logs'] })
  await eventually(async () => assert.equal(await page.title(), '(2) Registro · SMS DRONE DASH'))
})

test('the number of rows is told after each search', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/users')
  const told = page.getByRole('main').getByRole('status')
  await told.filter({ hasText: '24 filas' }).waitFor({ state: 'attached' })
  await page.getByRole('searchbox').fill('Ana Ruiz 2')
  await told.filter({ hasText: '1 fila' }).waitFor({ state: 'attached' })
})

test('the number of rows of a search on the server is told once they are loaded', async (t) => {
  const usual = server.answers['GET /api/callbacks'] as (asked: unknown) => Answer
  const found = Promise.withResolvers<void>()
  server.answers['GET /api/callbacks'] = async (asked) => {
    if (asked.query.has('guid')) await found.promise
    return usual(asked)
  }
  const page = await open(t, { url: server.url })
  await page.goto('/settings?tab=callbacks')
  const told = page.getByRole('main').getByRole('status')
  await told.filter({ hasText: '120 filas' }).waitFor({ state: 'attached' })
  await page.getByPlaceholder('GUID de la tarea').fill('task-000115')
  await eventually(() => assert.ok(server.asked.some(({ query }) => query.has('guid'))))
  found.resolve()
  await told.filter({ hasText: '1 fila' }).waitFor({ state: 'attached' })
})

test('Escape closes the details of a device', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/devices?open=drone-0002')
  await page.getByText('ops-norte-5g').waitFor()
  await page.keyboard.press('Escape')
  await page.getByText('ops-norte-5g').waitFor({ state: 'detached' })
  assert.equal(new URL(page.url()).search, '')
})

test('the menu has the name and role of the user, and is narrow with all its labels on a window up to 1119 px', async (t) => {
  const user = { id: 1, name: 'Ursula Marín', email: 'u@example.com', role: 'superadmin', enabled: true }
  server.answers['GET /api/user/*'] = { body: user }
  const page = await open(t, { url: server.url })
  await page.goto('/sms')
  const menu = page.getByRole('navigation', { name: 'Principal' })
  await menu.getByText('Ursula Marín').waitFor()
  await menu.getByText('superadmin', { exact: true }).waitFor()
  await fontsLoaded(page)
  const width = () => menu.evaluate((nav) => nav.getBoundingClientRect().width)
  assert.equal(await width(), 208)
  for (const narrow of [768, 1024, 1119]) {
    await page.setViewportSize({ width: narrow, height: 800 })
    await eventually(async () => assert.equal(await width(), 92))
    for (const link of await menu.getByRole('link').all()) {
      const cut = await link.evaluate((a) => a.scrollWidth > a.clientWidth || a.clientHeight < 44)
      assert.equal(cut, false, `${narrow} ${await link.innerText()}`)
    }
  }
  await page.setViewportSize({ width: 1120, height: 800 })
  await eventually(async () => assert.equal(await width(), 208))
})

test('the tabs of Settings keep their place when another is chosen', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/settings')
  const places = () =>
    page.getByRole('tab').evaluateAll((tabs) => tabs.map((tab) => tab.getBoundingClientRect().left))
  await page.getByRole('tab', { name: 'Global settings', selected: true }).waitFor()
  await fontsLoaded(page)
  const before = await places()
  for (const name of ['Device settings', 'Bajas']) {
    await page.getByRole('tab', { name }).click()
    await page.getByRole('tab', { name, selected: true }).waitFor()
    assert.deepEqual(await places(), before)
  }
})

test('on a phone each field of a search can be pressed on 44 px', async (t) => {
  const page = await open(t, { url: server.url })
  await page.setViewportSize(sizes.phone)
  for (const path of ['/devices', '/users', '/logs', '/settings?tab=opt-outs']) {
    await page.goto(path)
    const box = await page.getByRole('searchbox').first().boundingBox()
    assert.ok((box?.height ?? 0) >= 44, `${path} ${box?.height}`)
  }
})

test('on a phone the links and switches among texts can be pressed on 44 px, too', async (t) => {
  const page = await open(t, { url: server.url, size: 'phone' })
  const targets: Record<string, (page: Page) => Locator> = {
    '/dashboard': () => page.getByRole('link', { name: 'Registros', exact: true }),
    '/devices/drone-0002': () =>
      page.getByRole('region', { name: 'Lo que tiene ahora' }).getByRole('link').first(),
    [`/logs?open=${server.logs[0]!.guid}`]: () =>
      page
        .getByRole('dialog')
        .getByRole('link', { name: /^drone-/ })
        .first(),
    '/settings': () => page.getByText('Yes', { exact: true }),
  }
  for (const [path, find] of Object.entries(targets)) {
    await page.goto(path)
    const target = find(page)
    await target.waitFor()
    assert.ok((await pressableHeight(target)) >= 44, path)
  }
})

test('on a phone the handle that moves a rule of the routes can be pressed on 44 px', async (t) => {
  const page = await open(t, { url: server.url, size: 'phone' })
  await page.goto('/routes')
  const box = await page.getByRole('button', { name: 'Mover la regla 1' }).boundingBox()
  assert.ok(box && box.width >= 44 && box.height >= 44, JSON.stringify(box))
})

/** The height in which a press in the middle reaches the element, or the label that it is in. */
function pressableHeight(target: Locator): Promise<number> {
  return target.evaluate((element) => {
    element.scrollIntoView({ block: 'center' })
    const whole = element.closest('label') ?? element
    const { left, right, top, bottom } = element.getBoundingClientRect()
    const steps = Array.from({ length: 81 }, (_, n) => (top + bottom) / 2 + n - 40)
    return steps.filter((y) => whole.contains(document.elementFromPoint((left + right) / 2, y))).length
  })
}
