import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import type { Device } from '@sdd/contract/fleet/devices.ts'
import type { PresenceStretch } from '@sdd/contract/insight/device-detail.ts'
import { eventually, rowOf, useBrowser } from './browser.ts'
import { useExampleServer } from './example-server.ts'
import { exampleHistory, examplePresence } from './example-device.ts'
import { exampleDevices } from './examples.ts'
import type { Answer, ReceivedCall } from './stand-in.ts'

const open = useBrowser()
const server = await useExampleServer()
beforeEach(() => {
  server.devices = exampleDevices(48)
})

/** Stores the change, because the first live connection loads the devices again. */
function store({ body }: ReceivedCall): Answer {
  const stored = { ...server.devices[1]!, ...(JSON.parse(body) as Partial<Device>) }
  server.devices = server.devices.with(1, stored)
  return { body: stored }
}

test('a row leads to the page of its device, and Back returns', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/devices')
  await rowOf(page, 'drone-0002').getByRole('link', { name: 'drone-0002', exact: true }).click()
  await page.waitForURL('**/devices/drone-0002')
  await page.getByRole('heading', { level: 1, name: 'drone-0002', exact: true }).waitFor()
  await page.getByText('ops-norte-5g').waitFor()
  await page.getByText('137 / 1000').first().waitFor()
  await page.getByText('117', { exact: true }).waitFor()
  await page.getByText('90 %', { exact: true }).waitFor()
  const all = page.getByRole('link', { name: 'Todos sus mensajes' })
  assert.equal(await all.getAttribute('href'), '/logs?device_uid=drone-0002')
  await page.goBack()
  await rowOf(page, 'drone-0002').waitFor()
})

test('the details of a row lead to the page of its device', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/devices?open=drone-0002')
  await page.getByRole('link', { name: 'Su página' }).click()
  await page.waitForURL('**/devices/drone-0002')
  await page.getByRole('heading', { level: 1, name: 'drone-0002' }).waitFor()
  assert.equal(await page.getByRole('link', { name: 'Su página' }).count(), 0)
})

test('a day of the strip tells when the device was away, and pressing it again closes that', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/devices/drone-0002')
  const box = page.getByRole('region', { name: 'Presencia' })
  await box.getByText('1 caída', { exact: true }).waitFor()
  assert.equal(await box.getByRole('button').count(), 30)
  await box.getByText('hoy', { exact: true }).waitFor()
  const first = new Date()
  first.setUTCDate(first.getUTCDate() - 29)
  const [day, month] = [first.getUTCDate(), first.getUTCMonth() + 1].map((part) =>
    String(part).padStart(2, '0'),
  )
  await box.getByText(`${day}/${month}`, { exact: true }).waitFor()
  const away = box.getByRole('button', { name: 'conectado el 75 %' })
  assert.equal(await box.getByRole('button', { name: 'sin datos' }).count(), 10)
  await away.click()
  await box.getByText('Desconectado de 06:00 a 12:00').waitFor()
  await box.getByRole('button').last().click()
  await box.getByText('Ese día no se desconectó.').waitFor()
  await box.getByRole('button').last().click()
  await box.getByText('Ese día no se desconectó.').waitFor({ state: 'detached' })
})

test('the strip is loaded again when the device disconnects, and a failure of it can be retried', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/devices/drone-0002')
  await page.getByText('En vivo').waitFor()
  await page.getByText('1 caída', { exact: true }).waitFor()
  const presence = examplePresence()
  const last = presence.at(-1)!
  const cut = new Date(Date.parse(last.to) - 60_000).toISOString()
  const fallen: PresenceStretch[] = [
    ...presence.slice(0, -1),
    { ...last, to: cut },
    { from: cut, to: last.to, state: 'disconnected' },
  ]
  server.answers['GET /api/device/*/history'] = { body: exampleHistory(fallen) }
  server.publish('devices/status', { device_uid: 'drone-0002', status: 'disconnected' })
  await page.getByText('2 caídas', { exact: true }).waitFor()
  server.answers['GET /api/device/*/history'] = { status: 500, body: { detail: 'No.' } }
  await page.reload()
  const box = page.getByRole('region', { name: 'Presencia' })
  await box.getByRole('alert').getByText('No se pudo cargar su historia.').waitFor()
  server.answers['GET /api/device/*/history'] = { body: exampleHistory([]) }
  await box.getByRole('button', { name: 'Reintentar' }).click()
  await page.getByText('Aún sin historia: se llena en unos minutos.').waitFor()
})

test('the page names the messages that a device has, with the reason of each, and leads to the others', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/devices/drone-0002')
  const held = page.getByRole('region', { name: 'Lo que tiene ahora' })
  await held.getByText('drone-0002 lo aceptó').first().waitFor()
  assert.equal(await held.getByRole('listitem').count(), 5)
  const first = held.getByRole('link', { name: '+34600111220' })
  assert.equal(await first.getAttribute('href'), '/logs?search=held-0')
  const more = held.getByRole('link', { name: 'Y 2 más' })
  assert.equal(await more.getAttribute('href'), '/logs?device_uid=drone-0002&state=queued%2Chanded')
})

