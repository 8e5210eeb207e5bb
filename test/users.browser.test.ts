import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import * as users from '@sdd/contract/accounts/users.ts'
import type { Locator, Page } from 'playwright-core'
import { enterFirst, FIRST_PASSWORD } from '../packages/server/test/seeds.ts'
import { call } from '../packages/server/test/server.ts'
import { openSession } from '../scripts/session.ts'
import { newSettings, PASSWORD, type ServerProcess, startProcess, SUPERADMIN } from './server-process.ts'
import { breakCall, cellsOf, logIn, proveSession, proveWhoAsks, rowOf, useVisits } from './visiting.ts'

let folder: string
let server: ServerProcess
const { visit, stranger } = useVisits(() => server)

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sdd-users-'))
  server = await startProcess(await newSettings(folder, { LOG_LEVEL: 'warn' }))
  const token = await openSession(server.url, SUPERADMIN)
  for (const [name, role, more] of [
    ['Ana Ruiz', 'admin', {}],
    ['Luis Vega', 'user', {}],
    ['Noa Gil', 'user', { enabled: false }],
    ['Dora Paz', 'admin', {}],
    ['Eva Mas', 'admin', { companyId: 20 }],
  ] as const) {
    const [first] = name.toLowerCase().split(' ')
    const body = { name, email: `${first}@example.com`, role, password: FIRST_PASSWORD, ...more }
    assert.equal((await call(server, users.saveUser, { token, body })).status, 201)
    if (!('enabled' in more)) await enterFirst(server, name, FIRST_PASSWORD, PASSWORD)
  }
})
after(async () => {
  await server.stop()
  rmSync(folder, { recursive: true })
})

async function openEdit(page: Page, name: string): Promise<Locator> {
  await rowOf(page, name).getByRole('button', { name: 'Edit', exact: true }).click()
  const form = page.getByRole('dialog', { name: 'Editar usuario', exact: true })
  await form.waitFor()
  return form
}

async function openAdd(page: Page): Promise<Locator> {
  await page.getByRole('button', { name: 'Anadir usuario', exact: true }).click()
  const form = page.getByRole('dialog', { name: 'Anadir usuario', exact: true })
  await form.waitFor()
  return form
}

type Wanted = { name: string; role: string; proof?: true }

/** Adds a user in the form, who then takes the superadmin's password as their own. */
async function addUser(page: Page, { name, role, proof }: Wanted): Promise<void> {
  const form = await openAdd(page)
  await form.getByLabel('Name').fill(name)
  await form.getByLabel('Email').fill(`${name}@example.com`)
  await form.getByLabel('Role').selectOption(role)
  await form.getByLabel('Password', { exact: true }).fill(FIRST_PASSWORD)
  await form.getByLabel('Repeat password').fill(FIRST_PASSWORD)
  await form.getByRole('button', { name: 'Save' }).click()
  if (proof) await proveWhoAsks(page)
  await page.getByRole('status').getByText('Usuario creado').waitFor()
}

test('a row has the user’s fields in the order of the columns, with a tick if enabled and a cross if not', async (t) => {
  const page = await visit(t, '/users')
  await page.getByRole('heading', { level: 1, name: 'Usuarios', exact: true }).waitFor()
  const [id, ...cells] = await cellsOf(rowOf(page, 'Ana Ruiz'))
  const columns = await page.getByRole('columnheader').allInnerTexts()
  assert.equal(
    columns.map((text) => text.trim()).join(', '),
    'ID, Nombre, Email, Role, Enabled, Company, Acciones',
  )
  assert.match(id!, /^\d+$/)
  assert.deepEqual(cells, ['Ana Ruiz', 'ana@example.com', 'admin', '', 'Main', 'Edit'])
  const enabled = (name: string) => rowOf(page, name).getByRole('cell').nth(4).getByRole('img')
  assert.equal(await enabled('Ana Ruiz').getAttribute('aria-label'), 'Habilitado')
  assert.equal(await enabled('Noa Gil').getAttribute('aria-label'), 'Deshabilitado')
})

