import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, useBrowser } from './browser.ts'
import { useExampleServer } from './example-server.ts'
import { exampleSettings } from './example-staff.ts'
import type { Answer } from './stand-in.ts'

const open = useBrowser()
const server = await useExampleServer()

test('who may not read conversations has no link to them, is told at their address, and writes by the send form', async (t) => {
  server.answers['GET /api/global-settings'] = {
    body: { settings: [{ ...exampleSettings[0], inbox_role: 'admin' }] },
  }
  server.answers['GET /api/conversations'] = {
    status: 403,
    body: { detail: 'no', code: 'forbidden', params: {} },
  }
  const page = await open(t, { url: server.url, role: 'user' })
  await page.goto('/conversations')
  await page.getByText('Solo un administrador puede ver esto.').waitFor()
  await eventually(async () =>
    assert.equal(await page.getByRole('navigation').getByRole('link', { name: 'Conversaciones' }).count(), 0),
  )
  await page.goto('/contacts?open=%2B34600111222')
  await page.getByRole('link', { name: 'Escribirle' }).click()
  await page.waitForURL('**/sms')
  assert.equal(await page.getByLabel('Teléfono').inputValue(), '+34600111222')
})

test('each message says who sent it, or that it was typed on the phone', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/conversations?filter=all&open=%2B34600111242&company=1')
  const lineOf = (text: string) => page.getByRole('listitem').filter({ hasText: text })
  const typed = lineOf('La llamo en un minuto.')
  await typed.getByText('Escrito en el teléfono, drone-0001').waitFor()
  await typed.locator('b', { hasText: 'Enviado' }).waitFor()
  assert.equal(await typed.locator('[data-sent]').count(), 1)
  const byKey = lineOf('Su cita: jueves 26/11 a las 17:30.')
  await byKey.getByText('CRM de citas').waitFor()
  assert.equal(await byKey.locator('.lucide-key-round').count(), 1)
  assert.equal(await typed.locator('.lucide-smartphone').count(), 1)
})

test('without HTTPS, where the browser makes no guids, a conversation is opened and answered', async (t) => {
  const page = await open(t, { url: server.url })
  await page.addInitScript('delete Crypto.prototype.randomUUID')
  await page.goto('/conversations?filter=all&open=%2B34600111242&company=1')
  const thread = page.getByRole('region', { name: 'Lucía Ferrer Gil' })
  await thread.getByRole('textbox', { name: 'Mensaje' }).fill('A las cinco')
  await thread.getByRole('button', { name: 'Enviar', exact: true }).click()
  await eventually(() => assert.equal(answersTo('+34600111242').length, 1))
  assert.match(answersTo('+34600111242')[0]!.guid, /^[\da-f]{8}-[\da-f]{4}-4/)
})

test('an answer whose outcome is open is sent again with its guid, also after another conversation', async (t) => {
  const answered = Promise.withResolvers<void>()
  server.answers['POST /api/conversations/*/messages'] = async () => {
    await answered.promise
    return { status: 202, body: { guid: 'guid-1' } }
  }
  const page = await open(t, { url: server.url })
  await page.goto('/conversations?filter=all&open=%2B34600111242&company=1')
  const threadOf = (name: string) => page.getByRole('region', { name })
  const field = page.getByRole('textbox', { name: 'Mensaje' })
  await field.fill('A las cinco')
  await field.press('ControlOrMeta+Enter')
  await eventually(() => assert.equal(answersTo('+34600111242').length, 1))
  await page.locator('[data-row]').filter({ hasText: '+34600111593' }).click()
  await threadOf('+34600111593').waitFor()
  await page.locator('[data-row]').filter({ hasText: 'Lucía' }).click()
  await threadOf('Lucía Ferrer Gil').waitFor()
  assert.equal(await field.inputValue(), 'A las cinco')
  await field.press('ControlOrMeta+Enter')
  await eventually(() => assert.equal(answersTo('+34600111242').length, 2))
  const [first, second] = answersTo('+34600111242')
  assert.deepEqual(second, first)
  answered.resolve()
  await eventually(async () => assert.equal(await field.inputValue(), ''))
  // The first answer empties the field. Until the second one, nothing can be sent.
  await page.locator('button[type=submit][aria-busy=false]', { hasText: 'Enviar' }).waitFor()
  await field.fill('A las seis')
  await field.press('ControlOrMeta+Enter')
  await eventually(() => assert.equal(answersTo('+34600111242').length, 3))
  assert.notEqual(answersTo('+34600111242')[2]!.guid, first!.guid)
})

