import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { rowOf, useBrowser } from './browser.ts'
import { openExampleServer, type ExampleServer } from './example-server.ts'

const REASON = 'El servidor no responde. Podrá enviar o guardar cuando vuelva.'

const open = useBrowser()
let server: ExampleServer

before(async () => {
  server = await openExampleServer()
})
afterEach(comeBack)
after(() => server.stop())

async function goAway(page: Page, then = () => {}): Promise<void> {
  await page.getByText('En vivo').waitFor()
  server.down = true
  server.cut(true)
  then()
  await page.getByRole('alert').getByText('Sin respuesta del servidor desde las').waitFor()
}

function comeBack(): void {
  server.down = false
  server.cut()
}

/** The reason that the control or its label gives on hover. */
async function titleOf(control: Locator): Promise<string | null> {
  return control.evaluate((element) => element.closest('[title]')?.getAttribute('title') ?? null)
}

const controls: Record<string, (page: Page) => Locator[]> = {
  '/devices': (page) => [
    page.getByRole('checkbox', { name: 'Enabled drone-0001', exact: true }),
    rowOf(page, 'drone-0001').getByRole('button', { name: 'Send SMS' }),
    page.getByRole('button', { name: 'Link device' }),
  ],
  '/devices/drone-0001': (page) => [
    page.getByRole('checkbox', { name: 'Enabled drone-0001', exact: true }),
    page.getByRole('button', { name: 'Send SMS' }),
    page.getByRole('button', { name: 'Desvincular' }),
  ],
  '/settings?tab=devices': (page) => [page.getByRole('button', { name: 'Edit' }).first()],
  '/account': (page) => [page.getByRole('radio', { name: 'English' })],
}

for (const [path, controlsOf] of Object.entries(controls)) {
  test(`what changes something on ${path} is disabled while the server is gone, and says why`, async (t) => {
    const page = await open(t, { url: server.url })
    await page.goto(path)
    for (const control of controlsOf(page)) assert.equal(await control.isEnabled(), true)
    await goAway(page)
    for (const control of controlsOf(page)) {
      assert.equal(await control.isDisabled(), true)
      assert.equal(await titleOf(control), REASON)
    }
    comeBack()
    await page.evaluate("dispatchEvent(new Event('online'))")
    await page.getByText('En vivo').waitFor()
    for (const control of controlsOf(page)) assert.equal(await control.isEnabled(), true)
  })
}

for (const file of ['watches', 'alert-watch', 'bell', 'device-sims']) {
  test(`that the server is gone is said even if it went while ${file} was being loaded`, async (t) => {
    const page = await open(t, { url: server.url })
    const asked = Promise.withResolvers<void>()
    const gone = Promise.withResolvers<void>()
    await page.route(`**/assets/${file}-*.js`, async (route) => {
      asked.resolve()
      await gone.promise
      await route.continue()
    })
    await page.goto('/devices/drone-0001')
    await asked.promise
    await goAway(page, gone.resolve)
    await page.getByRole('heading', { name: 'drone-0001', level: 1 }).waitFor()
  })
}

test('a written SMS is kept while the server is gone, and is sent by the first press after its return', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/sms')
  await page.getByRole('combobox').selectOption('drone-0001')
  await page.getByPlaceholder('+34...').fill('600111222')
  const message = page.getByRole('textbox', { name: 'Mensaje' })
  await message.fill('Hola')
  await goAway(page)
  await page.locator('main').getByText(REASON).waitFor()
  const send = page.getByRole('button', { name: 'SEND', exact: true })
  assert.equal(await send.getAttribute('aria-disabled'), 'true')
  assert.equal(await titleOf(send), REASON)
  server.asked.length = 0
  await message.press('ControlOrMeta+Enter')
  await send.dispatchEvent('click')
  comeBack()
  await page.evaluate("dispatchEvent(new Event('online'))")
  await page.getByText('En vivo').waitFor()
  assert.deepEqual(sends(), [])
  assert.equal(await message.inputValue(), 'Hola')
  await send.click()
  await page.getByRole('dialog').waitFor()
  assert.equal(sends().length, 1)
})

function sends(): unknown[] {
  return server.asked.filter((asked) => JSON.stringify(asked).includes('device-send-sms'))
}