test('the page lists the latest attempts of the device, each with its outcome and code', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/devices/drone-0002')
  const attempts = page.getByRole('region', { name: 'Últimos intentos' })
  const rows = attempts.getByRole('listitem')
  await eventually(async () => assert.equal(await rows.count(), 8))
  assert.match(await rows.nth(5).innerText(), /Fallido\s*Sin red no_network · \+CMS ERROR: 38\s*intento 2/)
  assert.match(await rows.nth(3).innerText(), /\+34600111333\s*Entregado/)
  const link = rows.nth(5).getByRole('link', { name: '+34600111335' })
  assert.equal(await link.getAttribute('href'), '/logs?open=attempt-5&company=1')
  await attempts.getByRole('button', { name: 'Ver 4 más' }).click()
  await eventually(async () => assert.equal(await rows.count(), 12))
})

test('a device that does not exist is told by its uid', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/devices/missing')
  await page.getByText('No hay ningún dispositivo missing.').waitFor()
  await page.getByRole('link', { name: 'Volver a los dispositivos' }).click()
  await page.waitForURL('**/devices')
})

test('the name, place and note are edited, and a refusal stays with its field', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/devices/drone-0002')
  await page.getByRole('button', { name: 'Editar…' }).click()
  await page.waitForURL('**/devices/drone-0002?dialog=edit')
  const dialog = page.getByRole('dialog', { name: 'Editar drone-0002' })
  await dialog.getByLabel('Nombre').fill('Oficina')
  await dialog.getByRole('textbox', { name: 'Etiquetas' }).fill('OTP')
  await dialog.getByRole('button', { name: 'Etiquetas: norte' }).click()
  await dialog.getByLabel('Nota').fill('Junto a la ventana\nPiso 2')
  server.answers['POST /api/device/*'] = {
    status: 422,
    body: { detail: 'Wrong.', code: 'invalid', fields: { location: 'is too long' } },
  }
  await dialog.getByRole('button', { name: 'Guardar' }).click()
  await dialog.getByText('is too long').waitFor()
  server.answers['POST /api/device/*'] = store
  await dialog.getByRole('button', { name: 'Guardar' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('heading', { level: 1, name: 'Oficina', exact: true }).waitFor()
  await page.getByText('Junto a la ventana').waitFor()
  const post = server.asked.findLast(
    ({ method, path }) => method === 'POST' && path === '/api/device/drone-0002',
  )
  assert.deepEqual(JSON.parse(post!.body), {
    name: 'Oficina',
    note: 'Junto a la ventana\nPiso 2',
    tags: ['norte', 'otp'],
  })
  await page.getByRole('link', { name: 'otp', exact: true }).click()
  await page.waitForURL('**/devices?tag=otp')
})

test('a limit is saved, and a number out of range is not sent', async (t) => {
  server.answers['POST /api/device/*'] = store
  const page = await open(t, { url: server.url })
  await page.goto('/devices/drone-0002?dialog=limit')
  const dialog = page.getByRole('dialog', { name: 'Límite diario de drone-0002' })
  const field = dialog.getByLabel('SMS al día')
  assert.equal(await field.inputValue(), '1000')
  await field.fill('100001')
  await dialog.getByRole('button', { name: 'Aplicar' }).click()
  await dialog.getByText('Escriba un número entero de 0 a 100000.').waitFor()
  assert.ok(!server.asked.some(({ method, path }) => method === 'POST' && path === '/api/device/drone-0002'))
  await field.fill('150')
  await dialog.getByRole('button', { name: 'Aplicar' }).click()
  await page.getByText('137 / 150').first().waitFor()
})

test('a device is put in maintenance and taken out of it, and a refusal stays in the dialog', async (t) => {
  server.answers['POST /api/device/*'] = {
    status: 422,
    body: { detail: 'Wrong.', code: 'invalid', fields: { maintenance_until: 'is more than a year ahead' } },
  }
  const page = await open(t, { url: server.url })
  await page.goto('/devices/drone-0002')
  await page.getByRole('button', { name: 'Mantenimiento…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Mantenimiento de drone-0002' })
  await dialog.getByLabel('Hasta').fill('2095-01-01T10:00')
  await dialog.getByRole('button', { name: 'Empezar' }).click()
  await dialog.getByText('is more than a year ahead').waitFor()
  server.answers['POST /api/device/*'] = store
  await dialog.getByRole('button', { name: '1 día' }).click()
  await dialog.getByRole('button', { name: 'Empezar' }).click()
  await dialog.waitFor({ state: 'detached' })
  const notice = page.getByRole('status').filter({ hasText: 'No recibe mensajes ni abre alertas' })
  await notice.getByRole('button', { name: 'Terminar mantenimiento' }).click()
  await notice.waitFor({ state: 'detached' })
  const last = server.asked.findLast(({ method }) => method === 'POST')
  assert.deepEqual(JSON.parse(last!.body), { maintenance_until: null })
})

test('a device is unlinked only after its uid is typed, with the consequence told', async (t) => {
  let gone = false
  server.answers['DELETE /api/device/drone-0002'] = () => {
    gone = true
    server.devices = server.devices.filter(({ uid }) => uid !== 'drone-0002')
    return { status: 204 }
  }
  server.devices = server.devices.map((device, n) => (n === 1 ? { ...device, queued: 3 } : device))
  const page = await open(t, { url: server.url })
  await page.goto('/devices/drone-0002')
  await page.getByRole('button', { name: 'Desvincular…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Desvincular drone-0002' })
  await dialog.getByText('Los 3 mensajes que lo esperan fallan.').waitFor()
  await dialog.getByRole('button', { name: 'Desvincular', exact: true }).click()
  await dialog.getByText('No es su uid.').waitFor()
  assert.equal(gone, false)
  await dialog.getByLabel('Escriba drone-0002 para confirmarlo').fill('drone-0002')
  await dialog.getByRole('button', { name: 'Desvincular', exact: true }).click()
  await page.waitForURL('**/devices')
  await rowOf(page, 'drone-0001').waitFor()
  await rowOf(page, 'drone-0002').waitFor({ state: 'detached' })
})

test('a new secret is shown once, and the dialog warns before it is lost', async (t) => {
  server.answers['POST /api/device/drone-0002/secret'] = { body: { uid: 'drone-0002', secret: 'sdd_new' } }
  const page = await open(t, { url: server.url })
  await page.goto('/devices/drone-0002')
  await page.getByRole('button', { name: 'Nuevo secreto…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Nuevo secreto de drone-0002' })
  await dialog.getByText('El secreto actual deja de servir').waitFor()
  assert.ok(!server.asked.some(({ path }) => path.endsWith('/secret')))
  await dialog.getByRole('button', { name: 'Crear secreto' }).click()
  await dialog.getByText('sdd_new', { exact: true }).waitFor()
  await dialog.getByRole('button', { name: 'Cerrar' }).click()
  await dialog.getByText('No ha copiado nada.').waitFor()
  await dialog.getByRole('button', { name: 'Cerrar' }).click()
  await dialog.waitFor({ state: 'detached' })
})

test('a user sees the page without its actions, and can send', async (t) => {
  const page = await open(t, { url: server.url, role: 'user' })
  await page.goto('/devices/drone-0002?dialog=unlink')
  await page.getByText('ops-norte-5g').waitFor()
  assert.equal(await page.getByRole('dialog').count(), 0)
  assert.equal(await page.getByRole('button', { name: 'Desvincular…' }).count(), 0)
  assert.equal(await page.getByRole('checkbox', { name: 'Enabled drone-0002' }).count(), 0)
  await page.getByText('no delivery reports', { exact: true }).waitFor()
  for (const name of ['USSD…', 'Repetir', 'Mantenimiento…', 'Doctor'])
    assert.equal(await page.getByRole('button', { name }).count(), 0, name)
  await page.getByRole('button', { name: 'Send SMS' }).click()
  await page.getByRole('dialog', { name: 'Send SMS' }).waitFor()
  await page.goBack()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
})

test('the state on the page is live', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/devices/drone-0002')
  await page.getByText('connected', { exact: true }).waitFor()
  await eventually(() => assert.equal(server.listeners(), 1))
  server.publish('devices/status', { device_uid: 'drone-0002', status: 'disconnected' })
  await page.getByText('disconnected', { exact: true }).waitFor()
  await eventually(async () => assert.ok(await page.getByRole('button', { name: 'Send SMS' }).isDisabled()))
})

test('an unlinked device does not come back with a list that was loading', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/devices/drone-0002?dialog=unlink')
  await page.getByText('En vivo').waitFor()
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  let loads = 0
  server.answers['GET /api/device-list'] = async () => {
    const body = { devices: server.devices }
    loads++
    await released
    return { body }
  }
  server.publish('/front/change', { changed: ['devices'] })
  await eventually(() => assert.ok(loads > 0, 'it is loaded'))
  server.answers['DELETE /api/device/drone-0002'] = () => {
    const [first, , ...others] = server.devices
    server.devices = [{ ...first!, location: 'Zamora' }, ...others]
    return { status: 204 }
  }
  const dialog = page.getByRole('dialog', { name: 'Desvincular drone-0002' })
  await dialog.getByLabel('Escriba drone-0002 para confirmarlo').fill('drone-0002')
  const before = loads
  await dialog.getByRole('button', { name: 'Desvincular', exact: true }).click()
  await page.waitForURL('**/devices')
  await eventually(() => assert.ok(loads > before, 'it is loaded again'))
  release()
  await rowOf(page, 'drone-0001').getByText('Zamora').waitFor()
  assert.equal(await rowOf(page, 'drone-0002').count(), 0)
})
