import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import type { Order } from '@sdd/contract/fleet/orders.ts'
import { eventually, useBrowser } from './browser.ts'
import { exampleOrders } from './example-device.ts'
import { useExampleServer } from './example-server.ts'
import { exampleDevices } from './examples.ts'

const open = useBrowser()
const server = await useExampleServer()
let orders: Order[]
beforeEach(() => {
  server.devices = exampleDevices(6)
  orders = exampleOrders()
  server.answers['GET /api/device/*/orders'] = () => ({ body: { orders, next_cursor: null } })
  server.answers['POST /api/device/*/orders'] = ({ body }) => {
    const { what, with: details } = JSON.parse(body) as Pick<Order, 'what'> & { with?: Order['with'] }
    const at = new Date().toISOString()
    const given = { state: 'given', ok: null, output: null, answered_at: null } as const
    orders = [{ ...orders[0]!, id: 9, what, with: details ?? null, at, ...given }, ...orders]
    return { status: 202, body: { order: 9 } }
  }
})

function answer(said: Partial<Order>): void {
  const answered_at = new Date().toISOString()
  orders = orders.map((order) =>
    order.id === 9 ? { ...order, state: 'answered', ok: true, answered_at, ...said } : order,
  )
  server.publish('/front/change', { changed: ['devices'] })
}

function given() {
  return server.asked
    .filter(({ method, path }) => method === 'POST' && path.endsWith('/orders'))
    .map(({ body }) => JSON.parse(body) as unknown)
}

test('the doctor shows the worst finding first, and keeps the old ones until there are new ones', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/devices/drone-0002')
  const doctor = page.getByRole('region', { name: 'Doctor' })
  await doctor.getByText('no delivery reports').waitFor()
  assert.match(
    await doctor.getByRole('list').innerText(),
    /^no delivery reports\s+Use another modem\.\s+the signal is weak[^]*the SIM is ready$/,
  )
  await eventually(() => assert.equal(server.listeners(), 1))
  // The key comes with the buttons.
  await page.getByRole('button', { name: 'USSD…' }).waitFor()
  await page.keyboard.press('d')
  await doctor.getByText('Preguntando…').waitFor()
  await doctor.getByText('no delivery reports').waitFor()
  answer({ output: 'good everything' })
  await doctor.getByText('everything').waitFor()
  assert.equal(await doctor.getByText('no delivery reports').count(), 0)
  await doctor.getByRole('button', { name: 'Repetir' }).click()
  await eventually(() => assert.deepEqual(given(), [{ what: 'doctor' }, { what: 'doctor' }]))
})

test('a code that may move money is typed again, and the answer is shown in the dialog', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/devices/drone-0002')
  await eventually(() => assert.equal(server.listeners(), 1))
  await page.getByRole('button', { name: 'USSD…' }).click()
  await page.waitForURL('**/devices/drone-0002?dialog=ussd')
  const dialog = page.getByRole('dialog', { name: 'USSD: drone-0002' })
  await dialog.getByLabel('Código', { exact: true }).fill('hola')
  await dialog.getByRole('button', { name: 'Marcar' }).click()
  await dialog.getByText('Escriba de 1 a 100').waitFor()
  await dialog.getByLabel('Código', { exact: true }).fill('*100*5#')
  const repeat = dialog.getByLabel('Repita el código: puede mover saldo o cambiar la tarifa')
  await repeat.fill('*100*6#')
  await dialog.getByRole('button', { name: 'Marcar' }).click()
  await dialog.getByText('No es el mismo código.').waitFor()
  assert.deepEqual(given(), [])
  await repeat.fill('*100*5#')
  await dialog.getByRole('button', { name: 'Marcar' }).click()
  await dialog.getByRole('region', { name: 'Respuesta' }).getByText('Preguntando…').waitFor()
  answer({ output: 'Recarga hecha.' })
  await dialog.getByText('Recarga hecha.').waitFor()
  assert.deepEqual(given(), [{ what: 'ussd', with: { code: '*100*5#' }, confirm: '*100*5#' }])
  await dialog.getByRole('button', { name: 'Cerrar' }).click()
  const past = page.getByRole('region', { name: 'Órdenes' })
  await past.getByText('*100*5#').click()
  await past.getByText('Recarga hecha.').waitFor()
})

