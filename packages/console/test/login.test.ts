import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import type { Page } from 'playwright-core'
import { eventually, useBrowser } from './browser.ts'
import { CODE } from './example-account.ts'
import { openExampleServer, type ExampleServer } from './example-server.ts'

const open = useBrowser()
let server: ExampleServer

before(async () => {
  server = await openExampleServer()
})
beforeEach(() => {
  server.asked.length = 0
})
after(() => server.stop())

async function logIn(page: Page, password: string): Promise<void> {
  await page.getByPlaceholder('Username').fill('mrojas')
  await page.getByPlaceholder('Password').fill(password)
  await page.getByRole('button', { name: 'LOG IN' }).click()
}

test('a right password opens the devices and is stored under the specified keys', async (t) => {
  const page = await open(t, { url: server.url, role: 'none' })
  await page.goto('/')
  assert.equal(await page.title(), 'SMS DRONE DASH')
  await logIn(page, 'correct')
  await page.waitForURL('**/devices')
  const kept = await page.evaluate(() => ['token', 'role', 'user_id'].map((key) => localStorage.getItem(key)))
  assert.deepEqual(kept, ['token-1', 'superadmin', '1'])
  const call = server.asked.find(({ path }) => path === '/api/login')
  assert.equal(call?.body, 'username=mrojas&password=correct')
  assert.equal(call?.token, undefined)
})

test('a wrong password is an alert, and the form stays filled in', async (t) => {
  const page = await open(t, { url: server.url, role: 'none' })
  await page.goto('/login')
  await logIn(page, 'wrong')
  await page.getByRole('alert').filter({ hasText: 'Usuario o contraseña incorrectos' }).waitFor()
  assert.equal(await page.getByPlaceholder('Username').inputValue(), 'mrojas')
  assert.equal(await page.evaluate(() => localStorage.getItem('token')), null)
})

test('a server that asks for a code gets it in a second step, with the same name and password', async (t) => {
  const page = await open(t, { url: server.url, role: 'none' })
  await page.goto('/login')
  await logIn(page, 'wants a code')
  const code = page.getByLabel('Código')
  await code.waitFor()
  assert.equal(await code.evaluate((input) => input === document.activeElement), true)
  assert.equal(await page.getByPlaceholder('Password').count(), 0)
  assert.equal(await page.getByRole('alert').count(), 0)
  await code.fill('000000')
  await code.press('Enter')
  await page.getByRole('alert').filter({ hasText: 'El código no es correcto' }).waitFor()
  await eventually(async () => {
    assert.equal(await code.inputValue(), '')
    assert.equal(await code.evaluate((input) => input === document.activeElement), true)
  })
  await code.fill(CODE)
  await code.press('Enter')
  await page.waitForURL('**/devices')
  const bodies = server.asked.filter(({ path }) => path === '/api/login').map(({ body }) => body)
  const pair = 'username=mrojas&password=wants+a+code'
  assert.deepEqual(bodies, [pair, `${pair}&code=000000`, `${pair}&code=${CODE}`])
})

test('the second step has a way back, and a password refused meanwhile leads back too', async (t) => {
  const page = await open(t, { url: server.url, role: 'none' })
  await page.goto('/login')
  await logIn(page, 'wants a code')
  await page.getByRole('button', { name: 'Volver' }).click()
  await page.getByPlaceholder('Username').waitFor()
  await logIn(page, 'wants a code')
  await page.getByLabel('Código').waitFor()
  const before = server.answers['POST /api/login']
  t.after(() => {
    server.answers['POST /api/login'] = before ?? {}
  })
  server.answers['POST /api/login'] = { status: 401, body: { detail: 'no', code: 'bad_credentials' } }
  await page.getByLabel('Código').fill(CODE)
  await page.getByRole('button', { name: 'LOG IN' }).click()
  await page.getByRole('alert').filter({ hasText: 'Usuario o contraseña incorrectos' }).waitFor()
  await page.getByPlaceholder('Username').waitFor()
})

test('an empty field is not sent', async (t) => {
  const page = await open(t, { url: server.url, role: 'none' })
  await page.goto('/login')
  await page.getByPlaceholder('Username').fill('mrojas')
  await page.getByRole('button', { name: 'LOG IN' }).click()
  assert.equal(await page.getByPlaceholder('Password').evaluate((input) => input.matches(':invalid')), true)
  assert.deepEqual(server.asked, [])
})

test('the form has the focus, and the password can be shown', async (t) => {
  const page = await open(t, { url: server.url, role: 'none' })
  await page.goto('/login')
  assert.equal(await page.getByLabel('Username').evaluate((input) => input === document.activeElement), true)
  await page.getByPlaceholder('Password').fill('secreta')
  await page.getByRole('button', { name: 'Mostrar contraseña' }).click()
  assert.equal(await page.getByPlaceholder('Password').getAttribute('type'), 'text')
})

test('a password can be pasted, and password managers know the fields', async (t) => {
  const page = await open(t, { url: server.url, role: 'none' })
  await page.goto('/login')
  const [username, password] = [page.getByPlaceholder('Username'), page.getByPlaceholder('Password')]
  // All pages of a run share the clipboard, so another one may write to it in between.
  await eventually(async () => {
    await password.fill('')
    await username.fill('copied from elsewhere')
    await username.press('Control+A')
    await username.press('Control+X')
    await password.press('Control+V')
    assert.deepEqual(
      [await username.inputValue(), await password.inputValue()],
      ['', 'copied from elsewhere'],
    )
  })
  assert.deepEqual(
    [await password.getAttribute('type'), await password.getAttribute('autocomplete')],
    ['password', 'current-password'],
  )
  assert.equal(await username.getAttribute('autocomplete'), 'username')
})

test('an unavailable server is not reported as a wrong password', async (t) => {
  const page = await open(t, { url: server.url, role: 'none' })
  const before = server.answers['POST /api/login']
  server.answers['POST /api/login'] = { status: 503 }
  t.after(() => {
    server.answers['POST /api/login'] = before ?? {}
  })
  await page.goto('/login')
  await logIn(page, 'correct')
  await page.getByRole('alert').filter({ hasText: 'El servidor no puede atender' }).waitFor()
})

const redirects = [
  ['/login/anything/else', '/login'],
  ['/nowhere', '/'],
  ['/nowhere/at/all', '/'],
]
for (const [from = '', to] of redirects) {
  test(`${from} leads to ${to}`, async (t) => {
    const page = await open(t, { url: server.url })
    await page.goto(from)
    await page.getByRole('button', { name: 'LOG IN' }).waitFor()
    assert.equal(new URL(page.url()).pathname, to)
  })
}

for (const path of ['/dashboard', '/devices', '/sms', '/logs']) {
  test(`${path} without a token leads to /login`, async (t) => {
    const page = await open(t, { url: server.url, role: 'none' })
    await page.goto(path)
    await page.getByRole('button', { name: 'LOG IN' }).waitFor()
    assert.equal(new URL(page.url()).pathname, '/login')
  })
}
