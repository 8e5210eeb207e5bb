import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test, type TestContext } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { eventually, useBrowser } from '../packages/console/test/browser.ts'
import { enterFirst, FIRST_PASSWORD } from '../packages/server/test/seeds.ts'
import { openSession } from '../scripts/session.ts'
import { newSettings, PASSWORD, type ServerProcess, startProcess, SUPERADMIN } from './server-process.ts'
import { breakCall, cellsOf, logIn, rowOf } from './visiting.ts'

let folder: string
let server: ServerProcess
const visit = useBrowser()

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sdd-users-'))
  server = await startProcess(await newSettings(folder, { LOG_LEVEL: 'warn' }))
  const token = await openSession(server.url, SUPERADMIN)
  for (const [name, role, enabled] of [
    ['Ana Ruiz', 'admin', true],
    ['Luis Vega', 'user', true],
    ['Noa Gil', 'user', false],
  ] as const) {
    const [first] = name.toLowerCase().split(' ')
    const user = { name, email: `${first}@example.com`, role, enabled, password: FIRST_PASSWORD }
    const made = await fetch(`${server.url}/api/user`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(user),
    })
    assert.equal(made.status, 201)
    if (enabled) await enterFirst(server, name, FIRST_PASSWORD, PASSWORD)
  }
})
after(async () => {
  await server.stop()
  rmSync(folder, { recursive: true })
})

async function enter(t: TestContext, username?: string): Promise<Page> {
  const page = await logIn(await visit(t, { url: server.url, role: 'none' }), username)
  await page.getByRole('link', { name: 'Users', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'Usuarios', exact: true }).waitFor()
  await rowOf(page, 'Ana Ruiz').waitFor()
  return page
}

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

test('a row has the user’s fields in the order of the columns, a tick where enabled and a cross where not', async (t) => {
  const page = await enter(t)
  const [id, ...cells] = await cellsOf(rowOf(page, 'Ana Ruiz'))
  assert.match(id!, /^\d+$/)
  assert.deepEqual(cells, ['Ana Ruiz', 'ana@example.com', 'admin', '', 'Main', 'Edit'])
  const enabled = (name: string) => rowOf(page, name).getByRole('cell').nth(4).getByRole('img')
  assert.equal(await enabled('Ana Ruiz').getAttribute('aria-label'), 'Habilitado')
  assert.equal(await enabled('Noa Gil').getAttribute('aria-label'), 'Deshabilitado')
})

test('the search filters by name, and says when nobody has it', async (t) => {
  const page = await enter(t)
  const search = page.getByRole('searchbox')
  await search.fill('vEG')
  await rowOf(page, 'Ana Ruiz').waitFor({ state: 'detached' })
  await rowOf(page, 'Luis Vega').waitFor()
  await search.fill('luis@example.com')
  await page.getByText('No users found matching the search.', { exact: true }).waitFor()
})

test('adding asks for name, e-mail, role and the password twice; editing for no password', async (t) => {
  const page = await enter(t)
  const added = await openAdd(page)
  assert.deepEqual(await added.locator('label').allInnerTexts(), [
    'Name',
    'Email',
    'Role',
    'Password',
    'Repeat password',
  ])
  for (const label of ['Name', 'Email', 'Role', 'Password', 'Repeat password'])
    assert.notEqual(await added.getByLabel(label, { exact: true }).getAttribute('required'), null, label)
  assert.equal(await added.getByLabel('Email').getAttribute('type'), 'email')
  assert.equal(await added.locator('input[type=password]').count(), 2)
  await added.getByRole('button', { name: 'Save', exact: true }).waitFor()
  await added.getByRole('button', { name: 'Cancel', exact: true }).click()
  await added.waitFor({ state: 'detached' })
  const edited = await openEdit(page, 'Luis Vega')
  assert.deepEqual(await edited.locator('label').allInnerTexts(), ['Name', 'Email', 'Role'])
  assert.equal(await edited.getByLabel('Name').inputValue(), 'Luis Vega')
  assert.equal(await edited.getByLabel('Email').inputValue(), 'luis@example.com')
  assert.equal(await edited.getByLabel('Role').inputValue(), 'user')
})

