import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, useBrowser } from './browser.ts'
import { exampleContacts } from './example-contacts.ts'
import { useExampleServer } from './example-server.ts'
import { fillSms, sendsOf } from './send-form.ts'

const open = useBrowser()
const server = await useExampleServer()

const ANA = { ...exampleContacts[0]!, number: '+34600111222', name: 'Ana', fields: {} }

/** The numbers and texts of the requests that would send. */
function sent() {
  return sendsOf(server).map(({ body }) => {
    const { telefono_to, mensaje_sms } = JSON.parse(body) as Record<string, string>
    return [telefono_to, mensaje_sms]
  })
}

test('a template is filled from the contact of the number, and a field that is left is told and not sent', async (t) => {
  server.answers['GET /api/templates'] = {
    body: { templates: [{ id: 1, company_id: 1, name: 'Cita', text: 'Hola {{name}}, a las {{ hora }}.' }] },
  }
  server.answers['GET /api/contacts/*'] = {
    body: ANA,
  }
  const page = await open(t, { url: server.url })
  await page.goto('/sms')
  await fillSms(page)
  const message = page.getByRole('textbox', { name: 'Mensaje' })
  await message.fill('')
  await page.getByRole('button', { name: 'Plantilla' }).click()
  await page.getByRole('dialog', { name: 'Plantillas' }).getByRole('option', { name: 'Cita' }).click()
  await page.locator('textarea:focus').waitFor()
  await eventually(async () => assert.equal(await message.inputValue(), 'Hola Ana, a las {{hora}}.'))
  await page.getByText('Falta rellenar: hora', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'SEND', exact: true }).click()
  assert.deepEqual(sent(), [])
  await message.fill('Hola Ana, a las 9.')
  await page.getByText('Falta rellenar').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'SEND', exact: true }).click()
  await page.getByRole('dialog', { name: 'Envío correcto' }).waitFor()
  assert.deepEqual(sent(), [['+34600111222', 'Hola Ana, a las 9.']])
})

test('pasted numbers are checked and counted, sent one after the other, and the refused ones are told and stay', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/sms')
  await page.getByRole('combobox').selectOption('drone-0001')
  await page.getByRole('textbox', { name: 'Mensaje' }).fill('a'.repeat(161))
  await page.getByPlaceholder('+34...').focus()
  await page.evaluate(() => {
    const clipboardData = new DataTransfer()
    clipboardData.setData('text', '+34600111222\n600 111 333; hola\n+34600111222\n600111444')
    const paste = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true })
    document.activeElement!.dispatchEvent(paste)
  })
  const numbers = page.getByRole('textbox', { name: 'Teléfonos' })
  await page.getByText('3 números · 1 repetido, se envía una vez').waitFor()
  await page.getByText('2 segmentos por mensaje, 6 en total').waitFor()
  await page.getByRole('button', { name: 'Enviar a 3 números' }).click()
  await page.getByText('No son números: hola').waitFor()
  await page.locator('textarea[aria-invalid]:focus').waitFor()
  assert.deepEqual(sent(), [])
  await numbers.fill((await numbers.inputValue()).replace('hola', ''))

  server.answers['POST /api/device-send-sms'] = ({ body }) =>
    body.includes('333')
      ? {
          status: 429,
          body: { status: 'Full.', detail: 'It has reached its limit.', code: 'recipient_limit' },
        }
      : { body: { status: 'SMS enviado vía MQTT', guid: server.logs[0]!.guid } }
  await page.getByRole('button', { name: 'Enviar a 3 números' }).click()
  const summary = page.getByRole('dialog', { name: 'Envío parcial' })
  await summary
    .getByText('Aceptados: 2. Rechazados: 1. Los que no se enviaron siguen en el formulario.')
    .waitFor()
  await summary.getByRole('heading', { name: 'It has reached its limit.' }).waitFor()
  await summary.getByText('600 111 333', { exact: true }).waitFor()
  await summary.getByRole('button', { name: 'Cerrar' }).click()
  assert.deepEqual(
    sent().map(([number]) => number),
    ['+34600111222', '600 111 333', '600111444'],
  )
  await page.getByRole('region', { name: 'Sus últimos envíos' }).getByRole('listitem').first().waitFor()
  await page.reload()
  assert.equal(await numbers.inputValue(), '600 111 333')
  await page.getByRole('button', { name: 'Un solo número' }).click()
  assert.equal(await page.getByPlaceholder('+34...').inputValue(), '600 111 333')
})

