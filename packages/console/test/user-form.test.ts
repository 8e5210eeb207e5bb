import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, rowOf, useBrowser } from './browser.ts'
import { useExampleServer } from './example-server.ts'
import { exampleUsers } from './example-staff.ts'

const open = useBrowser()
const server = await useExampleServer()

/** The bodies sent to save a user, the last first. */
function saves(): unknown[] {
  const posts = server.asked.filter(({ method, path }) => method === 'POST' && path === '/api/user')
  return posts.map(({ body }) => JSON.parse(body) as unknown).reverse()
}

test('a new user needs the password twice, and both times the same', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/users?edit=new')
  const form = page.getByRole('dialog', { name: 'Anadir usuario' })
  for (const label of ['Name', 'Email', 'Role', 'Password', 'Repeat password'])
    assert.notEqual(await form.getByLabel(label, { exact: true }).getAttribute('required'), null, label)
  assert.equal(await form.locator('input[type=password]').count(), 2)
  await form.getByLabel('Name').fill('  Nuria Sanz ')
  await form.getByLabel('Email').fill('nuria@example.com')
  await form.getByLabel('Password', { exact: true }).fill('a long password')
  await form.getByRole('button', { name: 'Save' }).click()
  await form
    .getByRole('alert')
    .getByText('Debes ingresar la contrasena dos veces.', { exact: true })
    .waitFor()
  await form.getByLabel('Repeat password').fill('another password')
  await form.getByRole('button', { name: 'Save' }).click()
  await form.getByText('Las contrasenas no coinciden.', { exact: true }).waitFor()
  assert.deepEqual(saves(), [])
  await form.getByLabel('Repeat password').fill('a long password')
  await form.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('status').getByText('Usuario creado').waitFor()
  await form.waitFor({ state: 'detached' })
  assert.deepEqual(saves(), [
    { name: 'Nuria Sanz', email: 'nuria@example.com', role: 'user', password: 'a long password' },
  ])
})

test('name and e-mail are required, and the e-mail must be valid', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/users?edit=3')
  const form = page.getByRole('dialog', { name: 'Editar usuario' })
  await form.getByLabel('Name').fill(' ')
  await form.getByLabel('Email').fill('nobody')
  assert.equal(await form.getByLabel('Email').getAttribute('type'), 'email')
  await form.getByRole('button', { name: 'Save' }).click()
  await form.getByText('Este campo es obligatorio.').waitFor()
  await form.getByText('Escriba una dirección como ana@example.com.').waitFor()
  await eventually(async () =>
    assert.ok(await form.getByLabel('Name').evaluate((input) => input === document.activeElement)),
  )
  assert.deepEqual(saves(), [])
})

test('editing needs no password and sends only the specified fields', async (t) => {
  const goLive = server.holdLive()
  t.after(goLive)
  const page = await open(t, { url: server.url })
  await page.goto('/users')
  await rowOf(page, 'Luis Vega').getByRole('button', { name: 'Edit' }).click()
  await page.waitForURL('**/users?edit=3')
  const form = page.getByRole('dialog', { name: 'Editar usuario' })
  assert.equal(await form.locator('input[type=password]').count(), 0)
  await form.getByLabel('Email').fill('luis@example.com')
  await form.getByLabel('Role').selectOption('admin')
  const loads = () => server.asked.filter(({ path }) => path === '/api/my-users').length
  const before = loads()
  await form.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('status').getByText('Usuario guardado').waitFor()
  assert.deepEqual(saves(), [{ id: 3, name: 'Luis Vega', email: 'luis@example.com', role: 'admin' }])
  await eventually(() => assert.equal(loads(), before + 1))
  await eventually(async () =>
    assert.ok(
      await rowOf(page, 'Luis Vega')
        .getByRole('button', { name: 'Edit' })
        .evaluate((button) => button === document.activeElement),
    ),
  )
})

test("an administrator's other changes are sent only for changed fields", async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/users?edit=3')
  const form = page.getByRole('dialog', { name: 'Editar usuario' })
  await form.getByRole('button', { name: 'Acceso y empresa' }).click()
  await form.getByRole('checkbox', { name: 'Enabled' }).uncheck()
  await form.getByLabel('Nueva contraseña').fill('a new password')
  await form.getByLabel('Company').selectOption('Nueva empresa…')
  await form.getByText('Se creará la empresa 4.').waitFor()
  await form.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('status').getByText('Usuario guardado').waitFor()
  const { id, enabled, password, companyId } = saves()[0] as Record<string, unknown>
  assert.deepEqual([id, enabled, password, companyId], [3, false, 'a new password', 4])
})

