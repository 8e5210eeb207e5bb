import type { Page } from 'playwright-core'
import { refuseUntilDutyDone } from './duties.ts'
import { CODE, factorOn } from './example-account.ts'

async function confirmPassword(page: Page): Promise<void> {
  await page.goto('/account?open=enrol')
  await page.getByRole('dialog').getByLabel('Contraseña actual').fill('correct')
  await page.getByRole('button', { name: 'Continuar' }).click()
  await page.getByRole('img', { name: 'Código QR para la aplicación' }).waitFor()
}

async function askForProof(page: Page): Promise<void> {
  const refusal = { detail: 'Prove it.', code: 'proof_required' }
  await page.route('**/api/link-codes', (route) => route.fulfill({ status: 403, json: refusal }))
  await page.goto('/devices?link=new')
  await page.getByRole('button', { name: 'Crear código' }).click()
  await page.getByRole('dialog', { name: 'Confirme que es usted' }).waitFor()
}

/** The account's screen and dialogs, the login's second step, and how to open each. */
export const accountPlaces: Record<string, (page: Page) => Promise<unknown>> = {
  'login, code': async (page) => {
    await page.goto('/login')
    await page.getByPlaceholder('Username').fill('mrojas')
    await page.getByPlaceholder('Password').fill('wants a code')
    await page.getByRole('button', { name: 'LOG IN' }).click()
    await page.getByLabel('Código').fill('000000')
    await page.getByRole('button', { name: 'LOG IN' }).click()
    await page.getByRole('alert').waitFor()
  },
  'login, a session is still to be ended': async (page) => {
    await page.route('**/api/logout', (route) => route.abort())
    await page.goto('/devices')
    await page.getByRole('cell', { name: 'drone-0001', exact: true }).waitFor()
    const menu = page.getByRole('button', { name: 'Menu', exact: true })
    if ((await menu.getAttribute('aria-expanded')) === 'false') await menu.click()
    await page.getByRole('button', { name: 'Logout' }).click()
    await page.getByText('se cerrará en cuanto haya conexión').waitFor()
  },
  'proof, password refused': async (page) => {
    await askForProof(page)
    await page.getByRole('button', { name: 'Confirmar' }).click()
    await page.getByText('Este campo es obligatorio.').waitFor()
  },
  'proof, code': async (page) => {
    await page.route('**/api/second-factor', (route) => route.fulfill({ json: factorOn }))
    await askForProof(page)
    await page.getByRole('dialog').getByLabel('Código', { exact: true }).waitFor()
  },
  'first the password': async (page) => {
    await refuseUntilDutyDone(page, 'password_change_required')
    await page.goto('/devices')
    await page.getByLabel('Contraseña recibida').waitFor()
  },
  'first the second factor': async (page) => {
    await refuseUntilDutyDone(page, 'second_factor_setup_required')
    await page.goto('/devices')
    await page.getByLabel('Contraseña actual').waitFor()
  },
  'first the password, refused': async (page) => {
    await refuseUntilDutyDone(page, 'password_change_required')
    await page.goto('/devices')
    await page.getByRole('button', { name: 'Cambiar y continuar' }).click()
    await page.getByText('Este campo es obligatorio.').waitFor()
  },
  'first the second factor, first code': async (page) => {
    await refuseUntilDutyDone(page, 'second_factor_setup_required')
    await page.goto('/devices')
    await page.getByLabel('Contraseña actual').fill('correct')
    await page.getByRole('button', { name: 'Continuar' }).click()
    await page.getByRole('img', { name: 'Código QR para la aplicación' }).waitFor()
  },
  account: async (page) => {
    await page.goto('/account')
    await page.getByText('Esta sesión').waitFor()
    await page.getByRole('button', { name: 'Activar' }).waitFor()
  },
  'account, second factor on': async (page) => {
    await page.route('**/api/second-factor', (route) => route.fulfill({ json: factorOn }))
    await page.goto('/account')
    await page.getByRole('button', { name: 'Nuevos códigos' }).waitFor()
    await page.getByText('Esta sesión').waitFor()
  },
  'account, password refused': async (page) => {
    await page.goto('/account')
    await page.getByRole('button', { name: 'Cambiar contraseña' }).click()
    await page.getByText('Este campo es obligatorio.').waitFor()
  },
  'account, about to end the other sessions': async (page) => {
    await page.goto('/account?open=others')
    await page.getByRole('dialog').waitFor()
  },
  'second factor, password': async (page) => {
    await page.goto('/account?open=enrol')
    await page.getByRole('button', { name: 'Continuar' }).click()
    await page.getByText('Este campo es obligatorio.').waitFor()
  },
  'second factor, first code': async (page) => {
    await confirmPassword(page)
    await page.getByLabel('Código que muestra la aplicación').fill('000000')
    await page.getByRole('dialog').getByRole('button', { name: 'Activar' }).click()
    await page.getByText(/El código no es correcto/).waitFor()
  },
  'second factor, recovery codes': async (page) => {
    await confirmPassword(page)
    await page.getByLabel('Código que muestra la aplicación').fill(CODE)
    await page.getByRole('dialog').getByRole('button', { name: 'Activar' }).click()
    await page.getByRole('list', { name: 'Los diez códigos' }).waitFor()
    // Wait for the toast to disappear: it covers the buttons of a small window.
    await page.getByText('Segundo factor activado').waitFor({ state: 'detached' })
  },
  'second factor, about to be turned off': async (page) => {
    await page.goto('/account?open=off')
    await page.getByRole('dialog').getByRole('button', { name: 'Desactivar' }).click()
    await page.getByText('Este campo es obligatorio.').first().waitFor()
  },
  'user, second factor about to be removed': async (page) => {
    await page.goto('/users?edit=3')
    await page.getByRole('button', { name: 'Acceso y empresa' }).click()
    await page.getByRole('button', { name: 'Quitar segundo factor' }).click()
    await page.getByRole('dialog', { name: /^¿Quitar/ }).waitFor()
  },
}
