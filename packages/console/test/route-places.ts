import type { Page } from 'playwright-core'

/** The screen of routes and its dialogs, and how to open each. */
export const routePlaces: Record<string, (page: Page) => Promise<unknown>> = {
  routes: async (page) => {
    await page.goto('/routes')
    await page.getByText('La tapa entera la regla 1').waitFor()
    await page.getByText('Escriba un número').waitFor()
  },
  'routes, a number tried': async (page) => {
    await page.goto('/routes?try=%2B34612000000')
    await page.getByText('Puede ahora: es el primero').waitFor()
  },
  'route, refused': async (page) => {
    await page.goto('/routes?rule=new')
    const form = page.getByRole('dialog', { name: 'Nueva regla' })
    await form.getByLabel('Prefijos').fill('34')
    await form.getByLabel('Países').fill('España')
    await form.getByLabel('Tras cuántos segundos').fill('x')
    await form.getByRole('button', { name: 'Guardar' }).click()
    await form.getByText('Escriba prefijos como').waitFor()
  },
  route: async (page) => {
    await page.goto('/routes?rule=3')
    await page.getByRole('dialog', { name: 'Regla 3' }).getByRole('button', { name: 'Borrar' }).waitFor()
  },
}
