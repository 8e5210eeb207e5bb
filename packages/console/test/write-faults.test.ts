import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { eventually, useBrowser } from './browser.ts'
import { openExampleServer, type ExampleServer } from './example-server.ts'
import { failWith, failureReplies, malformedReplies } from './faults.ts'

const open = useBrowser()
let server: ExampleServer

before(async () => {
  server = await openExampleServer()
})
beforeEach(() => {
  server.asked.length = 0
})
after(() => server.stop())

const UNREADABLE = { 'a page': malformedReplies['a page']! }
const everything = Object.entries({ ...failureReplies, ...UNREADABLE })

/** The server's detail in this fault, if any. */
function detailOf(fault: (typeof everything)[number][1]): string | undefined {
  const { body = '' } = fault === 'no answer' ? {} : fault
  return /"detail":"([^"]+)"/.exec(body)?.[1]
}

async function press(page: Page | Locator, name: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).click()
}

test('a failed login shows one sentence, or another if the server was unavailable', async (t) => {
  const page = await open(t, { url: server.url, role: 'none' })
  await page.goto('/login')
  const said: Record<string, string> = {
    '429 with Retry-After': 'The server says 429.',
    'no answer': 'No hay respuesta del servidor. Compruebe la conexión.',
  }
  for (const [what, fault] of everything) {
    await page.unrouteAll()
    await failWith(page, ['POST', '/api/login'], fault)
    await page.reload()
    await page.getByPlaceholder('Username').fill('mrojas')
    await page.getByPlaceholder('Password').fill('correct')
    await press(page, 'LOG IN')
    const unable = /^50|page/.test(what)
    const wanted = unable
      ? 'El servidor no puede atender ahora. Inténtelo de nuevo en un momento.'
      : 'Usuario o contraseña incorrectos'
    const alert = page.getByRole('alert')
    await alert.waitFor()
    assert.equal((await alert.innerText()).trim(), said[what] ?? wanted, what)
    assert.equal(await page.getByPlaceholder('Password').inputValue(), 'correct', what)
  }
})

test('a failed send is never reported as a success, is not repeated, and loses nothing', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/sms')
  await page.getByRole('combobox').selectOption('drone-0001')
  await page.getByPlaceholder('+34...').fill('600111222')
  await page.getByRole('textbox', { name: 'Mensaje' }).fill('Hola')
  let calls = 0
  page.on('request', (request) => request.url().endsWith('/api/device-send-sms') && calls++)
  for (const [what, fault] of everything) {
    await page.unrouteAll()
    await failWith(page, ['POST', '/api/device-send-sms'], fault)
    calls = 0
    await press(page, 'SEND')
    const dialog = page.getByRole('dialog', { name: 'Error', exact: true })
    await dialog.waitFor()
    const said = await dialog.locator('p').first().innerText()
    if (what === 'no answer') assert.equal(said, 'No hay respuesta del servidor. Compruebe la conexión.')
    else if (what in UNREADABLE) assert.equal(said, 'Error 502: respuesta ilegible', what)
    else assert.match(said, new RegExp(`^Error ${what.slice(0, 3)}: [A-Z]`), what)
    await press(dialog, 'Cerrar')
    await dialog.waitFor({ state: 'detached' })
    assert.equal(await page.getByRole('textbox', { name: 'Mensaje' }).inputValue(), 'Hola', what)
    assert.equal(calls, 1, what)
  }
})

test('a failed enable or disable reverts the row and is reported, with a retry', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/devices')
  const box = page.getByRole('checkbox', { name: 'Enabled drone-0002', exact: true })
  const said = page.getByText('No se pudo deshabilitar drone-0002. La fila vuelve a su estado.')
  for (const [what, fault] of everything) {
    await page.unrouteAll()
    await failWith(page, ['POST', '/api/disable-device/drone-0002'], fault)
    await box.click()
    await said.waitFor()
    assert.equal(await box.isChecked(), true, what)
    await press(page, 'Cerrar aviso')
    await said.waitFor({ state: 'detached' })
  }
})

type Form = {
  path: string
  call: string
  fill: (page: Page) => Promise<void>
  button: string
  /** The message after a failed save, if the server gives no detail. */
  said: string
  /** The message without any answer, if it differs from `said`. */
  unanswered?: string
  headline?: string
  kept: (page: Page) => Promise<string>
}

const forms: Record<string, Form> = {
  'a user': {
    path: '/users?edit=3',
    call: '/api/user',
    fill: (page) => page.getByLabel('Name').fill('Luis V.'),
    button: 'Save',
    headline: 'Error saving user',
    said: '',
    kept: (page) => page.getByLabel('Name').inputValue(),
  },
  'the global settings': {
    path: '/settings',
    call: '/api/global-settings',
    fill: (page) => page.getByLabel('Spoof time (secs)').fill('9'),
    button: 'Save',
    said: 'Error al guardar',
    kept: (page) => page.getByLabel('Spoof time (secs)').inputValue(),
  },
  'a device’s limit': {
    path: '/settings?tab=devices&edit=drone-0002',
    call: '/api/device-list-settings',
    fill: (page) => page.getByRole('spinbutton').fill('9'),
    button: 'Save',
    said: 'Error al guardar',
    kept: (page) => page.getByRole('spinbutton').inputValue(),
  },
  'a link code': {
    path: '/devices?link=new',
    call: '/api/link-codes',
    fill: (page) => page.getByLabel('Dispositivos').fill('9'),
    button: 'Crear código',
    said: 'No se pudo crear el código.',
    unanswered: 'No hay respuesta del servidor.',
    kept: (page) => page.getByLabel('Dispositivos').inputValue(),
  },
}

for (const [name, { path, call, fill, button, headline, said, unanswered, kept }] of Object.entries(forms)) {
  test(`a failed save of ${name} shows the reason, and keeps the input`, async (t) => {
    const page = await open(t, { url: server.url })
    await page.goto(path)
    await fill(page)
    const typed = await kept(page)
    for (const [what, fault] of everything) {
      await page.unrouteAll()
      await failWith(page, ['POST', call], fault)
      const asked = page.waitForRequest(`**${call}`)
      await press(page, button)
      await asked
      const alert = page.getByRole('alert')
      await eventually(async () => {
        const words = (await alert.innerText()).trim()
        const other = fault === 'no answer' ? (unanswered ?? said) : said
        assert.ok(words.includes(detailOf(fault) ?? headline ?? other), `${what}: ${words}`)
        if (headline) assert.ok(words.startsWith(headline), what)
      })
      assert.equal(await kept(page), typed, what)
    }
  })

  test(`a 401 to saving ${name} ends the session`, async (t) => {
    const page = await open(t, { url: server.url })
    await page.goto(path)
    await fill(page)
    await failWith(page, ['POST', call], { status: 401 })
    await press(page, button)
    await page.getByRole('alert').getByText('Sesión expirada', { exact: true }).waitFor()
    assert.equal(new URL(page.url()).pathname, '/login')
  })
}

for (const tab of ['global', 'devices']) {
  test(`a detail in place of the saved record is an error, whatever its status (${tab})`, async (t) => {
    const page = await open(t, { url: server.url })
    const { path, call, fill } = forms[tab === 'global' ? 'the global settings' : 'a device’s limit']!
    await page.goto(path)
    await fill(page)
    await failWith(page, ['POST', call], { status: 200, body: '{"detail":"Not now."}' })
    await press(page, 'Save')
    await page.getByRole('alert').getByText('Not now.', { exact: true }).waitFor()
  })
}
