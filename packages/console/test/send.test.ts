import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { changeLanguage, eventually, useBrowser } from './browser.ts'
import { useExampleServer } from './example-server.ts'
import { fillSms, sendsOf } from './send-form.ts'
import type { Answer } from './stand-in.ts'

const open = useBrowser()
const server = await useExampleServer()

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
  await fillSms(page)
  const empty: (() => Promise<unknown>)[] = [
    () => page.getByRole('combobox').selectOption(''),
    () => page.getByPlaceholder('+34...').fill(''),
    () => page.getByRole('textbox', { name: 'Mensaje' }).fill(''),
  ]
  for (const clear of empty) {
    await fillSms(page)
    await clear()
    await page.getByRole('button', { name: 'SEND', exact: true }).click()
  }
  assert.equal(await page.getByRole('dialog').count(), 0)
  assert.equal(await page.getByRole('alert').count(), 0)
  await fillSms(page)
  await page.getByRole('button', { name: 'SEND', exact: true }).click()
  await page.getByRole('dialog').waitFor()
  assert.equal(sendsOf(server).length, 1, 'only the last press sends')
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
    await fillSms(page)
    await page.getByRole('button', { name: 'SEND', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Envío correcto', exact: true })
    await dialog.getByText(said, { exact: true }).waitFor()
    await dialog.getByRole('button', { name: 'Cerrar', exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
    assert.equal(await page.getByPlaceholder('+34...').inputValue(), '')
    assert.equal(await page.getByRole('textbox', { name: 'Mensaje' }).inputValue(), '')
    const body = { device_uid: 'drone-0001', telefono_to: '+34600111222', mensaje_sms: 'Hola' }
    assert.deepEqual(JSON.parse(sendsOf(server)[0]?.body ?? ''), body)
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
    await fillSms(page)
    await page.getByRole('button', { name: 'SEND', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Error', exact: true })
    await dialog.getByText(said, { exact: true }).waitFor()
    await dialog.locator(':focus').waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    assert.equal(await page.getByRole('textbox', { name: 'Mensaje' }).inputValue(), 'Hola')
    assert.equal(sendsOf(server).length, 1, 'a send is never repeated by itself')
  })
}

const foreign = {
  es: 'No se entiende la respuesta del servidor (estado 409).',
  en: 'The server’s answer could not be understood (status 409).',
}
for (const [language, said] of Object.entries(foreign)) {
  test(`in ${language}, a refusal that is not from this API says so, with its status`, async (t) => {
    const page = await open(t, { url: server.url })
    await page.route('**/api/device-send-sms', (route) =>
      route.fulfill({ status: 409, contentType: 'text/html', body: '<h1>Conflict</h1>' }),
    )
    await page.goto('/sms')
    await fillSms(page)
    await page.getByRole('button', { name: 'SEND', exact: true }).click()
    await page.getByRole('dialog').getByText('Error 409: Conflict', { exact: true }).waitFor()
    await changeLanguage(page, language as 'es' | 'en')
    await page.getByRole('dialog').getByText(said, { exact: true }).waitFor()
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
  await fillSms(page)
  const button = page.getByRole('button', { name: 'SEND', exact: true })
  await button.dblclick()
  await page.getByPlaceholder('+34...').press('Enter')
  assert.equal(await button.isDisabled(), true)
  release()
  const dialog = page.getByRole('dialog', { name: 'Envío correcto' })
  await dialog.getByRole('button', { name: 'Cerrar', exact: true }).click()
  assert.equal(sendsOf(server).length, 1)
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
  await fillSms(page)
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

test('in a chosen language a number is checked while it is typed, and one that only lacks digits when the field is left', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/sms')
  const phone = page.getByPlaceholder('+34...')
  await phone.pressSequentially('+34')
  assert.equal(await said(page, RULE).count(), 0, 'the specification has no check')
  await changeLanguage(page, 'es')
  await said(page, RULE).waitFor()
  await phone.focus()
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
  assert.deepEqual(sendsOf(server), [])
  await message.fill('a'.repeat(1_530))
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByRole('dialog', { name: 'Message accepted' }).waitFor()
  assert.equal(sendsOf(server).length, 1)
})