test('an answer that fails after its conversation was left is told with the number', async (t) => {
  const answered = Promise.withResolvers<void>()
  server.answers['POST /api/conversations/*/messages'] = async () => {
    await answered.promise
    return { status: 409, body: { detail: 'The SIM is used up.', code: 'plan_used', params: {} } }
  }
  const page = await open(t, { url: server.url })
  await page.goto('/conversations?filter=all&open=%2B34600111242&company=1')
  const field = page.getByRole('textbox', { name: 'Mensaje' })
  await field.fill('A las cinco')
  await field.press('ControlOrMeta+Enter')
  await eventually(() => assert.equal(answersTo('+34600111242').length, 1))
  await page.locator('[data-row]').filter({ hasText: '+34600111593' }).click()
  await page.getByRole('region', { name: '+34600111593' }).waitFor()
  answered.resolve()
  await page
    .getByText('No se pudo responder a +34600111242. El texto sigue en su conversación. The SIM is used up.')
    .waitFor()
})

test('a conversation that is marked as unread stays unread while it is open', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/conversations?filter=all&open=%2B34600111864&company=1')
  await page.getByRole('button', { name: 'Marcar como no leída' }).click()
  const row = page.locator('[data-row]').filter({ hasText: '+34600111864' })
  await row.getByText('1 sin leer').waitFor({ state: 'attached' })
  await page.getByRole('button', { name: 'Reabrir' }).click()
  await page.getByRole('button', { name: 'Cerrar', exact: true }).waitFor()
  assert.deepEqual(changesOf('+34600111864'), [{ read_to: null }, { status: 'open' }])
})

test('a conversation without a received SMS cannot be marked as unread', async (t) => {
  const usual = server.answers['GET /api/conversations/*'] as (asked: unknown) => { body: Thread }
  server.answers['GET /api/conversations/*'] = (asked) => {
    const { body } = usual(asked)
    return { body: { ...body, messages: body.messages.filter(({ direction }) => direction === 'out') } }
  }
  const page = await open(t, { url: server.url })
  await page.goto('/conversations?filter=all&open=%2B34600111593&company=1')
  const unread = page.getByRole('button', { name: 'Marcar como no leída' })
  await eventually(async () => assert.equal(await unread.isDisabled(), true))
  await page.keyboard.press('u')
  await page.getByRole('button', { name: 'Cerrar', exact: true }).click()
  await page.getByRole('button', { name: 'Reabrir' }).click()
  await page.getByRole('button', { name: 'Cerrar', exact: true }).waitFor()
  assert.deepEqual(changesOf('+34600111593'), [{ status: 'done' }, { status: 'open' }])
})

test('a conversation whose mark as read failed is marked when the window is shown again', async (t) => {
  const change = server.answers['POST /api/conversations/*'] as (asked: unknown) => Answer
  let fails = true
  server.answers['POST /api/conversations/*'] = (asked) => (fails ? { status: 503 } : change(asked))
  const page = await open(t, { url: server.url })
  const failed = page.waitForEvent('console', (said) => said.text().startsWith('conversations read:'))
  await page.goto('/conversations?filter=all&open=%2B34600111076&company=1')
  await failed
  fails = false
  for (const state of ['hidden', 'visible'])
    await page.evaluate((now) => {
      Object.defineProperty(document, 'visibilityState', { value: now, configurable: true })
      document.dispatchEvent(new Event('visibilitychange'))
    }, state)
  await page
    .locator('[data-row]')
    .filter({ hasText: 'Elena' })
    .getByText('sin leer')
    .waitFor({ state: 'detached' })
  const marks = changesOf('+34600111076')
  // The load after the first live connection repeats it, too.
  assert.ok(marks.length >= 2)
  for (const mark of marks) assert.deepEqual(mark, { read_to: 'm10' })
})

