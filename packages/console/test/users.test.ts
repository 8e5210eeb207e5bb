import assert from 'node:assert/strict'
import { test } from 'node:test'
import { copied, eventually, rowOf, useBrowser } from './browser.ts'
import { useExampleServer } from './example-server.ts'
import { exampleUsers } from './example-staff.ts'
import { axeFindings } from './axe.ts'
import { wrapList, type ListShape } from './stand-in.ts'

const open = useBrowser()
const server = await useExampleServer()

/** Exactly the fields of the user specification's section 3. */
const bare = [
  { id: 4, name: 'Inés Gil', email: 'ines@example.com', role: 'admin', enabled: true, companyId: 9 },
  { id: 5, name: 'Pau Roca', email: 'pau@example.com', role: 'user', enabled: false, companyId: 9 },
]

for (const shape of ['bare', 'named', 'data'] as ListShape[]) {
  test(`the users are read ${shape}, with only the specified fields`, async (t) => {
    server.answers['GET /api/my-users'] = { body: wrapList(shape, 'users', bare) }
    const page = await open(t, { url: server.url })
    await page.goto('/users')
    const cells = rowOf(page, 'Inés Gil').getByRole('cell')
    await cells.first().waitFor()
    const texts = await cells.allInnerTexts()
    assert.deepEqual(texts.slice(0, 4), ['4', 'Inés Gil', 'ines@example.com', 'admin'])
    assert.equal(texts[5], '9')
    await cells.nth(4).getByRole('img', { name: 'Habilitado' }).waitFor()
    await rowOf(page, 'Pau Roca').getByRole('img', { name: 'Deshabilitado' }).waitFor()
  })
}

test('title, columns and buttons are those of the specification', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/')
  await page.goto('/devices')
  await page.getByRole('link', { name: 'Users' }).click()
  await page.getByRole('heading', { name: 'Usuarios', level: 1 }).waitFor()
  await rowOf(page, 'Ana Ruiz').getByRole('button', { name: 'Edit', exact: true }).waitFor()
  const names = await page.getByRole('columnheader').allInnerTexts()
  assert.deepEqual(names, ['ID', 'Nombre', 'Email', 'Role', 'Enabled', 'Company', 'Acciones'])
  await page.getByRole('button', { name: 'Anadir usuario' }).click()
  const form = page.getByRole('dialog', { name: 'Anadir usuario' })
  await form.waitFor()
  const labels = await form.locator('label').allInnerTexts()
  assert.deepEqual(labels, ['Name', 'Email', 'Role', 'Password', 'Repeat password'])
  for (const name of ['Cancel', 'Save']) await form.getByRole('button', { name, exact: true }).waitFor()
})

test('in a chosen language, roles and the message after a save are words of that language', async (t) => {
  const page = await open(t, { url: server.url, language: 'es' })
  await page.goto('/users?edit=3')
  const form = page.getByRole('dialog', { name: 'Editar usuario' })
  await form.getByLabel('Rol').selectOption('administrador')
  await form.getByRole('button', { name: 'Guardar' }).click()
  await page.getByText('Usuario guardado').waitFor()
  await rowOf(page, 'Ana Ruiz').getByRole('cell', { name: 'administrador' }).waitFor()
  // Another tab changes the language.
  await page.evaluate(() => {
    localStorage.setItem('language', 'en')
    dispatchEvent(new StorageEvent('storage', { key: 'language', newValue: 'en' }))
  })
  await page.getByText('User saved').waitFor()
  await page.getByRole('columnheader', { name: 'Company' }).waitFor()
  await rowOf(page, 'Ana Ruiz').getByRole('button', { name: 'Edit' }).waitFor()
})

test('the search matches part of the name, without case or accents, and is kept in the address', async (t) => {
  server.answers['GET /api/my-users'] = { body: bare }
  const page = await open(t, { url: server.url })
  await page.goto('/users')
  await rowOf(page, 'Pau Roca').waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('INES')
  await rowOf(page, 'Pau Roca').waitFor({ state: 'detached' })
  await page.waitForURL('**/users?search=INES')
  await page.reload()
  await rowOf(page, 'Inés Gil').waitFor()
  await page.getByRole('searchbox').fill('example.com')
  await page.getByText('No users found matching the search.').waitFor()
  await page.getByRole('button', { name: 'Quitar filtros' }).click()
  await rowOf(page, 'Pau Roca').waitFor()
})

