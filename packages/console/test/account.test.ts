import assert from 'node:assert/strict'
import { text as readText } from 'node:stream/consumers'
import { test } from 'node:test'
import type { OpenSession } from '@sdd/contract/accounts/sessions.ts'
import { copied, eventually, useBrowser } from './browser.ts'
import { CODE, exampleRecoveryCodes, exampleSessions, factorOn, SECRET } from './example-account.ts'
import { useExampleServer } from './example-server.ts'

const open = useBrowser()
const server = await useExampleServer()

const bodyOf = (path: string) => {
  const call = server.asked.findLast((asked) => asked.path === path && asked.method === 'POST')
  return JSON.parse(call?.body ?? 'null') as unknown
}

test('the account opens from the foot of the menu and from the palette, and is not a link among the screens', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/devices')
  const menu = page.getByRole('navigation', { name: 'Principal' })
  await menu.getByRole('button', { name: 'Cuenta' }).click()
  await page.getByRole('heading', { level: 1, name: 'Cuenta', exact: true }).waitFor()
  assert.equal(new URL(page.url()).pathname, '/account')
  // Without the place for a hyphen, and the count of unread SMS.
  const links = (await menu.getByRole('link').allTextContents()).map((link) =>
    link.replace(/\u00ad|\d.*/g, ''),
  )
  assert.deepEqual(links, [
    'Dashboard',
    'Conversaciones',
    'Devices',
    'Send SMS',
    'Campañas',
    'Contactos',
    'Users',
    'Logs',
    'Running Tasks',
    'Rutas',
    'Settings',
  ])
  await menu.getByRole('link', { name: 'Logs' }).click()
  await page.getByRole('heading', { level: 1, name: 'Transaction Logs' }).waitFor()
  await page.keyboard.press('ControlOrMeta+k')
  await page.getByRole('combobox', { name: 'Ir a cualquier parte' }).fill('cuenta')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Cuenta', exact: true }).waitFor()
})

test('on a phone the menu closes when the account opens', async (t) => {
  const page = await open(t, { url: server.url, size: 'phone' })
  await page.goto('/devices')
  await page.getByRole('button', { name: 'Menu', exact: true }).click()
  await page.getByRole('button', { name: 'Cuenta' }).click()
  await page.getByText('Esta sesión').waitFor()
  await eventually(async () => assert.equal(await page.getByRole('navigation').count(), 0))
})

test('the second factor is turned on by password, app and first code; its recovery codes are shown once', async (t) => {
  const page = await open(t, { url: server.url })
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto('/account')
  await page.getByRole('button', { name: 'Activar' }).click()
  await page.waitForURL('**/account?open=enrol')
  const dialog = page.getByRole('dialog', { name: 'Activar el segundo factor' })
  const password = dialog.getByLabel('Contraseña actual')
  await password.fill('guessed')
  await password.press('Enter')
  await dialog.getByText('La contraseña no es correcta.').waitFor()
  await password.fill('correct')
  await password.press('Enter')

  await dialog.getByRole('img', { name: 'Código QR para la aplicación' }).waitFor()
  await dialog.getByText(SECRET.replaceAll(/.{4}(?=.)/g, '$& '), { exact: true }).waitFor()
  const copy = () => dialog.getByRole('button', { name: 'Copiar secreto' }).click()
  await copy()
  await copied(page, new RegExp(`^${SECRET.replaceAll(/(?=.)/g, ' ?')}$`), copy)
  const code = dialog.getByLabel('Código que muestra la aplicación')
  await code.fill('000000')
  await code.press('Enter')
  await dialog.getByText(/^El código no es correcto/).waitFor()
  assert.ok(await code.evaluate((input) => input === document.activeElement))
  server.answers['GET /api/second-factor'] = { body: { ...factorOn, recovery_codes_left: 10 } }
  await code.fill(CODE)
  await code.press('Enter')
  assert.deepEqual(bodyOf('/api/second-factor'), { password: 'correct' })

  const shown = page.getByRole('dialog', { name: 'Códigos de recuperación' })
  const list = shown.getByRole('list', { name: 'Los diez códigos' })
  await list.waitFor()
  assert.deepEqual(await list.getByRole('listitem').allTextContents(), exampleRecoveryCodes)
  await shown.getByRole('button', { name: 'Cerrar' }).click()
  await shown.getByText(/^No ha copiado nada/).waitFor()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    shown.getByRole('button', { name: 'Descargar' }).click(),
  ])
  assert.equal(download.suggestedFilename(), 'sms-drone-dash-codigos.txt')
  const saved = await readText(await download.createReadStream())
  assert.ok(saved.endsWith(`\n\n${exampleRecoveryCodes.join('\n')}\n`))
  await shown.getByRole('button', { name: 'Cerrar' }).click()
  await page.getByText('Quedan 10 códigos de recuperación.').waitFor()
  assert.equal(new URL(page.url()).search, '')
})

