import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { useBrowser } from '../packages/console/test/browser.ts'
import { enterFirst, FIRST_PASSWORD } from '../packages/server/test/seeds.ts'
import { newSettings, PASSWORD, type ServerProcess, startProcess } from './server-process.ts'
import { proveWhoAsks } from './visiting.ts'

let folder: string
let server: ServerProcess
const visit = useBrowser()

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sdd-staff-'))
  server = await startProcess(await newSettings(folder, { LOG_LEVEL: 'warn' }))
})
after(async () => {
  await server.stop()
  rmSync(folder, { recursive: true })
})

async function enter(t: TestContext, username: string, password = PASSWORD): Promise<Page> {
  const page = await visit(t, { url: server.url, role: 'none' })
  await page.goto('/')
  await page.getByPlaceholder('Username').fill(username)
  await page.getByPlaceholder('Password').fill(password)
  await page.getByRole('button', { name: 'LOG IN' }).click()
  await page.getByRole('heading', { name: 'LINKED DEVICES', level: 1 }).waitFor()
  return page
}

type Wanted = { name: string; role: string; company?: string }

/** Adds a user by the form, who then has the superadmin's password as their own. */
async function addUser(page: Page, { name, role, company }: Wanted): Promise<void> {
  await page.goto('/users?edit=new')
  const form = page.getByRole('dialog', { name: 'Anadir usuario' })
  await form.getByLabel('Name').fill(name)
  await form.getByLabel('Email').fill(`${name}@example.com`)
  await form.getByLabel('Role').selectOption(role)
  await form.getByLabel('Password', { exact: true }).fill(FIRST_PASSWORD)
  await form.getByLabel('Repeat password').fill(FIRST_PASSWORD)
  if (company) {
    await form.getByRole('button', { name: 'Acceso y empresa' }).click()
    await form.getByLabel('Company').fill(company)
  }
  await form.getByRole('button', { name: 'Save' }).click()
  if (role !== 'user') await proveWhoAsks(page)
  await page.getByRole('status').getByText('Usuario creado').waitFor()
  await enterFirst(server, name, FIRST_PASSWORD, PASSWORD)
}

async function editUser(page: Page, name: string) {
  await page.goto('/users')
  const row = page.getByRole('row').filter({ has: page.getByRole('cell', { name, exact: true }) })
  await row.getByRole('button', { name: 'Edit' }).click()
  return page.getByRole('dialog', { name: 'Editar usuario' })
}

test('a user who is added can log in, and one who is disabled no more', async (t) => {
  const page = await enter(t, 'superadmin')
  await addUser(page, { name: 'ana', role: 'user' })
  const hers = await enter(t, 'ana@example.com')
  assert.equal(await hers.evaluate(() => localStorage.getItem('role')), 'user')

  const form = await editUser(page, 'ana')
  await form.getByRole('button', { name: 'Acceso y empresa' }).click()
  await form.getByRole('checkbox', { name: 'Enabled' }).uncheck()
  await form.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('status').getByText('Usuario guardado').waitFor()
  await page.getByRole('img', { name: 'Deshabilitado' }).waitFor()
  await hers.waitForURL('**/login', { timeout: 15_000 })
  await hers.getByText('Sesión expirada').waitFor()
})

test('a password that is too short and a name that is taken are refused beside their fields', async (t) => {
  const page = await enter(t, 'superadmin')
  await page.goto('/users?edit=new')
  const form = page.getByRole('dialog', { name: 'Anadir usuario' })
  await form.getByLabel('Name').fill('superadmin')
  await form.getByLabel('Email').fill('another@example.com')
  await form.getByLabel('Password', { exact: true }).fill('short')
  await form.getByLabel('Repeat password').fill('short')
  await form.getByRole('button', { name: 'Save' }).click()
  await form.getByRole('alert').getByText('Error saving user', { exact: true }).waitFor()
  assert.equal(await form.getByLabel('Password', { exact: true }).getAttribute('aria-invalid'), 'true')
  await form.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await form.getByLabel('Repeat password').fill(PASSWORD)
  await form.getByRole('button', { name: 'Save' }).click()
  await form.getByRole('alert').getByText('Another user goes by superadmin already.').waitFor()
  assert.equal(await form.getByLabel('Name').getAttribute('aria-invalid'), 'true')
})