test('a failed load of the list is reported quietly, and a retry loads it', async (t) => {
  server.answers['GET /api/my-users'] = { status: 500 }
  const page = await open(t, { url: server.url })
  await page.goto('/users')
  await page.getByRole('alert').filter({ hasText: 'No se pudo cargar la lista de usuarios.' }).waitFor()
  server.answers['GET /api/my-users'] = { body: bare }
  await page.getByRole('button', { name: 'Reintentar' }).click()
  await rowOf(page, 'Inés Gil').waitFor()
  assert.equal(await page.getByRole('alert').count(), 0)
})

test('role user cannot open a form, from a button or from the address', async (t) => {
  const page = await open(t, { url: server.url, role: 'user' })
  await page.goto('/users?edit=3')
  await rowOf(page, 'Ana Ruiz').waitFor()
  assert.equal(await page.getByRole('dialog').count(), 0)
  assert.ok(await page.getByRole('button', { name: 'Anadir usuario' }).isDisabled())
  assert.ok(await rowOf(page, 'Ana Ruiz').getByRole('button', { name: 'Edit' }).isDisabled())
  assert.deepEqual(await axeFindings(page), [])
})

test('the keyboard walks the users, opens one and closes it', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/users')
  await rowOf(page, 'Ana Ruiz').waitFor()
  for (const key of ['j', 'j', 'Enter']) await page.keyboard.press(key)
  await page.getByRole('dialog', { name: 'Editar usuario' }).waitFor()
  assert.equal(await page.getByLabel('Name').inputValue(), 'Ana Ruiz')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  assert.equal(new URL(page.url()).search, '')
})

test('a user who may only read walks the rows themselves, and copies from them', async (t) => {
  server.answers['GET /api/my-users'] = { body: bare }
  const page = await open(t, { url: server.url, role: 'user' })
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto('/users')
  await rowOf(page, 'Pau Roca').waitFor()
  for (const key of ['j', 'j']) await page.keyboard.press(key)
  await eventually(async () =>
    assert.ok(await rowOf(page, 'Pau Roca').evaluate((row) => row === document.activeElement)),
  )
  const outline = await rowOf(page, 'Pau Roca').evaluate((row) => getComputedStyle(row).outlineStyle)
  assert.equal(outline, 'solid')
  for (const key of ['k', 'c']) await page.keyboard.press(key)
  await copied(page, 'ines@example.com', () => page.keyboard.press('c'))
})

test('few of 5,000 users are mounted, and the user can scroll to the last one', async (t) => {
  server.answers['GET /api/my-users'] = { body: exampleUsers(5_000) }
  const page = await open(t, { url: server.url })
  await page.goto('/users')
  await rowOf(page, 'Ana Ruiz').waitFor()
  assert.equal(await page.getByRole('table').getAttribute('aria-rowcount'), '5001')
  await page
    .getByRole('region', { name: 'Lista de usuarios' })
    .evaluate((list) => list.scrollTo({ top: 1e9 }))
  await page.getByRole('cell', { name: '5000', exact: true }).waitFor()
  assert.ok((await page.getByRole('row').count()) <= 60)
})

test('users are filtered by role and company, and sorted by a heading', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/users')
  await rowOf(page, 'Ana Ruiz').waitFor()
  await page.getByLabel('Filtrar por rol').selectOption('admin')
  await page.getByLabel('Filtrar por empresa').selectOption('2')
  const roles = page.getByRole('row').getByRole('cell', { name: 'admin', exact: true })
  const rows = page.getByRole('row').filter({ has: page.getByRole('cell') })
  await eventually(async () => assert.equal(await rows.count(), await roles.count()))
  assert.ok((await rows.count()) > 0)
  await page.getByRole('button', { name: 'Nombre' }).click()
  await page.locator('[aria-sort=ascending]').waitFor()
  await page.getByRole('button', { name: 'Nombre' }).click()
  await page.waitForURL('**/users?role=admin&company=2&sort=name&desc=true')
  await page.locator('[aria-sort=descending]').waitFor()
  const names = await rows.getByRole('cell').nth(1).allInnerTexts()
  assert.deepEqual(
    names,
    names.toSorted((a, b) => b.localeCompare(a)),
  )
})

test('a chosen language shows the last login, and no buttons to a user who may not edit', async (t) => {
  const page = await open(t, { url: server.url, language: 'en' })
  await page.goto('/users')
  await page.getByRole('columnheader', { name: 'Last login' }).waitFor()
  await page.getByText('with a second factor').first().waitFor()
  const theirs = await open(t, { url: server.url, role: 'user', language: 'en' })
  await theirs.goto('/users')
  await theirs.getByRole('columnheader', { name: 'Last login' }).waitFor()
  assert.equal(await theirs.getByRole('button', { name: 'Edit' }).count(), 0)
})
