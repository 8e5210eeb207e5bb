import type { Locator, Page } from 'playwright-core'
import { PASSWORD } from './server-process.ts'

/** Logs in by the form, as a person does, and waits for the screen that it leads to. */
export async function logIn(page: Page, username = 'superadmin', password = PASSWORD): Promise<Page> {
  await page.goto('/login')
  await page.getByPlaceholder('Username', { exact: true }).fill(username)
  await page.getByPlaceholder('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'LOG IN', exact: true }).click()
  await page.waitForURL('**/devices')
  await page.getByRole('heading', { level: 1, name: 'LINKED DEVICES', exact: true }).waitFor()
  return page
}

/** Says by the password that it is the user, where the console asks who does what gives somebody access. */
export async function proveWhoAsks(page: Page, password = PASSWORD): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Confirme que es usted', exact: true })
  await dialog.getByLabel('Contraseña actual', { exact: true }).fill(password)
  await dialog.getByRole('button', { name: 'Confirmar', exact: true }).click()
}

/** The row with a cell of exactly this text. */
export function rowOf(page: Page, cell: string): Locator {
  return page.getByRole('row').filter({ has: page.getByRole('cell', { name: cell, exact: true }) })
}

/** The texts of a row's cells, trimmed. */
export async function cellsOf(row: Locator): Promise<string[]> {
  await row.waitFor()
  return (await row.getByRole('cell').allInnerTexts()).map((text) => text.trim())
}

/** Answers this path of the API with a fault of the server, until it is called again with `undefined`. */
export async function breakCall(page: Page, path: string, status = 500): Promise<() => Promise<void>> {
  const url = `**${path}`
  await page.route(url, (route) => route.fulfill({ status, body: '' }))
  return () => page.unroute(url)
}