for (const [button, title, path] of [
  ['Nuevos códigos', 'Nuevos códigos de recuperación', '/api/second-factor/recovery-codes'],
  ['Desactivar', 'Desactivar el segundo factor', '/api/second-factor/off'],
] as const) {
  test(`'${button}' asks for the password and a code, and says which of them is wrong`, async (t) => {
    server.answers['GET /api/second-factor'] = { body: factorOn }
    const page = await open(t, { url: server.url })
    await page.goto('/account')
    await page.getByText('Quedan 3 códigos de recuperación.').waitFor()
    await page.getByText('Haga nuevos antes de quedarse sin ellos.').waitFor()
    await page.getByRole('button', { name: button }).click()
    const dialog = page.getByRole('dialog', { name: title })
    const send = dialog.getByRole('button', { name: button })
    await send.click()
    await dialog.getByText('Este campo es obligatorio.').first().waitFor()
    assert.equal(bodyOf(path), null)
    await dialog.getByLabel('Contraseña actual').fill('correct')
    await dialog.getByLabel('Código', { exact: true }).fill('000000')
    await send.click()
    await dialog.getByText(/^El código no es correcto/).waitFor()
    server.answers['GET /api/second-factor'] = { body: { ...factorOn, enabled: path.endsWith('codes') } }
    await dialog.getByLabel('Código', { exact: true }).fill(CODE)
    await send.click()
    if (path.endsWith('codes')) await page.getByRole('list', { name: 'Los diez códigos' }).waitFor()
    else await page.getByRole('button', { name: 'Activar', exact: true }).waitFor()
    assert.deepEqual(bodyOf(path), { password: 'correct', code: CODE })
  })
}

/** A list that drops ended sessions. */
function keepSessions(): () => OpenSession[] {
  let sessions = exampleSessions()
  server.answers['GET /api/sessions'] = () => ({ body: { sessions } })
  server.answers['DELETE /api/sessions/*'] = ({ path }) => {
    sessions = sessions.filter(({ id }) => !path.endsWith(`/${id}`))
    return { status: 204 }
  }
  server.answers['POST /api/sessions/end-others'] = () => {
    const ended = sessions.length - 1
    sessions = sessions.filter(({ current }) => current)
    return { body: { ended } }
  }
  return () => sessions
}