test('Escape that ends the composition of a letter does not close the conversation', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/conversations?filter=all&open=%2B34600111242&company=1')
  const field = page.getByRole('textbox', { name: 'Mensaje' })
  await field.focus()
  const takes = (isComposing: boolean) =>
    field.evaluate((element, composing) => {
      const options = { key: 'Escape', isComposing: composing, bubbles: true, cancelable: true }
      return !element.dispatchEvent(new KeyboardEvent('keydown', options))
    }, isComposing)
  assert.equal(await takes(true), false)
  assert.equal(await takes(false), true)
  await field.waitFor({ state: 'detached' })
})

test('on a tablet the open conversation has the whole width, and leads back to the list', async (t) => {
  const page = await open(t, { url: server.url })
  await page.setViewportSize({ width: 768, height: 1024 })
  await page.goto('/conversations?filter=all&open=%2B34600111242&company=1')
  const thread = page.getByRole('region', { name: 'Lucía Ferrer Gil' })
  await thread.getByRole('textbox', { name: 'Mensaje' }).waitFor()
  const list = page.getByRole('region', { name: 'Conversaciones' })
  assert.equal(await list.count(), 0)
  await thread.getByRole('button', { name: 'Volver a la lista' }).click()
  await list.waitFor()
  await page.setViewportSize({ width: 1024, height: 768 })
  await page.getByText('Elija una conversación.').waitFor()
})

test('a mark as unread that is pressed before the conversation is loaded again holds', async (t) => {
  const number = '+34600111593'
  const load = `GET /api/conversations/${number}`
  const usual = server.answers['GET /api/conversations/*'] as (asked: unknown) => Answer
  const page = await open(t, { url: server.url })
  await page.clock.install()
  await page.goto(`/conversations?filter=all&open=${encodeURIComponent(number)}&company=1`)
  const row = (text: string) => page.locator('[data-row]').filter({ hasText: text })
  const unread = page.getByRole('button', { name: 'Marcar como no leída' })
  await unread.waitFor()
  await row('Lucía').click()
  await page.getByRole('region', { name: 'Lucía Ferrer Gil' }).waitFor()
  // A cached conversation is loaded again only after a while.
  await page.clock.fastForward(60_000)
  const loads: PromiseWithResolvers<void>[] = []
  server.answers[load] = async (asked) => {
    const held = Promise.withResolvers<void>()
    loads.push(held)
    await held.promise
    return usual(asked)
  }
  await row(number).click()
  await page.getByRole('region', { name: number }).waitFor()
  await eventually(() => assert.ok(loads.length > 0, 'it is loaded'))
  const before = loads.length
  await page.keyboard.press('u')
  await eventually(() => assert.ok(loads.length > before, 'it is loaded again'))
  server.answers[load] = usual
  for (const held of loads) held.resolve()
  await row(number).getByText('1 sin leer').waitFor({ state: 'attached' })
  await page.getByRole('button', { name: 'Cerrar', exact: true }).click()
  await page.getByRole('button', { name: 'Reabrir' }).click()
  await page.getByRole('button', { name: 'Cerrar', exact: true }).waitFor()
  assert.deepEqual(changesOf(number), [{ read_to: null }, { status: 'done' }, { status: 'open' }])
})

test('an uncertain message that is sent again goes out once, even if the first reply was lost', async (t) => {
  const page = await open(t, { url: server.url })
  const lost: Sent[] = []
  await page.route(
    (url) => url.pathname.endsWith('/messages'),
    async (route) => {
      lost.push(route.request().postDataJSON() as Sent)
      await route.abort()
    },
    { times: 1 },
  )
  await page.goto('/conversations?filter=all&open=%2B34600111242&company=1')
  const thread = page.getByRole('region', { name: 'Lucía Ferrer Gil' })
  const again = thread.getByRole('button', { name: 'Enviar de nuevo…' })
  const dialog = page.getByRole('dialog', { name: '¿Enviar de nuevo?' })
  const confirm = dialog.getByRole('button', { name: 'Enviar de nuevo' })
  await again.click()
  await confirm.click()
  await dialog.getByText('No hay respuesta del servidor. Compruebe la conexión.').waitFor()
  await dialog.getByRole('button', { name: 'Cancelar' }).click()
  await again.click()
  await confirm.click()
  await again.waitFor({ state: 'detached' })
  assert.deepEqual(answersTo('+34600111242'), lost)
})