test('a new user is sent with only the specified fields, once both passwords are there and equal', async (t) => {
  const page = await visit(t, '/users')
  const saves: unknown[] = []
  page.on('request', (request) => request.method() === 'POST' && saves.push(request.postDataJSON()))
  const form = await openAdd(page)
  const save = form.getByRole('button', { name: 'Save', exact: true })
  await form.getByLabel('Name').fill('Iker Sanz')
  await form.getByLabel('Email').fill('iker@example.com')
  for (const [password, repeat] of [
    ['', ''],
    [PASSWORD, ''],
    ['', PASSWORD],
  ] as const) {
    await form.getByLabel('Password', { exact: true }).fill(password)
    await form.getByLabel('Repeat password').fill(repeat)
    await save.click()
    const alert = form.getByRole('alert')
    await alert.getByText('Debes ingresar la contrasena dos veces.', { exact: true }).waitFor()
  }
  await form.getByLabel('Password', { exact: true }).fill(`${PASSWORD}!`)
  await save.click()
  await form.getByRole('alert').getByText('Las contrasenas no coinciden.', { exact: true }).waitFor()
  assert.deepEqual(saves, [])
  await form.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await save.click()
  await page.getByRole('status').getByText('Usuario creado', { exact: true }).waitFor()
  const user = { name: 'Iker Sanz', email: 'iker@example.com', role: 'user', password: PASSWORD }
  assert.deepEqual(saves, [user])
  await rowOf(page, 'Iker Sanz').waitFor()
})

test('an edit is sent with only the specified fields, and shows in its row', async (t) => {
  const page = await visit(t, '/users')
  const saves: Record<string, unknown>[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST') saves.push(request.postDataJSON() as Record<string, unknown>)
  })
  const form = await openEdit(page, 'Noa Gil')
  await form.getByLabel('Email').fill('noa.gil@example.com')
  await form.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('status').getByText('Usuario guardado', { exact: true }).waitFor()
  const [{ id, ...rest } = {}] = saves
  assert.equal(typeof id, 'number')
  assert.deepEqual(rest, { name: 'Noa Gil', email: 'noa.gil@example.com', role: 'user' })
  await rowOf(page, 'noa.gil@example.com').waitFor()
})

for (const [who, offered] of [
  ['superadmin', ['superadmin', 'admin', 'user']],
  ['Ana Ruiz', ['admin', 'user']],
] as const) {
  test(`${who} is offered the roles ${offered.join(', ')}`, async (t) => {
    const role = (await openAdd(await visit(t, '/users', who))).getByLabel('Role')
    assert.deepEqual(await role.getByRole('option').allInnerTexts(), offered)
  })
}

test('a new user can log in, and a disabled one no longer can', async (t) => {
  const page = await visit(t, '/users')
  await addUser(page, { name: 'olga', role: 'user' })
  await enterFirst(server, 'olga', FIRST_PASSWORD, PASSWORD)
  const hers = await logIn(await stranger(t), 'olga@example.com')
  assert.equal(await hers.evaluate(() => localStorage.getItem('role')), 'user')

  const form = await openEdit(page, 'olga')
  await form.getByRole('button', { name: 'Acceso y empresa' }).click()
  await form.getByRole('checkbox', { name: 'Enabled' }).uncheck()
  await form.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('status').getByText('Usuario guardado').waitFor()
  await rowOf(page, 'olga').getByRole('img', { name: 'Deshabilitado' }).waitFor()
  await hers.waitForURL('**/login')
  await hers.getByText('Sesión expirada').waitFor()
})

