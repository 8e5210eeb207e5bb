import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { eventually, useBrowser } from './browser.ts'
import { useExampleServer } from './example-server.ts'

const FAILED = 'No se pudo cargar una parte de la consola. Recargue la página.'

const open = useBrowser()
const server = await useExampleServer()

/** Lets the files whose names begin so be missing, as after a new version. */
async function remove(page: Page, name: string): Promise<void> {
  await page.route(`**/assets/${name}*.js`, (route) => route.fulfill({ status: 404, body: '' }))
}

const toastOf = (page: Page) => page.getByRole('region', { name: 'Avisos' }).getByText(FAILED)

test('without the file of the palette, the screen and its typed text stay, and the next press says so again', async (t) => {
  const page = await open(t, { url: server.url })
  await remove(page, 'palette-')
  await page.goto('/sms')
  const message = page.getByRole('textbox', { name: 'Mensaje' })
  await message.fill('Hola')
  for (let press = 0; press < 2; press++) {
    await page.keyboard.press('ControlOrMeta+k')
    await toastOf(page).waitFor()
    await page.getByRole('heading', { level: 1 }).waitFor()
    assert.equal(await message.inputValue(), 'Hola')
    await page.getByRole('button', { name: 'Cerrar aviso' }).click()
    await toastOf(page).waitFor({ state: 'detached' })
  }
  await page.keyboard.press('ControlOrMeta+k')
  await toastOf(page).waitFor()
  const loaded = page.waitForEvent('load')
  await page.getByRole('button', { name: 'Recargar' }).click()
  await loaded
})

test('a dialog whose file is missing is closed, so its button can be pressed again', async (t) => {
  const page = await open(t, { url: server.url })
  await remove(page, 'user-dialog-')
  await page.goto('/users')
  await page.getByRole('button', { name: 'Anadir usuario' }).click()
  await toastOf(page).waitFor()
  await page.getByRole('cell', { name: 'Ana Ruiz', exact: true }).waitFor()
  await page.waitForURL((url) => url.search === '')
})

test('a save whose question for a proof cannot be shown is given up, and the form keeps its fields', async (t) => {
  server.answers['POST /api/user'] = { status: 403, body: { detail: 'Prove it.', code: 'proof_required' } }
  const page = await open(t, { url: server.url })
  await remove(page, 'proof-dialog-')
  await page.goto('/users?edit=new')
  const form = page.getByRole('dialog', { name: 'Anadir usuario' })
  await form.getByLabel('Name').fill('Nuria Sanz')
  await form.getByLabel('Email').fill('nuria@example.com')
  await form.getByLabel('Password', { exact: true }).fill('a long password')
  await form.getByLabel('Repeat password').fill('a long password')
  const save = form.getByRole('button', { name: 'Save' })
  await save.click()
  await toastOf(page).waitFor()
  await eventually(async () => assert.equal(await save.isEnabled(), true))
  assert.equal(await form.getByLabel('Name').inputValue(), 'Nuria Sanz')
})

test('without the file of its texts, a part is shown in the usual wording, and later parts in the chosen language', async (t) => {
  const page = await open(t, { url: server.url, language: 'en' })
  await remove(page, 'palette-text.en-')
  await page.goto('/sms')
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.keyboard.press('ControlOrMeta+k')
  await page.getByRole('dialog', { name: 'Ir a cualquier parte' }).locator(':focus').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('heading', { level: 1 }).click()
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
})
