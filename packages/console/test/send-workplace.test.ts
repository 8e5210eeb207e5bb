import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, rowOf, useBrowser } from './browser.ts'
import { useExampleServer } from './example-server.ts'
import { fillSms, sendsOf } from './send-form.ts'

const open = useBrowser()
const server = await useExampleServer()

test('the result names the number and the device, and leads to the message', async (t) => {
  const { guid } = server.logs[0]!
  server.answers['POST /api/device-send-sms'] = { body: { status: 'SMS enviado vía MQTT', guid } }
  const page = await open(t, { url: server.url })
  await page.goto('/sms')
  await fillSms(page)
  await page.getByRole('button', { name: 'SEND', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Envío correcto' })
  await dialog.getByText('Para +34600111222 por drone-0001').waitFor()
  await dialog.getByRole('link', { name: 'Ver mensaje' }).click()
  await page.waitForURL(`**/logs?open=${guid}`)
})

test('Back from the message that a dialog has sent leads to the devices', async (t) => {
  const { guid } = server.logs[0]!
  server.answers['POST /api/device-send-sms'] = { body: { status: 'SMS enviado vía MQTT', guid } }
  const page = await open(t, { url: server.url })
  await page.goto('/devices')
  await rowOf(page, 'drone-0001').getByRole('button', { name: 'Send SMS' }).click()
  await page.getByPlaceholder('+34...').fill('+34600111222')
  await page.getByRole('textbox', { name: 'Mensaje' }).fill('Hola')
  await page.getByRole('button', { name: 'SEND', exact: true }).click()
  await page.getByRole('link', { name: 'Ver mensaje' }).click()
  await page.waitForURL(`**/logs?open=${guid}`)
  await page.goBack()
  await page.waitForURL('**/devices')
})

test('the last five messages are next to the form with their live state', async (t) => {
  const rows = server.logs.slice(0, 6)
  const guids = rows.map(({ guid }) => guid)
  server.answers['POST /api/device-send-sms'] = () => ({ body: { guid: guids[sendsOf(server).length - 1] } })
  const page = await open(t, { url: server.url })
  await page.goto('/sms')
  for (const _ of rows) {
    await fillSms(page)
    await page.getByRole('button', { name: 'SEND', exact: true }).click()
    await page.getByRole('button', { name: 'Cerrar', exact: true }).click()
  }
  const sent = page.getByRole('region', { name: 'Sus últimos envíos' }).getByRole('listitem')
  await eventually(async () => assert.equal(await sent.count(), 5))
  await sent.first().getByText(rows[5]!.message_to).waitFor()
  assert.match(
    await sent.first().getByRole('time').innerText(),
    /^\d\d\/\d\d(\/\d{4})? \d\d:\d\d$/,
    'the day of an older one',
  )
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
  await page.getByRole('dialog').locator('input:focus').waitFor()
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
  await page.getByRole('dialog', { name: 'Buscar dispositivo' }).locator('input:focus').waitFor()
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
  await fillSms(page)
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

test('the result of a send whose form was left is told, and the form is empty afterwards', async (t) => {
  const answered = Promise.withResolvers<void>()
  server.answers['POST /api/device-send-sms'] = async () => {
    await answered.promise
    return { body: { status: 'SMS enviado vía MQTT' } }
  }
  const page = await open(t, { url: server.url })
  await page.goto('/sms')
  await fillSms(page)
  await page.getByRole('button', { name: 'SEND', exact: true }).click()
  await eventually(() => assert.equal(sendsOf(server).length, 1))
  const menu = page.getByRole('navigation')
  const message = page.getByRole('textbox', { name: 'Mensaje' })
  await menu.getByRole('link', { name: 'Logs' }).click()
  await message.waitFor({ state: 'detached' })
  await menu.getByRole('link', { name: 'Send SMS' }).click()
  assert.equal(await message.inputValue(), 'Hola')
  const button = page.getByRole('button', { name: 'SEND', exact: true })
  assert.ok(await button.isDisabled(), 'the outcome is open')
  answered.resolve()
  await page.getByText('Envío correcto (+34600111222): SMS enviado vía MQTT').waitFor()
  assert.equal(await message.inputValue(), '')
  assert.ok(await button.isEnabled())
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