test('a new user is sent with the specified fields alone, once both passwords are there and the same', async (t) => {
  const page = await enter(t)
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

test('an edit is sent with the specified fields alone, and shows in its row', async (t) => {
  const page = await enter(t)
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
    const page = await enter(t, who)
    const role = (await openAdd(page)).getByLabel('Role')
    assert.deepEqual(await role.getByRole('option').allInnerTexts(), offered)
  })
}

test('an admin sees the role of a superadmin read-only, and hears why the rest is refused', async (t) => {
  const page = await enter(t, 'Ana Ruiz')
  const form = await openEdit(page, 'superadmin')
  const role = form.getByLabel('Role')
  assert.ok(await role.isDisabled())
  assert.equal(await role.inputValue(), 'superadmin')
  await form.getByRole('button', { name: 'Save', exact: true }).click()
  const alert = form.getByRole('alert')
  await alert.getByText('Error saving user', { exact: true }).waitFor()
  await alert.getByText('superadmin is a superadmin: only a superadmin may change that user.').waitFor()
})

test('a user can open neither form', async (t) => {
  const page = await enter(t, 'Luis Vega')
  assert.ok(await page.getByRole('button', { name: 'Anadir usuario', exact: true }).isDisabled())
  for (const edit of await page.getByRole('button', { name: 'Edit', exact: true }).all())
    assert.ok(await edit.isDisabled())
  for (const wanted of ['new', '2']) {
    await page.goto(`/users?edit=${wanted}`)
    await rowOf(page, 'Ana Ruiz').waitFor()
    assert.equal(await page.getByRole('dialog').count(), 0)
  }
})

for (const status of [400, 403, 404, 413, 429, 500, 503, 507]) {
  test(`a save that is answered ${status} alerts, and keeps what was typed`, async (t) => {
    const page = await enter(t)
    await breakCall(page, '/api/user', status)
    const form = await openEdit(page, 'Luis Vega')
    await form.getByLabel('Name').fill('Luis Vega Mora')
    await form.getByRole('button', { name: 'Save', exact: true }).click()
    await form.getByRole('alert').getByText('Error saving user', { exact: true }).waitFor()
    assert.equal(await form.getByLabel('Name').inputValue(), 'Luis Vega Mora')
  })
}

test('a list that fails to load is logged, and said quietly with a retry', async (t) => {
  const page = await enter(t)
  const mend = await breakCall(page, '/api/my-users')
  const logged = page.waitForEvent('console', (message) => message.text().startsWith('users:'))
  await page.reload()
  await page.getByRole('alert').getByText('No se pudo cargar la lista de usuarios.').waitFor()
  await logged
  await mend()
  await page.getByRole('button', { name: 'Reintentar' }).click()
  await rowOf(page, 'Ana Ruiz').waitFor()
})

test('who saves themselves has their role read again and kept; another’s is not asked for', async (t) => {
  const page = await enter(t, 'Ana Ruiz')
  const reads: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (/^\/api\/user\/\d+$/.test(pathname)) reads.push(pathname)
  })
  const save = async (name: string) => {
    const form = await openEdit(page, name)
    await form.getByRole('button', { name: 'Save', exact: true }).click()
    await form.waitFor({ state: 'detached' })
  }
  await save('Luis Vega')
  assert.deepEqual(reads, [])
  await save('Ana Ruiz')
  const id = await page.evaluate(() => localStorage.getItem('user_id'))
  assert.deepEqual(reads, [`/api/user/${id}`])
  await eventually(async () => assert.equal(await page.evaluate(() => localStorage.getItem('role')), 'admin'))
})
