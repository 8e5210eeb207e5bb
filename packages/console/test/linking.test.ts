import assert from 'node:assert/strict'
import { beforeEach, test, type TestContext } from 'node:test'
import type { Device } from '@sdd/contract/fleet/devices.ts'
import { copied, eventually, useBrowser } from './browser.ts'
import { useExampleServer } from './example-server.ts'
import { exampleDevices } from './examples.ts'
import { exampleCodes } from './example-staff.ts'

const open = useBrowser()
const server = await useExampleServer()
beforeEach(() => {
  server.devices = exampleDevices(3)
})

/** A device that joins now, as it appears in the list. */
function join(uid: string, enabled = true, status: Device['status'] = 'connected', company_id = 1): void {
  const [first] = exampleDevices(1)
  assert.ok(first)
  const id = server.devices.length + 1
  server.devices = [
    ...server.devices,
    { ...first, id, uid, enabled, status, company_id, created_at: new Date().toISOString() },
  ]
  server.publish('/front/change', { changed: ['devices'] })
}

/** The dialog with a new code, once it waits for a device. */
async function openInvitation(t: TestContext) {
  const page = await open(t, { url: server.url })
  await page.goto('/devices?link=new')
  const dialog = page.getByRole('dialog', { name: 'Link device' })
  await dialog.getByRole('button', { name: 'Crear código' }).click()
  await dialog.getByText('Esperando al dispositivo…').waitFor()
  await eventually(() => assert.equal(server.listeners(), 1))
  return { page, dialog }
}

test('a code is made for a number of devices and a duration, and shown in every form', async (t) => {
  const page = await open(t, { url: server.url })
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto('/devices')
  await page.getByRole('button', { name: 'Link device' }).click()
  await page.waitForURL('**/devices?link=new')
  const dialog = page.getByRole('dialog', { name: 'Link device' })
  await dialog.getByLabel('Dispositivos').fill('3')
  await dialog.getByLabel('Validez').selectOption('1 hora')
  await dialog.getByRole('button', { name: 'Crear código' }).click()
  await dialog.getByText('ABCDE-FGHJK', { exact: true }).waitFor()
  await eventually(async () =>
    assert.ok(await dialog.evaluate((shown) => shown.contains(document.activeElement))),
  )
  const post = server.asked.find(({ path }) => path === '/api/link-codes')
  assert.deepEqual(JSON.parse(post?.body ?? ''), { uses: 3, expires_in_secs: 3600 })
  await dialog.getByText(/^(1:00:00|59:\d\d)$/).waitFor()
  await dialog.getByText(/^59:([0-4]\d|5[0-8])$/).waitFor()
  const picture = dialog.getByRole('img', { name: 'Código QR con la orden para el dispositivo' })
  assert.match((await picture.locator('path').getAttribute('d')) ?? '', /^M0 0h7v1h-7z/)
  const copy = (what: string) => dialog.getByRole('button', { name: `Copiar ${what}` }).click()
  await copy('código')
  await copied(page, 'ABCDE-FGHJK', () => copy('código'))
  await copy('orden')
  await copied(page, `sdd-agent link --server ${server.url} --code ABCDE-FGHJK`, () => copy('orden'))
})

test('each kind of device has numbered commands; the phone’s have the address and user that its app shows', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/devices?link=new')
  const dialog = page.getByRole('dialog', { name: 'Link device' })
  await dialog.getByRole('button', { name: 'Crear código' }).click()
  const commands = dialog.getByRole('listitem').locator('code')
  const link = `link --server ${server.url} --code ABCDE-FGHJK`
  await eventually(async () =>
    assert.deepEqual(await commands.allInnerTexts(), [
      'sudo npm install -g ./sdd-agent-*.tgz',
      `sdd-agent ${link}`,
      'sdd-agent run',
    ]),
  )
  await dialog.getByText('127.0.0.1 es este mismo equipo').waitFor()
  await dialog.getByRole('tab', { name: 'Móvil con la app' }).click()
  await dialog.getByLabel('Dirección').fill('http://10.0.0.7:8080')
  await dialog.getByLabel('Usuario').fill('ana')
  assert.equal(
    (await commands.allInnerTexts())[1],
    `sdd-agent ${link} --driver android-gateway --url http://10.0.0.7:8080 --username ana --password -`,
  )
  await dialog.getByRole('tab', { name: 'Sin hardware' }).click()
  assert.deepEqual(await commands.allInnerTexts(), [
    'npm ci && npm run build -w @sdd/agent',
    `node packages/agent/dist/agent.mjs ${link} --driver simulated`,
    'node packages/agent/dist/agent.mjs run',
  ])
  assert.equal(await dialog.getByText('127.0.0.1 es este mismo equipo').count(), 0)
})

