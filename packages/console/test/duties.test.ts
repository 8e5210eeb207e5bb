import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { eventually, useBrowser } from './browser.ts'
import { refuseUntilDutyDone } from './duties.ts'
import { CODE } from './example-account.ts'
import { useExampleServer } from './example-server.ts'

const open = useBrowser()
const server = await useExampleServer()

async function logIn(page: Page): Promise<void> {
  await page.goto('/login')
  await page.getByPlaceholder('Username').fill('mrojas')
  await page.getByPlaceholder('Password').fill('correct')
  await page.getByPlaceholder('Password').press('Enter')
}

const onDevices = (page: Page) => page.getByRole('heading', { level: 1, name: 'LINKED DEVICES' }).waitFor()
const withFocus = (page: Page, label: string) =>
  eventually(async () =>
    assert.ok(await page.getByLabel(label).evaluate((input) => input === document.activeElement)),
  )
const bodiesOf = (path: string) =>
  server.asked
    .filter((call) => call.method === 'POST' && call.path === path)
    .map(({ body }) => JSON.parse(body) as unknown)

test('after a login with a password set by somebody else, the user must change it, by keyboard too, and then sees the devices', async (t) => {
  const page = await open(t, { url: server.url, role: 'none' })
  const duty = await refuseUntilDutyDone(page, 'password_change_required')
  await logIn(page)
  await page.getByRole('heading', { name: 'Cambie su contraseña' }).waitFor()
  await page.getByText('se la dio otra persona').waitFor()
  assert.equal(await page.getByRole('navigation').count(), 0, 'there is no menu to go elsewhere')
  const given = page.getByLabel('Contraseña recibida')
  assert.ok(await given.evaluate((input) => input === document.activeElement))
  await page.keyboard.type('correct')
  await page.keyboard.press('Tab')
  await page.keyboard.type('one of my own 7')
  await page.keyboard.press('Tab')
  await page.keyboard.type('one of my own 7')
  await duty.done()
  await page.keyboard.press('Enter')
  await onDevices(page)
  assert.equal(new URL(page.url()).pathname, '/devices')
  assert.deepEqual(bodiesOf('/api/password'), [{ password: 'correct', new_password: 'one of my own 7' }])
})

test('a password that is unchanged, too short, repeated differently or easy to guess is refused at its field', async (t) => {
  const page = await open(t, { url: server.url })
  await refuseUntilDutyDone(page, 'password_change_required')
  await page.goto('/devices')
  const submit = async (given: string, own: string, repeat = own) => {
    await page.getByLabel('Contraseña recibida').fill(given)
    await page.getByLabel('Contraseña nueva', { exact: true }).fill(own)
    await page.getByLabel('Repita la contraseña nueva').fill(repeat)
    await page.getByRole('button', { name: 'Cambiar y continuar' }).click()
  }
  await submit('long enough', 'long enough')
  await page.getByText('Es la misma que la actual.').waitFor()
  await submit('correct', 'short')
  await page.getByText('Debe tener de 10 a 256 caracteres.').waitFor()
  await submit('correct', 'long enough', 'long enough!')
  await page.getByText('Las contraseñas no coinciden.').waitFor()
  assert.deepEqual(bodiesOf('/api/password'), [])
  const fields = { new_password: 'is one of the commonest passwords: choose another' }
  server.answers['POST /api/password'] = { status: 422, body: { detail: 'no', code: 'invalid', fields } }
  await submit('correct', 'password12')
  await page.getByText('Es fácil de adivinar').waitFor()
  const own = page.getByLabel('Contraseña nueva', { exact: true })
  assert.equal(await own.getAttribute('aria-invalid'), 'true')
})

test('if the company requires a second factor, the user sets it up and returns to the open screen after the recovery codes', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/logs')
  await page.getByRole('heading', { level: 1, name: 'Logs' }).waitFor()
  const duty = await refuseUntilDutyDone(page, 'second_factor_setup_required')
  await page.goto('/devices')
  await page.getByRole('heading', { name: 'Active el segundo factor' }).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Cancel' }).count(), 0)
  await withFocus(page, 'Contraseña actual')
  await page.keyboard.type('correct')
  await page.keyboard.press('Enter')
  await withFocus(page, 'Código que muestra la aplicación')
  await page.getByRole('button', { name: 'Volver' }).click()
  await withFocus(page, 'Contraseña actual')
  await page.keyboard.type('correct')
  await page.keyboard.press('Enter')
  await withFocus(page, 'Código que muestra la aplicación')
  await page.keyboard.type(CODE)
  await duty.done()
  await page.getByRole('button', { name: 'Activar' }).click()
  const codes = page.getByRole('dialog', { name: 'Códigos de recuperación' })
  await codes.getByRole('listitem').first().waitFor()
  await codes.getByRole('button', { name: 'Cerrar' }).click()
  await codes.getByText('copiado', { exact: false }).waitFor()
  await codes.getByRole('button', { name: 'Cerrar' }).click()
  await onDevices(page)
  assert.deepEqual(bodiesOf('/api/second-factor/confirm'), [{ code: CODE }])
})

test('if both are required, the password comes first and then the second factor', async (t) => {
  const page = await open(t, { url: server.url, role: 'none' })
  const password = await refuseUntilDutyDone(page, 'password_change_required')
  await logIn(page)
  await page.getByLabel('Contraseña recibida').fill('correct')
  await page.getByLabel('Contraseña nueva', { exact: true }).fill('one of my own 7')
  await page.getByLabel('Repita la contraseña nueva').fill('one of my own 7')
  await password.done()
  await refuseUntilDutyDone(page, 'second_factor_setup_required')
  await page.getByRole('button', { name: 'Cambiar y continuar' }).click()
  await page.getByRole('heading', { name: 'Active el segundo factor' }).waitFor()
})

test('a reload keeps the pending duty, and the user can log out', async (t) => {
  const page = await open(t, { url: server.url })
  await refuseUntilDutyDone(page, 'password_change_required')
  await page.goto('/setup')
  await page.getByRole('heading', { name: 'Cambie su contraseña' }).waitFor()
  await page.reload()
  await page.getByRole('heading', { name: 'Cambie su contraseña' }).waitFor()
  await page.getByRole('button', { name: 'Salir' }).click()
  await page.waitForURL('**/login')
  assert.equal(await page.evaluate(() => localStorage.getItem('token')), null)
})

test('without a pending duty, its address leads to the devices', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/setup')
  await onDevices(page)
})

test('an admin requires a second factor for the company after an explanation; role user does not see the setting', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/settings')
  const box = page.getByRole('checkbox', { name: 'Exigir el segundo factor a los administradores' })
  await box.check()
  await page.getByText('usted incluido').waitFor()
  await page.getByLabel('Company').selectOption('Clínicas Sur (3)')
  await box.check()
  await page.getByText('quien administra esta empresa').waitFor()
  assert.equal(await page.getByText('usted incluido').count(), 0, 'who asks it of another company')
  await page.getByLabel('Company').selectOption('Main (1)')
  await box.check()
  assert.equal(await page.getByText('Yes', { exact: true }).count(), 1, 'of Send enabled')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('¡Properly saved!').waitFor()
  const [saved] = bodiesOf('/api/global-settings') as { require_second_factor?: boolean }[]
  assert.equal(saved?.require_second_factor, true)

  const theirs = await open(t, { url: server.url, role: 'user' })
  await theirs.goto('/settings')
  await theirs.getByRole('checkbox', { name: 'Send enabled' }).waitFor()
  assert.equal(await theirs.getByRole('checkbox', { name: /segundo factor/ }).count(), 0)
})