test('with several numbers each text has the fields of its contact, and a contact without one is left out', async (t) => {
  server.answers['GET /api/templates'] = {
    body: { templates: [{ id: 1, company_id: 1, name: 'Saludo', text: 'Hola {{name}}.' }] },
  }
  server.answers['GET /api/contacts/*'] = ({ path }) =>
    path.endsWith('222') ? { body: ANA } : { status: 404, body: { detail: 'No.', code: 'unknown_contact' } }
  const page = await open(t, { url: server.url })
  await page.goto('/sms')
  await page.getByRole('combobox').selectOption('drone-0001')
  await page.getByRole('button', { name: 'Varios números' }).click()
  await page.getByRole('textbox', { name: 'Teléfonos' }).fill('+34600111222, +34600111555')
  await page.getByRole('button', { name: 'Plantilla' }).click()
  await page.getByRole('option', { name: 'Saludo' }).click()
  await page.getByText('Se rellenan con cada contacto: {{name}}').waitFor()
  await page.getByRole('button', { name: 'Enviar a 2 números' }).click()
  const summary = page.getByRole('dialog', { name: 'Envío parcial' })
  await summary.getByText('El contacto no tiene «name», que el mensaje necesita. No se envió.').waitFor()
  assert.deepEqual(sent(), [['+34600111222', 'Hola Ana.']])
  await summary.getByRole('button', { name: 'Cerrar' }).click()
  assert.equal(await page.getByRole('textbox', { name: 'Teléfonos' }).inputValue(), '+34600111555')

  // A server that stops would refuse the others too: they are not tried.
  server.answers['POST /api/device-send-sms'] = {
    status: 503,
    body: { detail: 'Stopping.', code: 'stopping' },
  }
  await page.getByRole('textbox', { name: 'Mensaje' }).fill('Hola.')
  await page.getByRole('textbox', { name: 'Teléfonos' }).fill('+34600111555\n+34600111666')
  await page.getByRole('button', { name: 'Enviar a 2 números' }).click()
  const failed = page.getByRole('dialog', { name: 'Error' })
  await failed.getByText('Sin intentar: 1.').waitFor()
  await failed.getByRole('heading', { name: 'Stopping.' }).waitFor()
})

test('each number leaves the form as it is sent, so that a repeated send does not reach it again', async (t) => {
  const page = await open(t, { url: server.url })
  // The answer about the second number never comes.
  await page.route('**/api/device-send-sms', (route) =>
    route.request().postData()?.includes('666') ? undefined : route.continue(),
  )
  await page.goto('/sms')
  await page.getByRole('combobox').selectOption('drone-0001')
  await page.getByRole('button', { name: 'Varios números' }).click()
  await page.getByRole('textbox', { name: 'Mensaje' }).fill('Hola.')
  const numbers = page.getByRole('textbox', { name: 'Teléfonos' })
  await numbers.fill('+34600111555\n+34600111666')
  await page.getByRole('button', { name: 'Enviar a 2 números' }).click()
  await eventually(async () => assert.equal(await numbers.inputValue(), '+34600111666'))
  await page.reload()
  assert.equal(await numbers.inputValue(), '+34600111666')
})

test('leaving ends a send to several numbers after the current one, and the form has the others', async (t) => {
  const first = Promise.withResolvers<void>()
  server.answers['POST /api/device-send-sms'] = async () => {
    await first.promise
    return { body: {} }
  }
  const page = await open(t, { url: server.url })
  await page.goto('/sms')
  await page.getByRole('combobox').selectOption('drone-0001')
  await page.getByRole('button', { name: 'Varios números' }).click()
  await page.getByRole('textbox', { name: 'Mensaje' }).fill('Hola.')
  const numbers = page.getByRole('textbox', { name: 'Teléfonos' })
  await numbers.fill('+34600111555\n+34600111666\n+34600111777')
  await page.getByRole('button', { name: 'Enviar a 3 números' }).click()
  await eventually(() => assert.equal(sent().length, 1))
  const menu = page.getByRole('navigation')
  await menu.getByRole('link', { name: 'Logs' }).click()
  await numbers.waitFor({ state: 'detached' })
  await menu.getByRole('link', { name: 'Send SMS' }).click()
  const again = page.getByRole('button', { name: 'Enviar a 3 números' })
  await again.waitFor()
  assert.ok(await again.isDisabled(), 'the outcome of the first is open')
  first.resolve()
  await page
    .getByText('Envío parcial: 1 de 3 aceptados. Los que no se enviaron siguen en el formulario.')
    .waitFor()
  assert.equal(await numbers.inputValue(), '+34600111666\n+34600111777')
  await page.getByRole('button', { name: 'Enviar a 2 números' }).click()
  await page.getByRole('dialog', { name: 'Envío correcto' }).waitFor()
  assert.deepEqual(
    sent().map(([number]) => number),
    ['+34600111555', '+34600111666', '+34600111777'],
  )
})

test('a text that is typed while the numbers are sent to stays', async (t) => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  server.answers['POST /api/device-send-sms'] = async () => {
    await released
    return { body: { status: 'SMS enviado vía MQTT', guid: 'guid-1' } }
  }
  const page = await open(t, { url: server.url })
  await page.goto('/sms')
  await page.getByRole('combobox').selectOption('drone-0001')
  await page.getByRole('button', { name: 'Varios números' }).click()
  const message = page.getByRole('textbox', { name: 'Mensaje' })
  await message.fill('Hola.')
  await page.getByRole('textbox', { name: 'Teléfonos' }).fill('+34600111555')
  await page.getByRole('button', { name: 'Enviar a 1 número' }).click()
  await eventually(() => assert.equal(sent().length, 1))
  await message.fill('Hasta mañana.')
  release()
  await page.getByRole('dialog', { name: 'Envío correcto' }).getByRole('button', { name: 'Cerrar' }).click()
  assert.equal(await message.inputValue(), 'Hasta mañana.')
})