test('the state of the new device is the last line, and once it is connected a test SMS is offered', async (t) => {
  const { page, dialog } = await openInvitation(t)
  join('office-1', true, 'disconnected')
  await dialog.getByText('disconnected', { exact: true }).waitFor()
  await dialog.getByText('sdd-agent run', { exact: true }).waitFor()
  assert.equal(await dialog.getByRole('button', { name: 'Enviar un SMS de prueba' }).count(), 0)
  server.publish('devices/status', { device_uid: 'office-1', status: 'connected' })
  await dialog.getByText('Está conectado y puede enviar.').waitFor()
  assert.equal(await dialog.getByText('sdd-agent run', { exact: true }).count(), 0)
  await dialog.getByRole('button', { name: 'Enviar un SMS de prueba' }).click()
  await page.waitForURL('**/devices?send=office-1')
  await page.getByRole('dialog', { name: 'Send SMS' }).getByText('office-1').waitFor()
})

test('the dialog shows success as soon as the device joins', async (t) => {
  const { page, dialog } = await openInvitation(t)
  join('office-1')
  await dialog.getByText('office-1 se ha vinculado').waitFor()
  assert.equal(await dialog.getByText('ABCDE-FGHJK').count(), 0)
  await dialog.getByRole('button', { name: 'Cerrar' }).click()
  await page.getByRole('cell', { name: 'office-1', exact: true }).waitFor()
})

test('with a code for several devices, each one that joins is counted and the code stays', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/devices?link=new')
  const dialog = page.getByRole('dialog', { name: 'Link device' })
  await dialog.getByLabel('Dispositivos').fill('2')
  await dialog.getByRole('button', { name: 'Crear código' }).click()
  await dialog.getByText('ABCDE-FGHJK', { exact: true }).waitFor()
  await eventually(() => assert.equal(server.listeners(), 1))
  join('office-1')
  await dialog.getByText('1 de 2 vinculados').waitFor()
  await dialog.getByText('ABCDE-FGHJK', { exact: true }).waitFor()
  join('office-2')
  await dialog.getByText('office-2 se ha vinculado').waitFor()
  await dialog.getByText('ABCDE-FGHJK').waitFor({ state: 'detached' })
})

test('a device that joined with another code leaves an unused code open, and is not called linked', async (t) => {
  let left = 1
  const code = { ...exampleCodes()[1], id: 9, hint: 'ABCD' }
  server.answers['GET /api/link-codes'] = () => ({
    body: { link_codes: left > 0 ? [{ ...code, uses_left: left }] : [] },
  })
  const { page, dialog } = await openInvitation(t)
  const loaded = async (uid: string) =>
    eventually(async () => assert.ok((await page.getByText(uid, { exact: true }).count()) > 0))
  join('colleague-1')
  await loaded('colleague-1')
  await dialog.getByText('ABCDE-FGHJK', { exact: true }).waitFor()
  assert.equal(await dialog.getByText('se ha vinculado').count(), 0)
  left = 0
  join('office-1')
  await dialog.getByText('1 de 1 vinculados').waitFor()
  await dialog.getByText('ABCDE-FGHJK').waitFor({ state: 'detached' })
  assert.equal(await dialog.getByText('se ha vinculado').count(), 0)
})

test('a device of another company does not use up the code', async (t) => {
  const { page, dialog } = await openInvitation(t)
  join('other-1', true, 'connected', 2)
  await eventually(async () => assert.ok((await page.getByText('other-1', { exact: true }).count()) > 0))
  assert.equal(await dialog.getByText('ABCDE-FGHJK', { exact: true }).count(), 1)
  join('office-1')
  await dialog.getByText('office-1 se ha vinculado').waitFor()
  assert.equal(await dialog.getByText('other-1').count(), 0)
})

test('an expired code says so, and another can be made', async (t) => {
  const page = await open(t, { url: server.url })
  await page.clock.install()
  await page.goto('/devices?link=new')
  const dialog = page.getByRole('dialog', { name: 'Link device' })
  await dialog.getByRole('button', { name: 'Crear código' }).click()
  await dialog.getByText('ABCDE-FGHJK', { exact: true }).waitFor()
  await page.clock.fastForward('10:01')
  await dialog.getByText('El código ha caducado.').waitFor()
  assert.equal(await dialog.getByText('ABCDE-FGHJK').count(), 0)
  await dialog.getByRole('button', { name: 'Crear otro' }).click()
  await dialog.getByRole('button', { name: 'Crear código' }).waitFor()
})

