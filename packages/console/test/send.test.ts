import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { changeLanguage, eventually, useBrowser } from './browser.ts'
import { useExampleServer } from './example-server.ts'
import type { Answer } from './stand-in.ts'

const open = useBrowser()
const server = await useExampleServer()

function sends() {
  return server.asked.filter(({ path }) => path === '/api/device-send-sms')
}

async function fill(page: Page): Promise<void> {
  await page.getByRole('combobox').selectOption('drone-0001')
  await page.getByPlaceholder('+34...').fill('+34600111222')
  await page.getByRole('textbox', { name: 'Mensaje' }).fill('Hola')
}

test('only connected devices are offered, after the empty choice', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/sms')
  const options = page.getByRole('combobox').getByRole('option')
  await eventually(async () => {
    const connected = server.devices.filter(({ status }) => status === 'connected').map(({ uid }) => uid)
    assert.deepEqual(await options.allInnerTexts(), ['-- Selecciona UID --', ...connected])
  })
  assert.equal(await page.getByRole('button', { name: 'Cancelar' }).count(), 0)
  assert.equal(await page.getByRole('textbox', { name: 'Mensaje' }).getAttribute('rows'), '4')
})

test('nothing is sent while the device, the phone or the message is missing', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/sms')
  await fill(page)
  const empty: (() => Promise<unknown>)[] = [
    () => page.getByRole('combobox').selectOption(''),
    () => page.getByPlaceholder('+34...').fill(''),
    () => page.getByRole('textbox', { name: 'Mensaje' }).fill(''),
  ]
  for (const clear of empty) {
    await fill(page)
    await clear()
    await page.getByRole('button', { name: 'SEND', exact: true }).click()
  }
  await page.waitForTimeout(200)
  assert.deepEqual(sends(), [])
  assert.equal(await page.getByRole('dialog').count(), 0)
  assert.equal(await page.getByRole('alert').count(), 0)
})