test('a message that was cancelled to be sent by another device, but not sent, keeps its dialog and is sent by another press', async (t) => {
  const number = '+34600111242'
  const usual = server.answers['GET /api/conversations/*'] as (asked: unknown) => { body: Thread }
  const discard = server.answers['DELETE /api/conversations/*/messages/*'] as Answer
  const answered = server.answers['POST /api/conversations/*/messages']!
  let cancelled = false
  server.answers['GET /api/conversations/*'] = (asked) => {
    const { body } = usual(asked)
    const ended = { state: 'cancelled', waiting_for: null, waiting_code: null, waiting_params: null }
    const messages = body.messages.map((message) =>
      cancelled && message.waiting_for ? { ...message, ...ended } : message,
    )
    return { body: { ...body, messages } }
  }
  server.answers['DELETE /api/conversations/*/messages/*'] = () => {
    cancelled = true
    return discard
  }
  server.answers['POST /api/conversations/*/messages'] = {
    status: 409,
    body: { detail: 'The SIM is used up.', code: 'plan_used', params: {} },
  }
  const page = await open(t, { url: server.url })
  await page.goto(`/conversations?filter=all&open=${encodeURIComponent(number)}&company=1`)
  await page.getByText('En vivo').waitFor()
  await page.getByRole('button', { name: 'Enviar por otro' }).click()
  await page.getByRole('dialog').getByRole('option').first().click()
  const ask = page.getByRole('dialog', { name: 'Enviar por otro' })
  const send = ask.getByRole('button', { name: 'Enviar', exact: true })
  await send.click()
  const refusal = ask.getByRole('alert').getByText('The SIM is used up.')
  await refusal.waitFor()
  server.publish('/front/change', { changed: ['conversations'] })
  await page.getByText('Cancelado', { exact: true }).first().waitFor()
  assert.equal(await refusal.count(), 1)
  server.answers['POST /api/conversations/*/messages'] = answered
  await send.click()
  await ask.waitFor({ state: 'detached' })
  const [first, second, ...others] = answersTo(number)
  assert.deepEqual([second, others], [first, []])
  assert.equal(server.asked.filter(({ method }) => method === 'DELETE').length, 1)
})

test('a message that a device has accepted can neither be cancelled nor be sent by another one', async (t) => {
  const usual = server.answers['GET /api/conversations/*'] as (asked: unknown) => { body: Thread }
  let is_accepted = false
  server.answers['GET /api/conversations/*'] = (asked) => {
    const { body } = usual(asked)
    const waiting_params = { device: 'drone-0001', since: '2026-11-20T20:00:00.000Z' }
    const accepted = { waiting_code: 'accepted', waiting_params }
    const messages = body.messages.map((message) =>
      is_accepted && message.waiting_for ? { ...message, ...accepted } : message,
    )
    return { body: { ...body, messages } }
  }
  const page = await open(t, { url: server.url })
  await page.goto('/conversations?filter=all&open=%2B34600111242&company=1')
  await page.getByText('En vivo').waitFor()
  const cancel = page.getByRole('button', { name: 'Cancelar' })
  await cancel.waitFor()
  is_accepted = true
  server.publish('/front/change', { changed: ['conversations'] })
  await page.getByText('drone-0001 lo aceptó').waitFor()
  assert.equal(await cancel.count(), 0)
  assert.equal(await page.getByRole('button', { name: 'Enviar por otro' }).count(), 0)
})

type Thread = { messages: { direction: string; waiting_for: string | null }[] }

type Sent = { text: string; guid: string; device_uid?: string }

/** The bodies of the calls that answered this number. */
function answersTo(number: string): Sent[] {
  return server.asked
    .filter(({ method, path }) => method === 'POST' && path === `/api/conversations/${number}/messages`)
    .map(({ body }) => JSON.parse(body) as Sent)
}

/** The bodies of the calls that changed this conversation. */
function changesOf(number: string): unknown[] {
  return server.asked
    .filter(({ method, path }) => method === 'POST' && path === `/api/conversations/${number}`)
    .map(({ body }) => JSON.parse(body) as unknown)
}