test('restarting the radio says how many messages wait, and a refusal stays in the dialog', async (t) => {
  server.answers['POST /api/device/*/orders'] = {
    status: 409,
    body: { detail: 'It has not answered yet.', code: 'order_under_way', params: { order: 2 } },
  }
  const page = await open(t, { url: server.url })
  await page.goto('/devices/drone-0002')
  await page.getByRole('button', { name: 'Reiniciar radio…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Reiniciar radio: drone-0002' })
  await dialog.getByText('Los 7 mensajes que tiene esperan.').waitFor()
  await dialog.getByRole('button', { name: 'Reiniciar', exact: true }).click()
  await dialog.getByText('It has not answered yet.').waitFor()
})

test('past orders say who gave them and how they ended', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/devices/drone-0002')
  const past = page.getByRole('region', { name: 'Órdenes' })
  const rows = past.getByRole('listitem')
  await eventually(async () => assert.equal(await rows.count(), 4))
  assert.match(await rows.nth(1).innerText(), /USSD\s*\*100#\s*Contestada\s*Ana/)
  await rows.nth(2).getByText('Reiniciar radio').click()
  await rows.nth(2).getByText('A message is on air').waitFor()
  await rows.nth(2).getByText('busy').waitFor()
  await rows.nth(3).getByText('No ha contestado.').first().waitFor()
})

test('orders are disabled with the reason while the device is away or cannot do them', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/devices/drone-0005')
  await page.getByText('disconnected', { exact: true }).waitFor()
  const away = 'Está desconectado: no puede recibir órdenes.'
  for (const name of ['Doctor', 'USSD…', 'Reiniciar radio…']) {
    const button = page.getByRole('region', { name: 'Acciones' }).getByRole('button', { name, exact: true })
    await button.waitFor()
    assert.deepEqual([await button.isDisabled(), await button.getAttribute('title')], [true, away], name)
  }
  const configure = page.getByRole('button', { name: 'Configurar…' })
  assert.equal(await configure.getAttribute('title'), 'Este dispositivo no sabe hacerlo.')
  const send = page.getByRole('button', { name: 'Send SMS' })
  assert.equal(await send.getAttribute('title'), 'Está desconectado: no puede enviar.')
  await page.keyboard.press('d')
  await page.keyboard.press('s')
  await page.keyboard.press('l')
  await page.waitForURL('**/logs?device_uid=drone-0005')
  assert.deepEqual(given(), [])
})

test('settings are typed one a line, and the key s opens the send form', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/devices/drone-0002?dialog=configure')
  const dialog = page.getByRole('dialog', { name: 'Configurar: drone-0002' })
  await dialog.getByLabel('Ajustes').fill('number')
  await dialog.getByRole('button', { name: 'Cambiar' }).click()
  await dialog.getByText('Escriba cada ajuste como nombre=valor.').waitFor()
  // The dialog closes although the orders are still being loaded again.
  const loading = Promise.withResolvers<void>()
  server.answers['GET /api/device/*/orders'] = async () => {
    await loading.promise
    return { body: { orders, next_cursor: null } }
  }
  await dialog.getByLabel('Ajustes').fill('number=+34600111222\nsmsc=')
  await dialog.getByRole('button', { name: 'Cambiar' }).click()
  await dialog.getByText('Preguntando…').first().waitFor()
  assert.deepEqual(given(), [
    { what: 'configure', with: { settings: { number: '+34600111222', smsc: null } } },
  ])
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  loading.resolve()
  await page.keyboard.press('s')
  await page.getByRole('dialog', { name: 'Send SMS' }).waitFor()
})