const successes: [what: string, answer: Answer, said: string][] = [
  ['the status of success', { body: { status: 'SMS enviado vía MQTT' } }, 'SMS enviado vía MQTT'],
  ['no status', { body: {} }, 'SMS enviado correctamente.'],
  ['no body', {}, 'SMS enviado correctamente.'],
]
for (const [what, answer, said] of successes) {
  test(`an answer with ${what} is a success, and phone and message are cleared`, async (t) => {
    server.answers['POST /api/device-send-sms'] = answer
    const page = await open(t, { url: server.url })
    await page.goto('/sms')
    await fill(page)
    await page.getByRole('button', { name: 'SEND', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Envío correcto', exact: true })
    await dialog.getByText(said, { exact: true }).waitFor()
    await dialog.getByRole('button', { name: 'Cerrar', exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
    assert.equal(await page.getByPlaceholder('+34...').inputValue(), '')
    assert.equal(await page.getByRole('textbox', { name: 'Mensaje' }).inputValue(), '')
    const body = { device_uid: 'drone-0001', telefono_to: '+34600111222', mensaje_sms: 'Hola' }
    assert.deepEqual(JSON.parse(sends()[0]?.body ?? ''), body)
  })
}

const failures: [what: string, answer: Answer, said: string][] = [
  ['another status', { body: { status: 'Cola llena' } }, 'Cola llena'],
  ['a refusal with a status', { status: 409, body: { status: 'Apagado', detail: 'x' } }, 'Apagado'],
  ['a refusal without one', { status: 409, body: { detail: 'x' } }, 'Error 409: Conflict'],
  ['a fault without a body', { status: 500 }, 'Error 500: Internal Server Error'],
]
for (const [what, answer, said] of failures) {
  test(`an answer with ${what} is an error that keeps the input`, async (t) => {
    server.answers['POST /api/device-send-sms'] = answer
    const page = await open(t, { url: server.url })
    await page.goto('/sms')
    await fill(page)
    await page.getByRole('button', { name: 'SEND', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Error', exact: true })
    await dialog.getByText(said, { exact: true }).waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    assert.equal(await page.getByRole('textbox', { name: 'Mensaje' }).inputValue(), 'Hola')
    assert.equal(sends().length, 1, 'a send is never repeated by itself')
  })
}

test('SEND cannot be pressed twice during a send', async (t) => {
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  server.answers['POST /api/device-send-sms'] = async () => {
    await held
    return { body: {} }
  }
  const page = await open(t, { url: server.url })
  await page.goto('/sms')
  await fill(page)
  const button = page.getByRole('button', { name: 'SEND', exact: true })
  await button.dblclick()
  await page.getByPlaceholder('+34...').press('Enter')
  assert.equal(await button.isDisabled(), true)
  release()
  const dialog = page.getByRole('dialog', { name: 'Envío correcto' })
  await dialog.getByRole('button', { name: 'Cerrar', exact: true }).click()
  assert.equal(sends().length, 1)
  assert.equal(await page.getByRole('button', { name: 'SEND', exact: true }).isEnabled(), true)
})

test('the number of characters, the alphabet and the segments are shown below the message', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/sms')
  const message = page.getByRole('textbox', { name: 'Mensaje' })
  await message.fill('a'.repeat(161))
  await page.getByText('161 de 306 caracteres').waitFor()
  await page.getByText('GSM-7').waitFor()
  await page.getByText('2 segmentos').waitFor()
  await message.fill('Ж')
  await page.getByText('UCS-2').waitFor()
  await page.getByText('1 segmento', { exact: true }).waitFor()
})

test('the send form of a device sends through that device, and closes after its result', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/devices')
  const opener = page
    .getByRole('row')
    .filter({ hasText: 'drone-0002' })
    .getByRole('button', { name: 'Send SMS' })
  await opener.click()
  await page.waitForURL('**/devices?send=drone-0002')
  const form = page.getByRole('dialog', { name: 'Send SMS', exact: true })
  assert.equal(await form.getByRole('combobox').count(), 0)
  await form.getByPlaceholder('+34...').fill('600111222')
  await form.getByRole('textbox', { name: 'Mensaje' }).fill('Hola')
  await form.getByRole('button', { name: 'SEND', exact: true }).click()
  const result = page.getByRole('dialog', { name: 'Envío correcto' })
  await result.waitFor()
  await result.getByRole('button', { name: 'Cerrar', exact: true }).click()
  await page.getByRole('dialog').first().waitFor({ state: 'detached' })
  assert.equal(JSON.parse(sends()[0]?.body ?? '').device_uid, 'drone-0002')
  await eventually(async () =>
    assert.equal(
      await opener.evaluate((button) => button === document.activeElement),
      true,
      'the focus is back',
    ),
  )
})

test('a refusal closes the form with its result, and the text is kept only for the same device', async (t) => {
  server.answers['POST /api/device-send-sms'] = { status: 422, body: { status: 'No such number' } }
  const page = await open(t, { url: server.url })
  const form = page.getByRole('dialog', { name: 'Send SMS', exact: true })
  const openForm = (uid: string) =>
    page.getByRole('row').filter({ hasText: uid }).getByRole('button', { name: 'Send SMS' }).click()
  const written = async () => [
    await form.getByPlaceholder('+34...').inputValue(),
    await form.getByRole('textbox', { name: 'Mensaje' }).inputValue(),
  ]
  await page.goto('/devices')
  await openForm('drone-0002')
  await form.getByPlaceholder('+34...').fill('60')
  await form.getByRole('textbox', { name: 'Mensaje' }).fill('Hola')
  await form.getByRole('button', { name: 'SEND', exact: true }).click()
  await page.getByRole('dialog', { name: 'Error' }).getByRole('button', { name: 'Cerrar' }).click()
  await page.getByRole('dialog').first().waitFor({ state: 'detached' })
  await openForm('drone-0001')
  assert.deepEqual(await written(), ['', ''])
  await page.keyboard.press('Escape')
  await openForm('drone-0002')
  assert.deepEqual(await written(), ['60', 'Hola'])
  server.answers['POST /api/device-send-sms'] = { body: {} }
  await form.getByRole('button', { name: 'SEND', exact: true }).click()
  await page.getByRole('dialog', { name: 'Envío correcto' }).getByRole('button', { name: 'Cerrar' }).click()
  await openForm('drone-0002')
  assert.deepEqual(await written(), ['', ''])
})

for (const way of ['Cancelar', 'Escape', 'Back']) {
  test(`${way} closes the devices' send form without sending, and returns the focus`, async (t) => {
    const page = await open(t, { url: server.url })
    await page.goto('/devices')
    const opener = page
      .getByRole('row')
      .filter({ hasText: 'drone-0002' })
      .getByRole('button', { name: 'Send SMS' })
    await opener.click()
    const form = page.getByRole('dialog', { name: 'Send SMS', exact: true })
    await form.waitFor()
    if (way === 'Cancelar') await form.getByRole('button', { name: 'Cancelar' }).click()
    else if (way === 'Escape') await page.keyboard.press('Escape')
    else await page.goBack()
    await form.waitFor({ state: 'detached' })
    await eventually(async () =>
      assert.equal(await opener.evaluate((button) => button === document.activeElement), true),
    )
    assert.deepEqual(sends(), [])
  })
}

test('a modal keeps the focus', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/devices?send=drone-0001')
  const form = page.getByRole('dialog', { name: 'Send SMS', exact: true })
  await form.waitFor()
  for (const key of ['Tab', 'Tab', 'Tab', 'Tab', 'Tab', 'Shift+Tab', 'Shift+Tab', 'Shift+Tab', 'Tab']) {
    await page.keyboard.press(key)
    assert.equal(await form.evaluate((dialog) => dialog.contains(document.activeElement)), true)
  }
})

test('the result of a send follows a change of the language, without the words of the server', async (t) => {
  server.answers['POST /api/device-send-sms'] = {
    status: 422,
    body: {
      status: 'What was sent is not valid.',
      code: 'invalid',
      fields: { telefono_to: 'must be a number' },
      field_codes: { telefono_to: { code: 'number_format', params: {} } },
    },
  }
  const page = await open(t, { url: server.url })
  await page.goto('/sms')
  await fill(page)
  await page.getByRole('button', { name: 'SEND', exact: true }).click()
  await page.getByRole('dialog', { name: 'Error' }).getByText('What was sent is not valid.').waitFor()
  await changeLanguage(page, 'en')
  const refused = page.getByRole('dialog', { name: 'The message was not sent' })
  await refused.getByText(/^Phone: Type the number with its country code/).waitFor()
  await changeLanguage(page, 'es')
  await page.getByText(/^Teléfono: Escriba el número con su prefijo/).waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Cerrar' }).click()

  server.answers['POST /api/device-send-sms'] = { body: { status: 'SMS enviado vía MQTT' } }
  await page.getByRole('button', { name: 'Enviar', exact: true }).click()
  const accepted = page.getByRole('dialog', { name: 'Mensaje aceptado' })
  await accepted.getByText('El mensaje se está enviando.', { exact: true }).waitFor()
})

/** What the field's error or hint says, by the control that it describes. */
function said(page: Page, text: string) {
  return page.getByText(text, { exact: true })
}
const RULE = 'Escriba el número con prefijo (+34600111222) o un número corto.'

test('a number is checked while it is typed, and one that only lacks digits when the field is left', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/sms')
  const phone = page.getByPlaceholder('+34...')
  await phone.pressSequentially('+34')
  await said(page, RULE).waitFor()
  assert.equal(await phone.getAttribute('aria-invalid'), null, 'more digits may follow')
  await page.getByRole('textbox', { name: 'Mensaje' }).focus()
  await page.locator('[type=tel][aria-invalid]').waitFor()
  await phone.fill('+34600 111 222')
  await said(page, RULE).waitFor({ state: 'detached' })
  await phone.fill('hello')
  await page.locator('[type=tel][aria-invalid]').waitFor()
  await said(page, RULE).waitFor()
})

test('in a chosen language, a wrong number or a text that is too long is not sent', async (t) => {
  const page = await open(t, { url: server.url, language: 'en' })
  await page.goto('/sms')
  await page.getByRole('combobox').selectOption('drone-0001')
  const phone = page.getByRole('textbox', { name: 'Phone' })
  const message = page.getByRole('textbox', { name: 'Message' })
  await phone.fill('12')
  await message.fill('Hello')
  await message.press('Tab')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.locator('[type=tel][aria-invalid]:focus').waitFor()
  await phone.fill('+34600111222')
  await message.fill('a'.repeat(1_531))
  await page.getByText('1531 of 1530 characters').waitFor()
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.locator('textarea[aria-invalid]:focus').waitFor()
  assert.deepEqual(sends(), [])
  await message.fill('a'.repeat(1_530))
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByRole('dialog', { name: 'Message accepted' }).waitFor()
  assert.equal(sends().length, 1)
})

test('the result names the number and the device, and leads to the message', async (t) => {
  const { guid } = server.logs[0]!
  server.answers['POST /api/device-send-sms'] = { body: { status: 'SMS enviado vía MQTT', guid } }
  const page = await open(t, { url: server.url })
  await page.goto('/sms')
  await fill(page)
  await page.getByRole('button', { name: 'SEND', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Envío correcto' })
  await dialog.getByText('Para +34600111222 por drone-0001').waitFor()
  await dialog.getByRole('link', { name: 'Ver mensaje' }).click()
  await page.waitForURL(`**/logs?open=${guid}`)
})

test('the last five messages are next to the form with their live state', async (t) => {
  const rows = server.logs.slice(0, 6)
  const guids = rows.map(({ guid }) => guid)
  server.answers['POST /api/device-send-sms'] = () => ({ body: { guid: guids[sends().length - 1] } })
  const page = await open(t, { url: server.url })
  await page.goto('/sms')
  for (const _ of rows) {
    await fill(page)
    await page.getByRole('button', { name: 'SEND', exact: true }).click()
    await page.getByRole('button', { name: 'Cerrar', exact: true }).click()
  }
  const sent = page.getByRole('region', { name: 'Sus últimos envíos' }).getByRole('listitem')
  await eventually(async () => assert.equal(await sent.count(), 5))
  await sent.first().getByText(rows[5]!.message_to).waitFor()
  server.answers['GET /api/logs/queue/guid/*'] = ({ path }) => ({
    body: { ...server.logs.find(({ guid }) => path.endsWith(guid)), state: 'cancelled' },
  })
  server.publish('/front/change', { changed: ['logs'] })
  await sent.first().getByText('Cancelado').waitFor()
  await page.reload()
  await sent.nth(4).waitFor()
})

test('the list of devices is searched by number, shows the state of each, and fills the field', async (t) => {
  const page = await open(t, { url: server.url })
  const [first, second, third] = server.devices
  server.devices = [{ ...first!, enabled: false }, { ...second!, sent_today: 1_000 }, third!]
  await page.goto('/sms')
  await page.getByRole('button', { name: 'Buscar dispositivo' }).click()
  const options = page.getByRole('dialog').getByRole('option')
  await eventually(async () => assert.equal(await options.count(), 3))
  assert.match(await options.nth(0).innerText(), /drone-0003[^]*Vodafone[^]*listo[^]*de 1000 hoy/)
  assert.match(await options.nth(1).innerText(), /drone-0001[^]*deshabilitado/)
  assert.match(await options.nth(2).innerText(), /drone-0002[^]*límite alcanzado/)
  await page.keyboard.type(second!.sim_ids[0]!.slice(-5))
  await eventually(async () => assert.equal(await options.count(), 1))
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  assert.equal(await page.getByRole('combobox').inputValue(), 'drone-0002')
  await page.getByText('Ha llegado a su límite de hoy: el servidor rechazará el mensaje.').waitFor()
})

test('a click on the device field opens that list, and Escape returns to the field', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/sms')
  const field = page.getByRole('combobox', { name: 'UID' })
  await field.getByRole('option', { name: 'drone-0001' }).waitFor({ state: 'attached' })
  await field.click()
  await page.getByRole('dialog', { name: 'Buscar dispositivo' }).waitFor()
  await page.keyboard.press('Escape')
  await page.locator('select:focus').waitFor()
})

test('a draft survives another screen and an expired session, and goes with the logout', async (t) => {
  const page = await open(t, { url: server.url })
  const message = page.getByRole('textbox', { name: 'Mensaje' })
  const written = async () =>
    eventually(async () =>
      assert.deepEqual(
        [
          await page.getByRole('combobox').inputValue(),
          await page.getByPlaceholder('+34...').inputValue(),
          await message.inputValue(),
        ],
        ['drone-0001', '+34600111222', 'Hola'],
      ),
    )
  await page.goto('/sms')
  await fill(page)
  await page.getByRole('link', { name: 'Users' }).click()
  await page.getByRole('heading', { level: 1, name: 'Usuarios' }).waitFor()
  await page.getByRole('link', { name: 'Send SMS' }).click()
  await written()
  server.answers['POST /api/device-send-sms'] = { status: 401, body: { detail: 'expired' } }
  await page.getByRole('button', { name: 'SEND', exact: true }).click()
  await page.waitForURL('**/login')
  const login = async () => {
    await page.getByPlaceholder('Username').fill('superadmin')
    await page.getByPlaceholder('Password').fill('correct')
    await page.getByRole('button', { name: 'LOG IN' }).click()
    await page.getByRole('link', { name: 'Send SMS' }).click()
  }
  await login()
  await written()
  await page.getByRole('button', { name: 'Logout' }).click()
  await login()
  await message.waitFor()
  assert.equal(await message.inputValue(), '')
})

test('an address fills the form and becomes its draft', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/sms?to=%2B34600999888&text=Otra+vez&device=drone-0002')
  await page.waitForURL('**/sms')
  const message = page.getByRole('textbox', { name: 'Mensaje' })
  assert.equal(await message.inputValue(), 'Otra vez')
  assert.equal(await page.getByPlaceholder('+34...').inputValue(), '+34600999888')
  await eventually(async () => assert.equal(await page.getByRole('combobox').inputValue(), 'drone-0002'))
  await message.fill('Otra vez, por favor')
  await page.reload()
  assert.equal(await message.inputValue(), 'Otra vez, por favor')
})
