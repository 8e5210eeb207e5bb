import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { eventually, useBrowser } from './browser.ts'
import { useExampleServer } from './example-server.ts'

const open = useBrowser()
const server = await useExampleServer()
server.answers['POST /api/language'] = { status: 204 }

const kept = (page: Page) =>
  page.evaluate(() => ['user_language', 'language'].map((key) => localStorage.getItem(key)))
const languageOf = (page: Page) => page.evaluate(() => document.documentElement.lang)

test('a language chosen in the account is stored, is shown at once, and leaves a half-filled form as it is', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/account')
  assert.equal(await page.title(), 'SMS DRONE DASH')
  const password = page.getByLabel('Contraseña nueva', { exact: true })
  await password.fill('half typed')
  await page.getByLabel('Textos habituales').and(page.locator(':checked')).waitFor()
  await page.getByLabel('English').check()
  await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor()
  await page.getByRole('heading', { level: 2, name: 'Open sessions' }).waitFor()
  await page.getByRole('navigation', { name: 'Main' }).getByRole('button', { name: 'Log out' }).waitFor()
  assert.equal(await page.getByLabel('New password', { exact: true }).inputValue(), 'half typed')
  assert.equal(await page.title(), 'Account · SMS DRONE DASH')
  assert.equal(await languageOf(page), 'en')
  const calls = server.asked.filter(({ path }) => path === '/api/language').map(({ body }) => body)
  assert.deepEqual(calls, ['{"language":"en"}'])
  assert.deepEqual(await kept(page), ['en', 'en'])

  await page.reload()
  await page.getByText('This session').waitFor()
  await page.getByLabel('Usual wording').check()
  await page.getByRole('heading', { level: 1, name: 'Cuenta' }).waitFor()
  await page.getByRole('button', { name: 'Logout' }).waitFor()
  assert.equal(await page.title(), 'SMS DRONE DASH')
  assert.deepEqual(await kept(page), [null, 'none'])
})

test('a language that the server does not store is not shown', async (t) => {
  server.answers['POST /api/language'] = { status: 503, body: { detail: 'Busy.', code: 'busy' } }
  const page = await open(t, { url: server.url })
  await page.goto('/account')
  await page.getByLabel('English').click()
  await page.getByRole('alert').filter({ hasText: 'Busy.' }).waitFor()
  await page.getByLabel('Textos habituales').and(page.locator(':checked')).waitFor()
  assert.equal(await languageOf(page), 'es')
})

test('other tabs follow the choice', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/account')
  const other = await page.context().newPage()
  await other.goto('/devices')
  await other.getByRole('link', { name: 'Running Tasks' }).waitFor()
  await page.getByLabel('Español', { exact: true }).check()
  await other.getByRole('link', { name: 'Tareas' }).waitFor()
})

test('a shown list, its rows and its open details change their language too', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/account')
  const [logs, tasks] = [await page.context().newPage(), await page.context().newPage()]
  await logs.goto(`/logs?open=${server.logs[0]!.guid}`)
  await logs.getByText('queue_timestamp').waitFor()
  await tasks.goto('/running-tasks?open=task-000700')
  await tasks.getByText('anwer_sent').waitFor()
  await page.getByLabel('English').check()
  await logs.getByRole('columnheader', { name: 'Recipient' }).waitFor()
  await logs.getByRole('row').getByText('Queued', { exact: true }).first().waitFor()
  const pane = logs.getByRole('complementary', { name: 'Message details' })
  await pane.getByText('State', { exact: true }).waitFor()
  await pane.getByRole('listitem').filter({ hasText: 'It goes out once the device is back' }).waitFor()
  const task = tasks.getByRole('dialog', { name: 'Task details' })
  await task.getByText(/It must not go out before/).waitFor()
  await task.getByText('Requested SIM').waitFor()
  await tasks.getByRole('columnheader', { name: 'Assigned', includeHidden: true }).first().waitFor()
})

test('the login offers the browser’s language once, and leaves a half-filled form as it is', async (t) => {
  const page = await open(t, { url: server.url, role: 'none' })
  await page.goto('/login')
  await page.getByPlaceholder('Username').fill('mrojas')
  const offer = page.getByRole('region', { name: '¿Ver en español?' })
  await offer.getByRole('button', { name: 'Sí' }).click()
  await page.getByPlaceholder('Usuario').waitFor()
  assert.equal(await page.getByPlaceholder('Usuario').inputValue(), 'mrojas')
  assert.equal(await offer.count(), 0)
  assert.deepEqual(await page.evaluate(() => Object.keys(localStorage)), ['language'])
  await page.reload()
  await page.getByRole('button', { name: 'Entrar' }).waitFor()
  assert.equal(await offer.count(), 0)
  assert.ok(!server.asked.some(({ path }) => path === '/api/language'))
})

test('a declined offer is not repeated, and the wording stays', async (t) => {
  const page = await open(t, { url: server.url, role: 'none' })
  await page.goto('/login')
  await page.getByRole('region', { name: '¿Ver en español?' }).getByRole('button', { name: 'No' }).click()
  await page.reload()
  await page.getByRole('button', { name: 'LOG IN' }).waitFor()
  assert.equal(await page.getByRole('region').count(), 0)
})

test('the language of the account is shown after the login, until the logout', async (t) => {
  const session = { access_token: 'token-1', role: 'admin', id: 1, language: 'en' }
  server.answers['POST /api/login'] = { body: session }
  const page = await open(t, { url: server.url, role: 'none' })
  await page.goto('/login')
  await page.getByPlaceholder('Username').fill('mrojas')
  await page.getByPlaceholder('Password').fill('correct')
  await page.getByRole('button', { name: 'LOG IN' }).click()
  await page.getByRole('button', { name: 'Log out' }).click()
  await page.getByRole('button', { name: 'LOG IN' }).waitFor()
  assert.deepEqual(await kept(page), [null, null])
})

test('a chosen language shows no sentence of the server, but one about its code', async (t) => {
  const page = await open(t, { url: server.url, role: 'none', language: 'en' })
  await page.goto('/login')
  const submit = async (body: unknown, status: number, sentence: RegExp) => {
    server.answers['POST /api/login'] = { status, body }
    await page.getByPlaceholder('Username').fill('mrojas')
    await page.getByPlaceholder('Password').fill('x')
    await page.getByRole('button', { name: 'Log in' }).click()
    await eventually(async () => assert.match(await page.getByRole('alert').innerText(), sentence))
  }
  await submit({ detail: 'no', code: 'bad_credentials' }, 401, /^The username or the password is wrong$/)
  const many = { detail: 'Demasiado', code: 'too_many_attempts', params: { retry_after: 600 } }
  await submit(many, 429, /^Too many attempts\. Wait 10 minutes/)
  await submit({ detail: 'Nuevo', code: 'new_code' }, 429, /^The server refused it \(code new_code\)\.$/)
})

test('nothing on the login page moves when the offer of a language is loaded', async (t) => {
  const page = await open(t, { url: server.url, role: 'none' })
  const loading = Promise.withResolvers<void>()
  await page.route(/language-offer/, async (route) => {
    await loading.promise
    await route.continue()
  })
  await page.goto('/login', { waitUntil: 'domcontentloaded' })
  const button = page.getByRole('button', { name: 'LOG IN' })
  await button.waitFor()
  await page.evaluate(() => document.fonts.ready.then(() => undefined))
  const before = await button.boundingBox()
  loading.resolve()
  await page.getByRole('region', { name: '¿Ver en español?' }).waitFor()
  assert.deepEqual(await button.boundingBox(), before)
})
