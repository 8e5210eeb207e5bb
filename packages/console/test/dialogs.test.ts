import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rowOf, useBrowser } from './browser.ts'
import { useExampleServer } from './example-server.ts'

const open = useBrowser()
const server = await useExampleServer()

test('the form of a user keeps its input while it asks about the second factor', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/users')
  await rowOf(page, 'Luis Vega').getByRole('button', { name: 'Edit' }).click()
  const name = page.getByRole('dialog', { name: 'Editar usuario' }).getByLabel('Name')
  await name.fill('Luis Vega Ortiz')
  await page.getByRole('button', { name: 'Acceso y empresa' }).click()
  await page.getByRole('button', { name: 'Quitar segundo factor' }).click()
  await page.getByRole('button', { name: 'Cancelar' }).click()
  await name.waitFor()
  assert.equal(await name.inputValue(), 'Luis Vega Ortiz')
})

test('the form of a contact keeps its input while it asks about deleting the contact', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/contacts?open=%2B34600111222')
  const name = page
    .getByRole('dialog', { name: '+34600111222', exact: true })
    .getByLabel('Nombre', { exact: true })
  await name.fill('Berta Sanz Gil')
  await page.getByRole('button', { name: 'Borrar' }).click()
  await page.getByText('¿Borrar el contacto').waitFor()
  await page.getByRole('button', { name: 'Cancelar' }).click()
  await name.waitFor()
  assert.equal(await name.inputValue(), 'Berta Sanz Gil')
})

test('a click outside a dialog closes it, unless it has a form, which Escape closes', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/devices/drone-0002')
  const dialog = page.getByRole('dialog')
  await page
    .getByRole('region', { name: /^SIM 1/ })
    .getByRole('button', { name: 'Editar' })
    .click()
  await dialog.getByLabel('SMS al mes').fill('1000')
  await page.mouse.click(5, 5)
  assert.equal(await dialog.getByLabel('SMS al mes').inputValue(), '1000')
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Atajos de teclado' }).waitFor()
  await page.mouse.click(5, 5)
  await dialog.waitFor({ state: 'detached' })
})