test('a code that could not be made says why, and a number out of range is not sent', async (t) => {
  server.answers['POST /api/link-codes'] = { status: 503, body: { detail: 'Not ready yet.' } }
  const page = await open(t, { url: server.url })
  await page.goto('/devices?link=new')
  const dialog = page.getByRole('dialog', { name: 'Link device' })
  await dialog.getByLabel('Dispositivos').fill('0')
  await dialog.getByRole('button', { name: 'Crear código' }).click()
  await dialog.getByText('Escriba un número entero de 1 a 10000.').waitFor()
  assert.ok(!server.asked.some(({ path }) => path === '/api/link-codes'))
  await dialog.getByLabel('Dispositivos').fill('1')
  await dialog.getByRole('button', { name: 'Crear código' }).click()
  await dialog.getByRole('alert').getByText('Not ready yet.').waitFor()
})

test('an empty fleet offers to link the first device', async (t) => {
  server.devices = []
  const page = await open(t, { url: server.url })
  await page.goto('/devices')
  await page.getByText('No devices found.', { exact: true }).waitFor()
  await page.getByRole('table').getByRole('button', { name: 'Link device' }).click()
  await page.getByRole('dialog', { name: 'Link device' }).waitFor()
})

test('role user cannot open linking, from a button or from the address', async (t) => {
  const page = await open(t, { url: server.url, role: 'user' })
  await page.goto('/devices?link=new')
  await page.getByRole('cell', { name: 'drone-0001', exact: true }).waitFor()
  assert.equal(await page.getByRole('dialog').count(), 0)
  assert.equal(await page.getByRole('button', { name: 'Link device' }).count(), 0)
})

test('the valid codes are listed, and one is revoked after an explanation', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/devices?link=new')
  await page.getByRole('button', { name: 'Códigos que aún sirven' }).click()
  await page.waitForURL('**/devices?link=codes')
  const codes = page.getByRole('list', { name: 'Códigos que aún sirven' }).getByRole('listitem')
  await codes.getByText('QK7M… · quedan 18 de 25 usos').waitFor()
  await codes.getByText('Creado por Ana Ruiz').waitFor()
  assert.equal(await codes.count(), 2)
  let left = exampleCodes()
  server.answers['DELETE /api/link-codes/8'] = () => {
    left = left.filter(({ id }) => id !== 8)
    return { status: 204 }
  }
  server.answers['GET /api/link-codes'] = () => ({ body: { link_codes: left } })
  // By keyboard, from the first code's button.
  const first = codes.first().getByRole('button')
  await first.focus()
  await page.keyboard.press('Enter')
  const asks = page.getByRole('dialog', { name: 'Revocar el código QK7M…' })
  await asks.getByText('Los 18 dispositivos que aún podían unirse con él ya no podrán').waitFor()
  await asks.getByText('Los que ya se unieron siguen vinculados.').waitFor()
  assert.ok(!server.asked.some(({ path }) => path === '/api/link-codes/8'))
  await asks.getByRole('button', { name: 'Revocar' }).click()
  await asks.waitFor({ state: 'detached' })
  await codes.getByText('3WBX… · un dispositivo').waitFor()
  await codes.getByText('QK7M').waitFor({ state: 'detached' })
})

test('a code that could not be revoked stays with the reason, and an empty list says so', async (t) => {
  server.answers['DELETE /api/link-codes/7'] = { status: 404, body: { detail: 'There is no link code 7.' } }
  const page = await open(t, { url: server.url })
  await page.goto('/devices?link=codes')
  await page.getByRole('button', { name: 'Revocar el código 3WBX…' }).click()
  const asks = page.getByRole('dialog', { name: 'Revocar el código 3WBX…' })
  await asks.getByRole('button', { name: 'Revocar' }).click()
  await asks.getByRole('alert').getByText('There is no link code 7.').waitFor()
  server.answers['GET /api/link-codes'] = { body: { link_codes: [] } }
  await page.goto('/devices?link=codes')
  await page.getByText('Ningún código sirve ahora').waitFor()
})

test('the dialog says if a new device waits for an admin', async (t) => {
  const { dialog } = await openInvitation(t)
  join('office-2', false)
  await dialog.getByText('Está deshabilitado: no recibe mensajes').waitFor()
})
