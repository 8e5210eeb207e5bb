import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { eventually, rowOf, useBrowser } from './browser.ts'
import { CODE, factorOn } from './example-account.ts'
import { useExampleServer } from './example-server.ts'

const open = useBrowser()
const server = await useExampleServer()

const DENIED = { status: 403, body: { detail: 'Prove it.', code: 'proof_required' } }

/** Makes the server refuse this call until it has a proof, then answer as usual. */
function wantProofFor(where: string): void {
  const usual = server.answers[where]!
  let proved = false
  const proof = server.answers['POST /api/proof'] as (asked: never) => { status: number }
  server.answers['POST /api/proof'] = (asked) => {
    const answer = proof(asked as never)
    proved ||= answer.status === 204
    return answer
  }
  server.answers[where] = (asked) => {
    if (!proved) return DENIED
    return typeof usual === 'function' ? usual(asked) : usual
  }
}

const proofs = () => server.asked.filter(({ path }) => path === '/api/proof').map(({ body }) => body)
const calls = (where: string) => server.asked.filter(({ method, path }) => `${method} ${path}` === where)

async function fillNewAdmin(page: Page): Promise<Locator> {
  await page.goto('/users?edit=new')
  const form = page.getByRole('dialog', { name: 'Anadir usuario' })
  await form.getByLabel('Name').fill('Nuria Sanz')
  await form.getByLabel('Email').fill('nuria@example.com')
  await form.getByLabel('Role').selectOption('admin')
  await form.getByLabel('Password', { exact: true }).fill('a long password')
  await form.getByLabel('Repeat password').fill('a long password')
  return form
}

const question = (page: Page) => page.getByRole('dialog', { name: 'Confirme que es usted' })

const focused = (locator: Locator) =>
  eventually(async () => assert.ok(await locator.evaluate((element) => element === document.activeElement)))

async function openPage(t: TestContext): Promise<Page> {
  return open(t, { url: server.url })
}

test('a save that needs a proof asks for the password and continues by itself, by keyboard too', async (t) => {
  wantProofFor('POST /api/user')
  const page = await openPage(t)
  const form = await fillNewAdmin(page)
  await form.getByRole('button', { name: 'Save' }).press('Enter')
  const password = question(page).getByLabel('Contraseña actual')
  await focused(password)
  await page.keyboard.type('wrong')
  await page.keyboard.press('Enter')
  await question(page).getByText('La contraseña no es correcta.').waitFor()
  await focused(password)
  await password.fill('correct')
  await page.keyboard.press('Enter')
  await page.getByRole('status').getByText('Usuario creado').waitFor()
  await form.waitFor({ state: 'detached' })
  const [first, second, ...more] = calls('POST /api/user').map(({ body }) => body)
  assert.deepEqual([first, more], [second, []])
  assert.deepEqual(proofs(), ['{"password":"wrong"}', '{"password":"correct"}'])
})

test('a user who cancels the proof returns to the unchanged form and its focus, and can try again', async (t) => {
  wantProofFor('POST /api/user')
  const page = await openPage(t)
  const form = await fillNewAdmin(page)
  const save = form.getByRole('button', { name: 'Save' })
  for (const cancel of [
    () => page.keyboard.press('Escape'),
    () => question(page).getByRole('button', { name: 'Cancelar' }).click(),
  ]) {
    await save.press('Enter')
    await focused(question(page).getByLabel('Contraseña actual'))
    await cancel()
    await question(page).waitFor({ state: 'detached' })
    await focused(save)
    assert.equal(await form.getByLabel('Name').inputValue(), 'Nuria Sanz')
    assert.equal(await form.getByLabel('Repeat password').inputValue(), 'a long password')
    assert.equal(await form.getByRole('alert').count(), 0)
  }
  assert.deepEqual(proofs(), [])
  await save.press('Enter')
  await question(page).getByLabel('Contraseña actual').fill('correct')
  await question(page).getByRole('button', { name: 'Confirmar' }).click()
  await page.getByRole('status').getByText('Usuario creado').waitFor()
})

test('a user with a second factor is asked for a code, and may give the password instead', async (t) => {
  server.answers['GET /api/second-factor'] = { body: factorOn }
  wantProofFor('POST /api/link-codes')
  const page = await openPage(t)
  await page.goto('/devices?link=new')
  const dialog = page.getByRole('dialog', { name: 'Link device' })
  await dialog.getByRole('button', { name: 'Crear código' }).click()
  await question(page).getByRole('button', { name: 'Usar la contraseña' }).click()
  await focused(question(page).getByLabel('Contraseña actual'))
  await question(page).getByRole('button', { name: 'Usar un código' }).click()
  await focused(question(page).getByLabel('Código', { exact: true }))
  await page.keyboard.type(CODE)
  await page.keyboard.press('Enter')
  await question(page).waitFor({ state: 'detached' })
  await eventually(() => assert.equal(calls('POST /api/link-codes').length, 2))
  assert.deepEqual(proofs(), [`{"code":"${CODE}"}`])
})

test('removing a colleague’s second factor continues after the proof', async (t) => {
  wantProofFor('DELETE /api/user/*/second-factor')
  const page = await openPage(t)
  await page.goto('/users')
  await rowOf(page, 'Luis Vega').getByRole('button', { name: 'Edit' }).click()
  await page.getByRole('button', { name: 'Acceso y empresa' }).click()
  await page.getByRole('button', { name: 'Quitar segundo factor' }).click()
  await page
    .getByRole('dialog', { name: /Luis Vega/ })
    .getByRole('button', { name: 'Quitar segundo factor' })
    .click()
  await question(page).getByLabel('Contraseña actual').fill('correct')
  await page.keyboard.press('Enter')
  await page.getByText('Luis Vega').first().waitFor()
  await eventually(() =>
    assert.equal(
      server.asked.filter(({ method, path }) => method === 'DELETE' && /second-factor/.test(path)).length,
      2,
    ),
  )
})

test('the form of the own user has no password field and links to the account', async (t) => {
  const page = await openPage(t)
  await page.goto('/users?edit=1')
  const form = page.getByRole('dialog', { name: 'Editar usuario' })
  await form.getByRole('button', { name: 'Acceso y empresa' }).click()
  await form.getByLabel('Enabled').waitFor()
  assert.equal(await form.getByLabel('Nueva contraseña').count(), 0)
  await form.getByRole('link', { name: 'Cuenta' }).click()
  await page.getByRole('heading', { level: 1, name: 'Cuenta' }).waitFor()
})
