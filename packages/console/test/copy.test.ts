import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { eventually, useBrowser } from './browser.ts'
import { CODE, exampleRecoveryCodes, factorOn } from './example-account.ts'
import { useExampleServer } from './example-server.ts'

const KEY = 'sdk_4dQx7mVtR2bYpK9sLw3hN6cJ8fZ1gA5e'

const open = useBrowser()
const server = await useExampleServer()

/** Takes the clipboard from the page, as a browser does over HTTP. With `refuses`, the old command fails too. */
async function takeClipboard(page: Page, refuses = false): Promise<void> {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.evaluate((refuses) => {
    const { clipboard } = navigator
    Object.assign(window, { readClipboard: () => clipboard.readText() })
    Object.defineProperty(navigator, 'clipboard', { value: undefined })
    if (refuses) document.execCommand = () => false
  }, refuses)
}

/** Presses the button until the clipboard has the text: all pages of a run share it. */
async function copyBy(page: Page, button: Locator, wanted: string): Promise<void> {
  await eventually(async () => {
    await button.click()
    assert.equal(await page.evaluate('readClipboard()'), wanted)
  })
  await page.getByText('Copiado', { exact: true }).first().waitFor()
  assert.ok(await button.evaluate((element) => element === document.activeElement))
  assert.equal(await page.locator('textarea.sr-only').count(), 0)
}

async function openMadeKey(page: Page, refuses: boolean): Promise<Locator> {
  await page.goto('/settings?tab=api-keys&open=new')
  await takeClipboard(page, refuses)
  await page.getByLabel('Nombre').fill('Facturas')
  await page.getByRole('button', { name: 'Crear clave' }).click()
  return page.getByRole('dialog', { name: 'Clave «Facturas»' })
}

async function openCodes(page: Page, refuses: boolean): Promise<Locator> {
  server.answers['GET /api/second-factor'] = { body: factorOn }
  await page.goto('/account?open=renew')
  await takeClipboard(page, refuses)
  const form = page.getByRole('dialog', { name: 'Nuevos códigos de recuperación' })
  await form.getByLabel('Contraseña actual').fill('correct')
  await form.getByLabel('Código', { exact: true }).fill(CODE)
  await form.getByRole('button', { name: 'Nuevos códigos' }).click()
  return page.getByRole('dialog', { name: 'Códigos de recuperación' })
}

const secrets = {
  'an API key': { openDialog: openMadeKey, label: 'Copiar clave', value: KEY },
  'recovery codes': {
    openDialog: openCodes,
    label: 'Copiar',
    value: `${exampleRecoveryCodes.join('\n')}\n`,
  },
}

for (const [what, { openDialog, label, value }] of Object.entries(secrets)) {
  test(`${what} can be copied in a browser without a clipboard`, async (t) => {
    const page = await open(t, { url: server.url })
    const dialog = await openDialog(page, false)
    await copyBy(page, dialog.getByRole('button', { name: label, exact: true }), value)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
  })

  test(`if the browser refuses to copy ${what}, closing the dialog warns`, async (t) => {
    const page = await open(t, { url: server.url })
    const dialog = await openDialog(page, true)
    await dialog.getByRole('button', { name: label, exact: true }).click()
    await page.getByText('No se pudo copiar. Seleccione el texto y cópielo.').waitFor()
    await page.keyboard.press('Escape')
    await dialog.getByText(/^No ha copiado nada/).waitFor()
  })
}