test('the last superadmin keeps the role, and is told why', async (t) => {
  const page = await enter(t, 'superadmin')
  const form = await editUser(page, 'superadmin')
  await form.getByLabel('Role').selectOption('admin')
  await form.getByRole('button', { name: 'Save' }).click()
  await form.getByRole('alert').getByText('superadmin is the last enabled superadmin.').waitFor()
  assert.equal(await page.evaluate(() => localStorage.getItem('role')), 'superadmin')
})

test('an admin makes admins and users, and cannot touch a superadmin', async (t) => {
  await addUser(await enter(t, 'superadmin'), { name: 'berta', role: 'admin' })
  const page = await enter(t, 'berta')
  await addUser(page, { name: 'carla', role: 'admin' })
  const form = await editUser(page, 'superadmin')
  assert.ok(await form.getByLabel('Role').isDisabled())
  await form.getByLabel('Email').fill('taken-over@example.com')
  await form.getByRole('button', { name: 'Save' }).click()
  await form.getByRole('alert').getByText('Error saving user', { exact: true }).waitFor()
  await page.goto('/users')
  await page.getByRole('cell', { name: 'superadmin@localhost', exact: true }).waitFor()
})

test('an admin who makes themselves a user goes on as one', async (t) => {
  await addUser(await enter(t, 'superadmin'), { name: 'dora', role: 'admin' })
  const page = await enter(t, 'dora')
  const form = await editUser(page, 'dora')
  await form.getByLabel('Role').selectOption('user')
  await form.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('status').getByText('Usuario guardado').waitFor()
  assert.equal(await page.evaluate(() => localStorage.getItem('role')), 'user')
  assert.ok(await page.getByRole('button', { name: 'Anadir usuario' }).isDisabled())
  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByText('Solo un administrador puede cambiar los ajustes.').waitFor()
  assert.ok(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled())
})

test('a superadmin writes the settings of another company, whose admin sees them change', async (t) => {
  const page = await enter(t, 'superadmin')
  await addUser(page, { name: 'eva', role: 'admin', company: '20' })
  const hers = await enter(t, 'eva')
  await hers.goto('/settings')
  await hers.getByText('Yes', { exact: true }).waitFor()
  assert.equal(await hers.getByLabel('Company').count(), 0)

  await page.goto('/settings')
  await page.getByLabel('Company').selectOption('20')
  await page.getByLabel('Spoof time (secs)').fill('33')
  await page.getByLabel('Send enabled').uncheck()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('status').getByText('¡Properly saved!').waitFor()
  await hers.getByText('El envío está desactivado').waitFor()
  assert.equal(await hers.getByLabel('Spoof time (secs)').inputValue(), '33')
  await page.goto('/settings')
  await page.getByText('Yes', { exact: true }).waitFor()
})

test('a device links with the code that the console shows, and the dialog turns to success', async (t) => {
  const page = await enter(t, 'superadmin')
  await page.getByRole('table').getByRole('button', { name: 'Link device' }).click()
  const dialog = page.getByRole('dialog', { name: 'Link device' })
  await dialog.getByRole('button', { name: 'Crear código' }).click()
  await proveWhoAsks(page)
  await dialog.getByText('Esperando al dispositivo…').waitFor()
  const [, origin = '', code = ''] =
    /^sdd-agent link --server (\S+) --code (\S+)$/.exec(await dialog.locator('code').last().innerText()) ?? []
  const answer = await fetch(`${origin}/api/devices/link`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code, uid: 'office-1' }),
  })
  assert.equal(answer.status, 201)
  await dialog.getByText('office-1 se ha vinculado').waitFor()
  await dialog.getByRole('button', { name: 'Cerrar' }).click()
  await page.getByRole('cell', { name: 'office-1', exact: true }).waitFor()
})
