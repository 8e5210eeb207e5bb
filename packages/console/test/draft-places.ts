import type { Page } from 'playwright-core'

/** The screen that writes a campaign, in its states. */
export const draftPlaces: Record<string, (page: Page) => Promise<unknown>> = {
  'new campaign': async (page) => {
    await page.goto('/campaigns/new')
    await page.getByRole('checkbox', { name: /^clientes/ }).waitFor()
    await page.keyboard.press('ControlOrMeta+s')
    await page.getByText('Escriba un nombre.').waitFor()
  },
  'new campaign, checked': async (page) => {
    await writeDraft(page)
    await page.getByText('hecha a las').waitFor()
    await page.getByRole('button', { name: 'Ver y corregir' }).click()
    await page.getByLabel('hora de la fila 9').waitFor()
    await page.getByLabel('Para confirmar').fill('118')
  },
  'new campaign, its upload interrupted and its draft not saved': async (page) => {
    const refusal = { detail: 'The server is busy.', code: 'busy', params: {} }
    await page.route('**/api/campaigns/7/rows', (route) => route.fulfill({ status: 503, json: refusal }))
    await writeDraft(page)
    await page.getByText('La subida se interrumpió').waitFor()
    await page.route('**/api/campaigns/7', (route) => route.fulfill({ status: 503, json: refusal }))
    await page.getByLabel('Mensaje', { exact: true }).fill('Hola, {{ciudad}}')
    await page.getByText('No se pudo guardar el borrador').waitFor()
    await page.getByText('Ninguna columna da {{ciudad}}').waitFor()
  },
  'new campaign, pasting rows': async (page) => {
    await page.goto('/campaigns/new')
    await page.getByRole('button', { name: 'Pegar filas' }).click()
    await page.getByRole('dialog', { name: 'Pegar filas' }).waitFor()
  },
}

/** Fills the screen so that it saves a draft with rows. */
export async function writeDraft(page: Page): Promise<void> {
  await page.goto('/campaigns/new')
  const buffer = Buffer.from('Teléfono;Nombre;hora\n600111242;Lucía;12:15\n600111243;Andrés;12:30\n')
  await page.locator('input[type=file]').setInputFiles({ name: 'citas.csv', mimeType: 'text/csv', buffer })
  await page.getByLabel('Qué contiene Teléfono').waitFor()
  await page.getByLabel('Transaccional').check()
  await page.getByLabel('Mensaje', { exact: true }).fill('Hola, {{name}}: a las {{hora}}.')
}
