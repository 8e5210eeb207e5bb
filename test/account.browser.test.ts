import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test, type TestContext } from 'node:test'
import { saveUser } from '@sdd/contract/accounts/users.ts'
import type { Page } from 'playwright-core'
import { eventually, useBrowser } from '../packages/console/test/browser.ts'
import { enter, FIRST_PASSWORD, newUser } from '../packages/server/test/seeds.ts'
import { call } from '../packages/server/test/server.ts'
import { newSettings, PASSWORD, type ServerProcess, startProcess } from './server-process.ts'
import { logIn } from './visiting.ts'

let folder: string
let server: ServerProcess
const visit = useBrowser()

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sdd-account-'))
  server = await startProcess(await newSettings(folder, { LOG_LEVEL: 'warn' }))
})
after(async () => {
  await server.stop()
  rmSync(folder, { recursive: true })
})

const stranger = (t: TestContext) => visit(t, { url: server.url, role: 'none' })

/** The code of an authenticator app for the secret, now or this many half minutes later. */
function appCode(secret: string, later = 0): string {
  const letters = secret.replaceAll(' ', '')
  const bits = Array.from(letters, (letter) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
  ).join('')
  const key = Buffer.from(bits.match(/.{8}/g)!.map((byte) => Number.parseInt(byte, 2)))
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + later))
  const mac = createHmac('sha1', key).update(counter).digest()
  const number = mac.readUInt32BE(mac.at(-1)! & 0xf) & 0x7fff_ffff
  return String(number % 1_000_000).padStart(6, '0')
}

/** Turns the second factor on in the browser; returns the secret and the recovery codes. */
async function turnOn(page: Page) {
  await page.getByRole('button', { name: 'Cuenta' }).click()
  await page.getByRole('button', { name: 'Activar' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Contraseña actual').fill(PASSWORD)
  await dialog.getByRole('button', { name: 'Continuar' }).click()
  const secret = await dialog.locator('code').textContent()
  await dialog.getByLabel('Código que muestra la aplicación').fill(appCode(secret!))
  await dialog.getByRole('button', { name: 'Activar' }).click()
  const list = page.getByRole('list', { name: 'Los diez códigos' })
  await list.waitFor()
  const codes = await list.getByRole('listitem').allTextContents()
  await dialog.getByRole('button', { name: 'Copiar' }).click()
  await dialog.getByRole('button', { name: 'Cerrar' }).click()
  await page.getByText('Quedan 10 códigos de recuperación.').waitFor()
  return { secret: secret!, codes }
}

async function giveCode(page: Page, code: string): Promise<void> {
  await page.getByLabel('Código').fill(code)
  await page.getByRole('button', { name: 'LOG IN' }).click()
}

async function givePair(page: Page): Promise<void> {
  await page.goto('/login')
  await page.getByPlaceholder('Username').fill('superadmin')
  await page.getByPlaceholder('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'LOG IN' }).click()
}

test('with the second factor on, a login needs an app code or a recovery code, and a session can be ended remotely', async (t) => {
  const page = await logIn(await stranger(t))
  const { secret, codes } = await turnOn(page)

  const other = await stranger(t)
  await givePair(other)
  await giveCode(other, '000000')
  await other.getByRole('alert').filter({ hasText: 'El código no es correcto' }).waitFor()
  // The current code confirmed it, and is used up.
  await giveCode(other, appCode(secret, 1))
  await other.waitForURL('**/devices')

  const third = await stranger(t)
  await givePair(third)
  await giveCode(third, codes[0]!)
  await third.waitForURL('**/devices')
  await third.getByText('En vivo').waitFor()

  await page.reload()
  await page.getByText('Quedan 9 códigos de recuperación.').waitFor()
  const list = page.getByRole('list', { name: 'Sesiones abiertas' })
  await eventually(async () => assert.equal(await list.getByRole('listitem').count(), 3))
  await list
    .getByRole('button', { name: /^Cerrar .+, 127\.0\.0\.1$/ })
    .first()
    .click()
  await page.getByText('Sesión cerrada').waitFor()
  // The third came last: its live connection tells it of its end.
  await third.waitForURL('**/login')
  await third.getByText('Sesión expirada').waitFor()
  await eventually(async () => assert.equal(await list.getByRole('listitem').count(), 2))

  await page.getByRole('button', { name: 'Desactivar' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Contraseña actual').fill(PASSWORD)
  await dialog.getByLabel('Código', { exact: true }).fill(codes[1]!)
  await dialog.getByRole('button', { name: 'Desactivar' }).click()
  await page.getByRole('button', { name: 'Activar', exact: true }).waitFor()
  await logIn(await stranger(t))
})

test('a user with an admin’s password first chooses another, and is then in the console, live', async (t) => {
  const { token } = await enter(server, 'superadmin', PASSWORD)
  const body = { name: 'ana', email: 'ana@example.com', role: 'user', password: FIRST_PASSWORD }
  assert.equal((await call(server, saveUser, { token, body })).status, 201)
  const page = await stranger(t)
  await page.goto('/login')
  await page.getByPlaceholder('Username').fill('ana')
  await page.getByPlaceholder('Password').fill(FIRST_PASSWORD)
  await page.getByRole('button', { name: 'LOG IN' }).click()
  const choose = async (own: string) => {
    await page.getByLabel('Contraseña recibida').fill(FIRST_PASSWORD)
    await page.getByLabel('Contraseña nueva', { exact: true }).fill(own)
    await page.getByLabel('Repita la contraseña nueva').fill(own)
    await page.getByRole('button', { name: 'Cambiar y continuar' }).click()
  }
  await choose('contraseña1')
  await page.getByText('Es fácil de adivinar').waitFor()
  await choose(PASSWORD)
  await page.getByRole('heading', { level: 1, name: 'LINKED DEVICES' }).waitFor()
  await page.getByText('En vivo').waitFor()
  await logIn(await stranger(t), 'ana')
})

test('an admin who makes the company require a second factor must first set up their own', async (t) => {
  const { token } = await enter(server, 'superadmin', PASSWORD)
  const boss = await newUser(server, token, { role: 'admin', companyId: 2 })
  const page = await logIn(await stranger(t), boss.name, boss.password)
  await page.getByText('En vivo').waitFor()
  await page.getByRole('link', { name: 'Settings', exact: true }).click()
  await page.getByRole('checkbox', { name: 'Exigir el segundo factor a los administradores' }).check()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('heading', { name: 'Active el segundo factor' }).waitFor()
  await page.getByLabel('Contraseña actual').fill(boss.password)
  await page.getByRole('button', { name: 'Continuar' }).click()
  const secret = await page.locator('code').textContent()
  await page.getByLabel('Código que muestra la aplicación').fill(appCode(secret!))
  await page.getByRole('button', { name: 'Activar' }).click()
  const codes = page.getByRole('dialog', { name: 'Códigos de recuperación' })
  await codes.getByRole('button', { name: 'Copiar' }).click()
  await codes.getByRole('button', { name: 'Cerrar' }).click()
  await page.getByRole('heading', { level: 1, name: 'LINKED DEVICES' }).waitFor()
  await page.getByText('En vivo').waitFor()
})