test('a failed save shows the server’s words and each field’s error, and loses nothing', async (t) => {
  server.answers['POST /api/user'] = {
    status: 409,
    body: { detail: 'Another user goes by Ana already.', code: 'name_taken', fields: { name: 'is taken' } },
  }
  const page = await open(t, { url: server.url })
  await page.goto('/users?edit=3')
  const form = page.getByRole('dialog', { name: 'Editar usuario' })
  await form.getByLabel('Name').fill('Ana')
  await form.getByRole('button', { name: 'Save' }).click()
  const alert = form.getByRole('alert')
  await alert.getByText('Error saving user', { exact: true }).waitFor()
  await alert.getByText('Another user goes by Ana already.').waitFor()
  assert.match(await form.getByLabel('Name').evaluate(describedBy), /is taken/)
  assert.equal(await form.getByLabel('Name').inputValue(), 'Ana')
  server.answers['POST /api/user'] = { status: 500 }
  await form.getByRole('button', { name: 'Save' }).click()
  await eventually(async () => assert.equal(await alert.innerText(), 'Error saving user'))
})

const offered = {
  superadmin: ['superadmin', 'admin', 'user'],
  admin: ['admin', 'user'],
} as const

for (const role of ['superadmin', 'admin'] as const) {
  test(`a user with role ${role} is offered the roles that they may assign`, async (t) => {
    const page = await open(t, { url: server.url, role })
    await page.goto('/users?edit=new')
    const control = page.getByLabel('Role')
    await control.waitFor()
    assert.deepEqual(await control.getByRole('option').allInnerTexts(), offered[role])
    assert.ok(await control.isEnabled())
  })
}

test('an admin who edits a superadmin sees the role read-only', async (t) => {
  const page = await open(t, { url: server.url, role: 'admin' })
  await page.goto('/users?edit=1')
  const control = page.getByLabel('Role')
  assert.ok(await control.isDisabled())
  assert.equal(await control.inputValue(), 'superadmin')
  await page.getByText('Solo un superadmin puede cambiar a este usuario.').waitFor()
})

test('users who save themselves get their new role, which is stored and applied', async (t) => {
  const me = { ...exampleUsers(1)[0], id: 1, name: 'Yo', role: 'admin' }
  server.answers['GET /api/my-users'] = { body: [me] }
  server.answers['GET /api/user/1'] = { body: { ...me, role: 'user' } }
  const page = await open(t, { url: server.url, role: 'admin' })
  await page.goto('/users?edit=1')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('status').getByText('Usuario guardado').waitFor()
  assert.equal(await page.evaluate(() => localStorage.getItem('role')), 'user')
  assert.ok(await page.getByRole('button', { name: 'Anadir usuario' }).isDisabled())
  await page.getByRole('navigation').getByText('user', { exact: true }).waitFor()
})

test('users who save somebody else do not read their own role again', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/users?edit=3')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('status').getByText('Usuario guardado').waitFor()
  assert.ok(!server.asked.some(({ path }) => path === '/api/user/3'))
})

test('an address that names no user says so', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/users?edit=999')
  await page.getByRole('dialog').getByText('Ese usuario no existe o no se puede ver.').waitFor()
})

test('a password that is too short is refused in the form, before it is sent', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/users?edit=new')
  const form = page.getByRole('dialog', { name: 'Anadir usuario' })
  await form.getByLabel('Name').fill('Nuria')
  await form.getByLabel('Email').fill('nuria@example.com')
  await form.getByLabel('Password', { exact: true }).fill('short')
  await form.getByLabel('Repeat password').fill('short')
  await form.getByRole('button', { name: 'Save' }).click()
  await form.getByText('Debe tener de 10 a 256 caracteres.').waitFor()
  await form.getByRole('alert').getByText('Error saving user').waitFor()
  assert.deepEqual(saves(), [])
})

function describedBy(input: Element): string {
  return document.getElementById(input.getAttribute('aria-describedby') ?? '')?.textContent ?? ''
}

test('a superadmin chooses the company of a new user, and one that would be created is named before', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/users?edit=new')
  const form = page.getByRole('dialog', { name: 'Anadir usuario' })
  await form.getByLabel('Name').fill('Nuria')
  await form.getByLabel('Email').fill('nuria@example.com')
  for (const name of ['Password', 'Repeat password'])
    await form.getByLabel(name, { exact: true }).fill('a long password')
  await form.getByRole('button', { name: 'Acceso y empresa' }).click()
  const company = form.getByRole('combobox', { name: 'Company' })
  await eventually(async () => assert.ok((await company.getByRole('option').count()) > 2))
  await company.selectOption({ label: 'Nueva empresa…' })
  const id = await company.inputValue()
  await form.getByText(`Se creará la empresa ${id}.`).waitFor()
  await form.getByRole('button', { name: 'Save' }).click()
  await form.waitFor({ state: 'detached' })
  assert.equal(String((saves()[0] as { companyId: unknown }).companyId), id)
})
