import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eventually, fontsLoaded, useBrowser } from './browser.ts'
import { openExampleServer, type ExampleServer } from './example-server.ts'

const open = useBrowser()
let server: ExampleServer

before(async () => {
  server = await openExampleServer()
})
after(() => server.stop())

const screens = [
  ['Dashboard', '/dashboard', 'Dashboard'],
  ['Devices', '/devices', 'LINKED DEVICES'],
  ['Send SMS', '/sms', 'Send SMS'],
  ['Campañas', '/campaigns', 'Campañas'],
  ['Rutas', '/routes', 'Rutas'],
  ['Contactos', '/contacts', 'Contactos'],
  ['Logs', '/logs', 'Transaction Logs'],
] as const

test('each link of the menu opens its screen, with its title', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/dashboard')
  for (const [link, path, title] of screens) {
    await page.getByRole('link', { name: link, exact: true }).click()
    await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor()
    assert.equal(new URL(page.url()).pathname, path)
    assert.equal(
      await page.getByRole('link', { name: link, exact: true }).getAttribute('aria-current'),
      'page',
    )
  }
})

test('the menu is open on a wide window and can be closed', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/devices')
  const toggle = page.getByRole('button', { name: 'Menu', exact: true })
  const link = page.getByRole('link', { name: 'Logs' })
  await link.waitFor()
  assert.equal(await toggle.getAttribute('aria-expanded'), 'true')
  await toggle.click()
  assert.equal(await link.count(), 0)
  assert.equal(await toggle.getAttribute('aria-expanded'), 'false')
  await toggle.click()
  await link.waitFor()
})

test('on a narrow window the menu is closed, covers the screen, and its overlay closes it', async (t) => {
  const page = await open(t, { url: server.url, size: 'phone' })
  await page.goto('/devices')
  const toggle = page.getByRole('button', { name: 'Menu', exact: true })
  await toggle.waitFor()
  assert.equal(await page.getByRole('link', { name: 'Logs' }).count(), 0)
  for (const close of ['overlay', 'Escape']) {
    await toggle.click()
    await page.getByRole('link', { name: 'Logs' }).waitFor()
    if (close === 'Escape') await page.keyboard.press('Escape')
    else await page.getByRole('button', { name: 'Cerrar menú' }).click({ position: { x: 370, y: 400 } })
    await eventually(async () => assert.equal(await page.getByRole('link', { name: 'Logs' }).count(), 0))
    assert.equal(
      await toggle.evaluate((button) => button === document.activeElement),
      true,
      'the focus is back',
    )
  }
})

test('following a link on a narrow window closes the menu', async (t) => {
  const page = await open(t, { url: server.url, size: 'phone' })
  await page.goto('/devices')
  await page.getByRole('button', { name: 'Menu', exact: true }).click()
  await page.getByRole('link', { name: 'Logs' }).click()
  await page.getByRole('heading', { level: 1, name: 'Transaction Logs' }).waitFor()
  assert.equal(await page.getByRole('link', { name: 'Logs' }).count(), 0)
})

for (const [width, expanded] of [
  [768, 'true'],
  [767, 'false'],
] as const) {
  test(`at ${width} px the menu starts ${expanded === 'true' ? 'open' : 'closed'}`, async (t) => {
    const page = await open(t, { url: server.url })
    await page.setViewportSize({ width, height: 700 })
    await page.goto('/sms')
    const toggle = page.getByRole('button', { name: 'Menu', exact: true })
    assert.equal(await toggle.getAttribute('aria-expanded'), expanded)
  })
}

test('Logout ends the session on the server and here, and leads to /', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/devices')
  server.asked.length = 0
  await page.getByRole('button', { name: 'Logout' }).click()
  await page.getByRole('button', { name: 'LOG IN' }).waitFor()
  assert.equal(new URL(page.url()).pathname, '/')
  assert.equal(await page.evaluate(() => localStorage.getItem('token')), null)
  await eventually(async () => {
    const calls = server.asked.filter(({ path }) => path === '/api/logout')
    assert.deepEqual(
      calls.map(({ token }) => token),
      ['token-1'],
    )
    assert.equal(server.listeners(), 0)
    assert.equal(await page.evaluate(() => localStorage.length), 0)
  })
})

test('a 401 ends the session: no token, Sesión expirada, /login', async (t) => {
  const page = await open(t, { url: server.url })
  const before = server.answers['GET /api/device-list']
  server.answers['GET /api/device-list'] = { status: 401, body: { detail: 'expired' } }
  t.after(() => {
    server.answers['GET /api/device-list'] = before ?? {}
  })
  await page.goto('/devices')
  await page.getByRole('alert').filter({ hasText: 'Sesión expirada' }).waitFor()
  assert.equal(new URL(page.url()).pathname, '/login')
  assert.equal(await page.evaluate(() => localStorage.getItem('token')), null)
})

test('the theme follows the system until one is chosen, and the choice survives a reload without a flash', async (t) => {
  const page = await open(t, { url: server.url, theme: 'dark' })
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
  await page.goto('/devices')
  const dark = await ground()
  await page.getByRole('button', { name: 'Tema: sistema' }).click()
  await page.getByRole('button', { name: 'Tema: claro' }).waitFor()
  const light = await ground()
  assert.notEqual(light, dark)
  await page.reload({ waitUntil: 'commit' })
  await page.waitForSelector('body', { state: 'attached' })
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'light')
})

test('? shows the shortcuts, with a switch to turn them off', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/devices')
  await page.getByRole('table').waitFor()
  await page.keyboard.press('?')
  const sheet = page.getByRole('dialog', { name: 'Atajos de teclado' })
  await sheet.getByRole('checkbox', { name: 'Atajos activados' }).uncheck()
  await page.keyboard.press('Escape')
  await sheet.waitFor({ state: 'detached' })
  await page.keyboard.press('/')
  assert.equal(
    await page.getByPlaceholder('UID').evaluate((input) => input === document.activeElement),
    false,
  )
})

test('on a phone, a title that needs two lines is shown whole, and a longer one has its full text', async (t) => {
  const page = await open(t, { url: server.url, size: 'phone' })
  await page.goto('/campaigns/7')
  const title = page.getByRole('heading', { level: 1, name: 'Recordatorios de cita, diciembre' })
  const isWhole = () =>
    title.evaluate(
      ({ scrollWidth, clientWidth, scrollHeight, clientHeight }) =>
        scrollWidth <= clientWidth && scrollHeight <= clientHeight,
    )
  await title.waitFor()
  await fontsLoaded(page)
  assert.equal(await isWhole(), true)
  await page.setViewportSize({ width: 320, height: 568 })
  await eventually(async () => assert.equal(await isWhole(), false))
  // A clamped text ends in an ellipsis.
  const lines = await title.evaluate((heading) => getComputedStyle(heading).webkitLineClamp)
  assert.equal(lines, '2')
  assert.equal(await title.getAttribute('title'), 'Recordatorios de cita, diciembre')
  const bar = await page.getByRole('banner').or(page.locator('main > header')).first().boundingBox()
  assert.equal(bar?.height, 52, 'the bar does not grow')
})
