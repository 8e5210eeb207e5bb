import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rowOf, useBrowser } from './browser.ts'
import { useExampleServer } from './example-server.ts'

const open = useBrowser()
const server = await useExampleServer()

const users = [
  { id: 1, name: 'superadmin', email: 's@example.com', role: 'superadmin', enabled: true, companyId: 1 },
  { id: 4, name: 'Inés Gil', email: 'ines@example.com', role: 'admin', enabled: false, companyId: 9 },
  { id: 5, name: 'Pau Roca', email: 'pau@example.com', role: 'user', enabled: false, companyId: 9 },
  { id: 6, name: 'Ona Mir', email: 'ona@example.com', role: 'user', enabled: false, companyId: 9 },
]

/** The server stores the enabled users, and may refuse Pau and Ona. */
function begin(): { enabled: Set<number>; refuses: { pau: boolean; ona: boolean } } {
  const enabled = new Set<number>([1])
  const refuses = { pau: false, ona: false }
  server.answers['GET /api/my-users'] = () => ({
    body: users.map((user) => ({ ...user, enabled: enabled.has(user.id) })),
  })
  server.answers['POST /api/user'] = ({ body }) => {
    const { id } = JSON.parse(body) as { id: number }
    if ((id === 5 && refuses.pau) || (id === 6 && refuses.ona))
      return { status: 409, body: { detail: 'Taken.', code: 'name_taken' } }
    enabled.add(id)
    return { body: { status: 'Usuario guardado', id } }
  }
  return { enabled, refuses }
}

test('a superadmin selects several disabled users and enables them', async (t) => {
  const { enabled } = begin()
  const page = await open(t, { url: server.url })
  await page.goto('/users')
  await page.getByRole('button', { name: 'Habilitar varios' }).click()
  const dialog = page.getByRole('dialog', { name: 'Habilitar usuarios' })
  assert.ok(await dialog.getByRole('button', { name: 'Habilitar', exact: true }).isDisabled())
  await dialog.getByRole('checkbox', { name: /^Inés Gil/ }).check()
  await dialog.getByRole('checkbox', { name: /^Ona Mir/ }).check()
  await dialog.getByRole('button', { name: 'Habilitar (2)' }).click()
  await page.getByRole('status').getByText('2 usuarios habilitados').waitFor()
  await dialog.waitFor({ state: 'detached' })
  await rowOf(page, 'Ona Mir').getByRole('img', { name: 'Habilitado' }).waitFor()
  assert.deepEqual([...enabled], [1, 4, 6])
  const bodies = server.asked.filter(({ method }) => method === 'POST').map(({ body }) => JSON.parse(body))
  assert.deepEqual(bodies[0], {
    id: 4,
    name: 'Inés Gil',
    email: 'ines@example.com',
    role: 'admin',
    enabled: true,
  })
})

test('users who cannot be enabled stay selected with the reason, and the others are enabled', async (t) => {
  const { enabled, refuses } = begin()
  Object.assign(refuses, { pau: true, ona: true })
  const page = await open(t, { url: server.url })
  await page.goto('/users?edit=enable')
  const dialog = page.getByRole('dialog', { name: 'Habilitar usuarios' })
  await dialog.getByRole('button', { name: 'Seleccionar todos' }).click()
  await dialog.getByRole('button', { name: 'Habilitar (3)' }).click()
  await dialog.getByRole('alert').getByText('Pau Roca y 1 más siguen deshabilitados: Taken.').waitFor()
  assert.deepEqual([...enabled], [1, 4])
  assert.equal(await dialog.getByRole('checkbox').count(), 2)
  refuses.ona = false
  await dialog.getByRole('button', { name: 'Habilitar (2)' }).click()
  await dialog.getByRole('alert').getByText('Pau Roca sigue deshabilitado: Taken.').waitFor()
  assert.deepEqual([...enabled], [1, 4, 6])
  assert.equal(await dialog.getByRole('checkbox').count(), 1)
  refuses.pau = false
  await dialog.getByRole('button', { name: 'Habilitar (1)' }).click()
  await page.getByRole('status').getByText('1 usuario habilitado').waitFor()
  await page.getByRole('button', { name: 'Habilitar varios' }).waitFor({ state: 'detached' })
})

test('an admin enables users one at a time, from their forms', async (t) => {
  begin()
  const page = await open(t, { url: server.url, role: 'admin' })
  await page.goto('/users?edit=enable')
  await rowOf(page, 'Pau Roca').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Habilitar varios' }).count(), 0)
  assert.equal(await page.getByRole('dialog').count(), 0)
})
