import assert from 'node:assert/strict'
import { after, before, test, type TestContext } from 'node:test'
import type { Page, Request } from 'playwright-core'
import { useBrowser } from '../packages/console/test/browser.ts'
import { type Installation, startInstallation } from './installation.ts'
import { logIn, rowOf } from './visiting.ts'

/** A device that was linked and has never been switched on. */
const SILENT = 'silent-1'

let installation: Installation
const visit = useBrowser()

before(async () => {
  installation = await startInstallation({
    devices: 4,
    behaviour: { send_ms: [20, 40], delivery_ms: [20, 40], reconnect_ms: [50, 300] },
  })
  const { body } = await installation.api<{ code: string }>('/api/link-codes', {})
  await installation.api('/api/devices/link', { code: body.code, uid: SILENT })
})
after(() => installation.stop())

async function enter(t: TestContext): Promise<Page> {
  return logIn(await visit(t, { url: installation.url, role: 'none' }))
}

function sendsOf(page: Page): Request[] {
  const sends: Request[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/api/device-send-sms')) sends.push(request)
  })
  return sends
}

async function send(page: Page, { to = '+34600999888', text = 'hola' } = {}): Promise<void> {
  await page.getByPlaceholder('+34...', { exact: true }).fill(to)
  await page.locator('textarea').fill(text)
  await page.getByRole('button', { name: 'SEND', exact: true }).click()
}

test('the form of the page stands in its middle, and has no Cancelar', async (t) => {
  const page = await enter(t)
  await page.getByRole('link', { name: 'Send SMS', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'Send SMS', exact: true }).waitFor()
  const [form, main] = await Promise.all([
    page.locator('form').boundingBox(),
    page.getByRole('main').boundingBox(),
  ])
  const middle = (box: typeof form) => box!.x + box!.width / 2
  assert.ok(Math.abs(middle(form) - middle(main)) < 8)
  assert.equal(await page.getByRole('button', { name: 'Cancelar' }).count(), 0)
})

test('a device that goes away is no longer offered', async (t) => {
  const page = await enter(t)
  await page.goto('/sms')
  const option = page.getByRole('option', { name: 'drone-0004', exact: true })
  await option.waitFor({ state: 'attached' })
  assert.equal(await page.getByRole('option', { name: SILENT }).count(), 0)
  const device = installation.fleet.devices.get('drone-0004')!
  device.misbehave({ away_ms: [2_000, 2_000] })
  await device.leave()
  await option.waitFor({ state: 'detached' })
  await option.waitFor({ state: 'attached', timeout: 15_000 })
})

test('what is sent is one JSON of the three specified fields', async (t) => {
  const page = await enter(t)
  const sends = sendsOf(page)
  await page.goto('/sms')
  await page.getByRole('combobox').selectOption('drone-0001')
  await send(page, { to: '600 111 222', text: 'Mañana a las 10' })
  await page.getByRole('dialog', { name: 'Envío correcto' }).waitFor()
  assert.equal(sends.length, 1)
  assert.equal(sends[0]!.method(), 'POST')
  assert.deepEqual(sends[0]!.postDataJSON(), {
    device_uid: 'drone-0001',
    telefono_to: '600 111 222',
    mensaje_sms: 'Mañana a las 10',
  })
})

test('nothing but spaces counts as empty: nothing is sent and nothing is said', async (t) => {
  const page = await enter(t)
  const sends = sendsOf(page)
  await page.goto('/sms')
  await page.getByRole('combobox').selectOption('drone-0001')
  await send(page, { to: '   ' })
  await send(page, { text: '  \n ' })
  await page.getByPlaceholder('+34...').press('Enter')
  assert.equal(await page.getByRole('dialog').count(), 0)
  assert.equal(await page.getByRole('alert').count(), 0)
  assert.deepEqual(sends, [])
})