test('a password that is too short and a name that is taken are refused at their fields', async (t) => {
  const page = await visit(t, '/users?edit=new')
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

test('the last superadmin keeps the role, and sees why', async (t) => {
  const page = await visit(t, '/users')
  const form = await openEdit(page, 'superadmin')
  await form.getByLabel('Role').selectOption('admin')
  await form.getByRole('button', { name: 'Save' }).click()
  await form.getByRole('alert').getByText('superadmin is the last enabled superadmin.').waitFor()
  assert.equal(await page.evaluate(() => localStorage.getItem('role')), 'superadmin')
})

test('an admin creates admins after a proof of identity, and cannot change a superadmin', async (t) => {
  const page = await visit(t, '/users', 'Ana Ruiz')
  await addUser(page, { name: 'carla', role: 'admin', proof: true })
  await rowOf(page, 'carla').waitFor()
  const form = await openEdit(page, 'superadmin')
  const role = form.getByLabel('Role')
  assert.ok(await role.isDisabled())
  assert.equal(await role.inputValue(), 'superadmin')
  await form.getByLabel('Email').fill('taken-over@example.com')
  await form.getByRole('button', { name: 'Save', exact: true }).click()
  const alert = form.getByRole('alert')
  await alert.getByText('Error saving user', { exact: true }).waitFor()
  await alert.getByText('superadmin is a superadmin: only a superadmin may change that user.').waitFor()
  await page.goto('/users')
  await page.getByRole('cell', { name: 'superadmin@localhost', exact: true }).waitFor()
})

test('after users save themselves, their role is read again and stored; saving others does not read it', async (t) => {
  const page = await visit(t, '/users', 'Ana Ruiz')
  const stored = () => page.evaluate(() => localStorage.getItem('role'))
  const save = async (name: string) => {
    const form = await openEdit(page, name)
    await form.getByRole('button', { name: 'Save', exact: true }).click()
    await form.waitFor({ state: 'detached' })
  }
  // An old role, as it stays in the browser after another admin gave a new one.
  await page.evaluate(() => localStorage.setItem('role', 'superadmin'))
  await save('Luis Vega')
  assert.equal(await stored(), 'superadmin')
  await save('Ana Ruiz')
  assert.equal(await stored(), 'admin')
})

test('a user can open neither form', async (t) => {
  const page = await visit(t, '/users', 'Luis Vega')
  await rowOf(page, 'Ana Ruiz').waitFor()
  assert.ok(await page.getByRole('button', { name: 'Anadir usuario', exact: true }).isDisabled())
  for (const edit of await page.getByRole('button', { name: 'Edit', exact: true }).all())
    assert.ok(await edit.isDisabled())
  for (const wanted of ['new', '2']) {
    await page.goto(`/users?edit=${wanted}`)
    await rowOf(page, 'Ana Ruiz').waitFor()
    assert.equal(await page.getByRole('dialog').count(), 0)
  }
})

test('an admin who makes themselves a user continues as one', async (t) => {
  const page = await visit(t, '/users', 'Dora Paz')
  const form = await openEdit(page, 'Dora Paz')
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
  const hers = await visit(t, '/settings', 'Eva Mas')
  await hers.getByText('Yes', { exact: true }).waitFor()
  await hers.getByText('En vivo').waitFor()
  assert.equal(await hers.getByLabel('Company').count(), 0)

  const page = await visit(t, '/settings')
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

test('a device links with the code in the console, and the dialog shows success', async (t) => {
  const page = await visit(t, '/devices')
  await proveSession(page)
  await page.getByRole('table').getByRole('button', { name: 'Link device' }).click()
  const dialog = page.getByRole('dialog', { name: 'Link device' })
  await dialog.getByRole('button', { name: 'Crear código' }).click()
  await dialog.getByText('Esperando al dispositivo…').waitFor()
  const [, origin = '', code = ''] =
    /^sdd-agent link --server (\S+) --code (\S+)$/.exec(
      await dialog.getByRole('listitem').locator('code').nth(1).innerText(),
    ) ?? []
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

test('a list that fails to load is logged, and shown discreetly with a retry', async (t) => {
  const page = await visit(t, '/users')
  const mend = await breakCall(page, '/api/my-users')
  const logged = page.waitForEvent('console', (message) => message.text().startsWith('users:'))
  await page.reload()
  await page.getByRole('alert').getByText('No se pudo cargar la lista de usuarios.').waitFor()
  await logged
  await mend()
  await page.getByRole('button', { name: 'Reintentar' }).click()
  await rowOf(page, 'Ana Ruiz').waitFor()
})
