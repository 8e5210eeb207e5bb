import type { Page } from 'playwright-core'

/** The screens and dialogs of users, tasks, settings and linking, and how to get there. */
export const staffPlaces: Record<string, (page: Page) => Promise<unknown>> = {
  users: async (page) => {
    await page.goto('/users')
    await page.getByRole('cell', { name: 'Ana Ruiz', exact: true }).waitFor()
  },
  'users, none found': async (page) => {
    await page.goto('/users?search=nobody')
    await page.getByText('No users found matching the search.').waitFor()
  },
  'user form, refused': async (page) => {
    await page.goto('/users?edit=new')
    await page.getByRole('button', { name: 'Acceso y empresa' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('alert').waitFor()
  },
  'user form, everything open': async (page) => {
    await page.goto('/users?edit=3')
    await page.getByRole('button', { name: 'Acceso y empresa' }).click()
  },
  'users, saved': async (page) => {
    await page.goto('/users?edit=3')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Usuario guardado').waitFor()
  },
  tasks: async (page) => {
    await page.goto('/running-tasks')
    await page.getByRole('button', { name: 'Ver task-000700' }).waitFor()
  },
  'task details': async (page) => {
    await page.goto('/running-tasks?open=task-000700')
    await page.getByText('anwer_sent').waitFor()
    await page.getByText('En espera').waitFor()
  },
  settings: async (page) => {
    await page.goto('/settings')
    await page.getByRole('option', { name: 'Norte Mensajería (2)' }).waitFor({ state: 'attached' })
  },
  'settings, sending off and refused': async (page) => {
    await page.goto('/settings?company=2')
    await page.getByLabel('Spoof time (secs)').fill('-1')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Escriba un número entero de 0 a 86400.').waitFor()
  },
  'settings, about to stop': async (page) => {
    await page.goto('/settings')
    await page.getByLabel('Send enabled').uncheck()
  },
  'settings of devices': async (page) => {
    await page.goto('/settings?tab=devices&edit=drone-0003')
    await page.getByRole('spinbutton').fill('-1')
    await page.getByRole('row').getByRole('button', { name: 'Save' }).click()
    await page.getByRole('alert').waitFor()
  },
  'linking, form': async (page) => {
    await page.goto('/devices?link=new')
    await page.getByRole('button', { name: 'Crear código' }).waitFor()
  },
  'linking, code': async (page) => {
    await page.goto('/devices?link=new')
    await page.getByRole('button', { name: 'Crear código' }).click()
    await page.getByRole('img', { name: /^Código QR/ }).waitFor()
  },
}