const refusals: [what: string, device: string, sms: Parameters<typeof send>[1], said: RegExp][] = [
  ['a number that is none', 'drone-0001', { to: '12' }, /3 to 15 digits/],
  ['a text of more than ten segments', 'drone-0001', { text: 'a'.repeat(1_531) }, /10/],
  ['a device that is not connected', SILENT, {}, /silent-1 has been disconnected for/],
  ['a device that nobody knows', 'nobody', {}, /nobody/],
]
for (const [what, device, sms, said] of refusals) {
  test(`${what} is refused in the server’s words, and closing them closes the modal`, async (t) => {
    const page = await enter(t)
    await page.goto(`/devices?send=${device}`)
    const form = page.getByRole('dialog', { name: 'Send SMS', exact: true })
    const answered = page.waitForResponse('**/api/device-send-sms')
    await send(page, sms)
    const answer = (await (await answered).json()) as { status: string; detail: string }
    assert.equal(answer.status, answer.detail)
    assert.match(answer.status, said)
    const result = page.getByRole('dialog', { name: 'Error', exact: true })
    await result.getByText(answer.status, { exact: true }).waitFor()
    await result.getByRole('button', { name: 'Cerrar', exact: true }).click()
    await form.waitFor({ state: 'detached' })
    assert.equal(new URL(page.url()).search, '')
  })
}

test('a device at its daily limit takes no more, and says so', async (t) => {
  const page = await enter(t)
  await installation.api('/api/device-list-settings', { uid: 'drone-0003', max_sms_dayly: 0 })
  await page.goto('/sms')
  await page.getByRole('combobox').selectOption('drone-0003')
  const answered = page.waitForResponse('**/api/device-send-sms')
  await send(page)
  const response = await answered
  assert.equal(response.status(), 429)
  assert.ok(Number((await response.allHeaders())['retry-after']) > 0)
  const { status } = (await response.json()) as { status: string }
  await page.getByRole('dialog', { name: 'Error', exact: true }).getByText(status, { exact: true }).waitFor()
})

const answers = [
  ['no body', { status: 500, body: '' }, 'Error', 'Error 500: Internal Server Error'],
  ['another page', { status: 502, body: '<html>Bad gateway</html>' }, 'Error', 'Error 502: Bad Gateway'],
  ['another status', { status: 200, json: { status: 'Cola llena' } }, 'Error', 'Cola llena'],
  ['a status of its own', { status: 503, json: { status: 'Cierra a las 9' } }, 'Error', 'Cierra a las 9'],
  ['no status', { status: 200, json: {} }, 'Envío correcto', 'SMS enviado correctamente.'],
] as const
for (const [what, answer, title, said] of answers) {
  test(`an answer of ${answer.status} with ${what} is shown as ${title}: ${said}`, async (t) => {
    const page = await enter(t)
    await page.route('**/api/device-send-sms', (route) => route.fulfill(answer))
    await page.goto('/sms')
    await page.getByRole('combobox').selectOption('drone-0001')
    await send(page)
    await page.getByRole('dialog', { name: title, exact: true }).getByText(said, { exact: true }).waitFor()
  })
}

test('a send that no answer comes to is called an error, and is not repeated', async (t) => {
  const page = await enter(t)
  const sends = sendsOf(page)
  await page.route('**/api/device-send-sms', (route) => route.abort())
  await page.goto('/sms')
  await page.getByRole('combobox').selectOption('drone-0001')
  await send(page)
  const result = page.getByRole('dialog', { name: 'Error', exact: true })
  await result.getByText('No hay respuesta del servidor. Compruebe la conexión.').waitFor()
  await result.getByRole('button', { name: 'Cerrar' }).click()
  assert.equal(await page.locator('textarea').inputValue(), 'hola')
  assert.equal(sends.length, 1)
})

test('the modal is for its device alone, and Cancelar leaves it without sending', async (t) => {
  const page = await enter(t)
  const sends = sendsOf(page)
  await rowOf(page, 'drone-0002').getByRole('button', { name: 'Send SMS', exact: true }).click()
  const form = page.getByRole('dialog', { name: 'Send SMS', exact: true })
  await form.getByText('drone-0002', { exact: true }).waitFor()
  assert.equal(await form.getByRole('combobox').count(), 0)
  assert.equal(await form.locator('textarea').getAttribute('rows'), '4')
  await form.getByPlaceholder('+34...').fill('600111222')
  await form.locator('textarea').fill('hola')
  await form.getByRole('button', { name: 'Cancelar', exact: true }).click()
  await form.waitFor({ state: 'detached' })
  assert.deepEqual(sends, [])
})