test("the account lists the user's sessions and ends any of them except the current one", async (t) => {
  const sessions = keepSessions()
  const page = await open(t, { url: server.url })
  await page.goto('/account')
  const list = page.getByRole('list', { name: 'Sesiones abiertas' })
  await list.getByText('Chrome · Android').waitFor()
  const lines = await list.getByRole('listitem').allTextContents()
  assert.equal(lines.length, 3)
  assert.match(lines[0]!, /^Chrome · Linux192\.0\.2\.17Abierta .+ último uso hace \d+ (s|min).+Esta sesión$/)
  await list.getByRole('button', { name: 'Cerrar curl, 198.51.100.4' }).click()
  await page.getByText('Sesión cerrada').waitFor()
  await eventually(async () => assert.equal(await list.getByRole('listitem').count(), 2))
  assert.deepEqual(
    sessions().map(({ id }) => id),
    [31, 24],
  )
  assert.equal(await list.getByRole('listitem').first().getByRole('button').count(), 0)

  await page.getByRole('button', { name: 'Cerrar las demás' }).click()
  const dialog = page.getByRole('dialog', { name: 'Cerrar las demás' })
  await dialog.getByText('Se cierra la otra sesión; esta sigue abierta.').waitFor()
  await dialog.getByRole('button', { name: 'Cerrar las demás' }).click()
  await page.getByText('Las demás sesiones están cerradas').waitFor()
  await eventually(async () => assert.equal(await list.getByRole('listitem').count(), 1))
  assert.equal(await page.getByRole('button', { name: 'Cerrar las demás' }).count(), 0)
})

test('a failed load or a failed end of a session is reported and can be retried', async (t) => {
  const usual = server.answers['GET /api/sessions']!
  server.answers['GET /api/sessions'] = { status: 404 }
  server.answers['GET /api/second-factor'] = { status: 404 }
  server.answers['DELETE /api/sessions/*'] = { status: 503 }
  const page = await open(t, { url: server.url })
  await page.goto('/account')
  await page.getByText('No se pudo cargar el segundo factor.').waitFor()
  const failed = page.getByRole('alert').filter({ hasText: 'No se pudieron cargar las sesiones.' })
  await failed.waitFor()
  server.answers['GET /api/sessions'] = usual
  await failed.getByRole('button', { name: 'Reintentar' }).click()
  await page.getByRole('button', { name: 'Cerrar curl, 198.51.100.4' }).click()
  await page.getByRole('alert').filter({ hasText: 'No se pudo cerrar la sesión.' }).waitFor()
})

test('users change their own password by giving the current one; errors are at their fields', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/account')
  const box = page.getByRole('region', { name: 'Contraseña' })
  const fill = async (password: string, next: string, repeat: string) => {
    await box.getByLabel('Contraseña actual').fill(password)
    await box.getByLabel('Contraseña nueva', { exact: true }).fill(next)
    await box.getByLabel('Repita la contraseña nueva').fill(repeat)
    await box.getByRole('button', { name: 'Cambiar contraseña' }).click()
  }
  await fill('correct', 'short', 'short')
  await box.getByText('Debe tener de 10 a 256 caracteres.').waitFor()
  await fill('correct', 'long enough 1', 'long enough 2')
  await box.getByText('Las contraseñas no coinciden.').waitFor()
  assert.equal(bodyOf('/api/password'), null)
  await fill('guessed', 'long enough 1', 'long enough 1')
  await box.getByText('La contraseña no es correcta.').waitFor()
  await fill('correct', 'long enough 1', 'long enough 1')
  await box.getByText(/^Contraseña cambiada/).waitFor()
  assert.deepEqual(bodyOf('/api/password'), { password: 'correct', new_password: 'long enough 1' })
  assert.equal(await box.getByLabel('Contraseña actual').inputValue(), '')
})

test("an admin removes another's second factor from the user's form", async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/users?edit=3')
  await page.getByRole('button', { name: 'Acceso y empresa' }).click()
  await page.getByText('Segundo factor activo').waitFor()
  await page.getByRole('button', { name: 'Quitar segundo factor' }).click()
  const dialog = page.getByRole('dialog', { name: '¿Quitar el segundo factor de Luis Vega?' })
  await dialog.getByRole('button', { name: 'Quitar segundo factor' }).click()
  await page.getByText('Luis Vega entra ahora solo con la contraseña').waitFor()
  assert.ok(
    server.asked.some(({ method, path }) => `${method} ${path}` === 'DELETE /api/user/3/second-factor'),
  )
  await page.goto('/users?edit=4')
  await page.getByRole('button', { name: 'Acceso y empresa' }).click()
  assert.equal(await page.getByRole('button', { name: 'Quitar segundo factor' }).count(), 0)
})
