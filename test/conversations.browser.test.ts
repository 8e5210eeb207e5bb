import assert from 'node:assert/strict'
import { after, before, test, type TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { eventually, sizes } from '../packages/console/test/browser.ts'
import { connectDevice, linkTestDevice, type TestDevice } from '../packages/server/test/device.ts'
import { openSession } from '../scripts/session.ts'
import { type Installation, startInstallation } from './installation.ts'
import { SUPERADMIN } from './server-process.ts'
import { useVisits } from './visiting.ts'

let installation: Installation
/** A device that does what the test says. */
let device: TestDevice
const { visit } = useVisits(() => installation)

before(async () => {
  installation = await startInstallation({ devices: 1, behaviour: { send_ms: [5, 10] } })
  const token = await openSession(installation.url, SUPERADMIN)
  device = await connectDevice(await linkTestDevice(installation, token, 'handset-1'))
})
after(async () => {
  await device.stop()
  await installation.stop()
})

let count = 0
/** A number that no other test uses. */
const newNumber = () => `+3460077${String(++count).padStart(4, '0')}`

const receive = (from: string, text: string) =>
  device.publish('inbox', { id: `sms-${++count}`, from, text, at: new Date().toISOString() })

const rowOf = (page: Page, number: string) =>
  page.getByRole('list').getByRole('link').filter({ hasText: number })

/** The thread of a new number that has written this text. */
async function openThread(t: TestContext, text: string) {
  const number = newNumber()
  await receive(number, text)
  const page = await visit(t, `/conversations?open=${encodeURIComponent(number)}`)
  return { number, page, thread: page.getByRole('region', { name: number }) }
}

test('an SMS that is received is in the list and in the menu, and opening it marks it as read', async (t) => {
  const page = await visit(t, '/conversations')
  await page.getByRole('main').getByText('En vivo').waitFor()
  const number = newNumber()
  await receive(number, 'Estoy fuera, dejadlo en el 3')
  const row = rowOf(page, number)
  await row.getByText('Estoy fuera, dejadlo en el 3').waitFor()
  await row.getByText('1 sin leer').waitFor({ state: 'attached' })
  const menu = page.getByRole('navigation').getByRole('link', { name: 'Conversaciones' })
  await menu.getByText('sin leer').waitFor({ state: 'attached' })
  await row.click()
  const thread = page.getByRole('region', { name: number })
  await thread.getByText('por handset-1', { exact: true }).waitFor()
  await row.getByText('sin leer').waitFor({ state: 'detached' })
  await menu.getByText('sin leer').waitFor({ state: 'detached' })
})

test('an answer leaves by the device of the last message, and its states follow while the thread is open', async (t) => {
  const { page, thread } = await openThread(t, '¿A qué hora?')
  await thread.getByText('Sale por handset-1').waitFor()
  const field = thread.getByRole('textbox', { name: 'Mensaje' })
  await field.fill('A las cinco')
  await thread.getByText('11 de 160').waitFor()
  const before = device.commands.length
  await field.press('ControlOrMeta+Enter')
  const [command] = (await device.until(before + 1)).slice(before)
  assert.ok(command)
  const sent = thread.getByRole('listitem').filter({ hasText: 'A las cinco' })
  await sent.getByText('superadmin').waitFor()
  await eventually(async () => assert.equal(await field.inputValue(), ''))
  const { guid } = command as { guid: string }
  await device.report({ guid, state: 'sent' })
  await sent.getByText('Enviado').waitFor()
  await device.report({ guid, state: 'delivered' })
  await sent.getByText('Entregado').waitFor()
  const person = page.getByRole('complementary', { name: 'Contacto' })
  await person.getByText('No está en los contactos.').waitFor()
  await person.getByRole('listitem').filter({ hasText: 'A las cinco' }).getByLabel('Entregado').waitFor()
})

test('a draft stays with its conversation, also when the screen is left', async (t) => {
  const [one, other] = [newNumber(), newNumber()]
  await receive(one, 'uno')
  await receive(other, 'dos')
  const page = await visit(t, '/conversations')
  const field = page.getByRole('textbox', { name: 'Mensaje' })
  await rowOf(page, one).click()
  await field.fill('Para el primero')
  await rowOf(page, other).click()
  await page.getByRole('region', { name: other }).waitFor()
  await eventually(async () => assert.equal(await field.inputValue(), ''))
  await page.getByRole('link', { name: 'Logs' }).click()
  await page.getByRole('link', { name: 'Conversaciones' }).click()
  await rowOf(page, one).click()
  await eventually(async () => assert.equal(await field.inputValue(), 'Para el primero'))
})

test('the field of a conversation without messages stays while the conversation is asked for again', async (t) => {
  const number = newNumber()
  const page = await visit(t, `/conversations?open=${encodeURIComponent(number)}`)
  await page.getByRole('main').getByText('En vivo').waitFor()
  const field = page.getByRole('textbox', { name: 'Mensaje' })
  await field.focus()
  const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  await page.route(`**/api/conversations/${encodeURIComponent(number)}*`, async (route) => {
    asked.resolve()
    await answered.promise
    await route.continue()
  })
  await receive(newNumber(), 'Otra cosa')
  await asked.promise
  await page.keyboard.type('Buenos días')
  assert.equal(await field.inputValue(), 'Buenos días')
  answered.resolve()
})

test('the counter names the letter that changes the encoding', async (t) => {
  const { thread } = await openThread(t, 'hola')
  await thread.getByRole('textbox', { name: 'Mensaje' }).fill('Si prefiere, aquí')
  await thread.getByText('«í» pasa a UCS-2').waitFor()
  await thread.getByText('17 de 70').waitFor()
})

test('an answer waits for a device that is away, and the thread says until when', async (t) => {
  const number = newNumber()
  const token = await openSession(installation.url, SUPERADMIN)
  const away = await connectDevice(await linkTestDevice(installation, token, 'handset-away'))
  await away.publish('inbox', { id: 'sms-away', from: number, text: 'hola', at: new Date().toISOString() })
  await away.stop()
  const page = await visit(t, `/conversations?open=${encodeURIComponent(number)}`)
  const thread = page.getByRole('region', { name: number })
  await thread.getByText('Desconectado').waitFor()
  await thread.getByText('se enviará cuando vuelva, hasta mañana a esta hora').waitFor()
  await thread.getByRole('textbox', { name: 'Mensaje' }).fill('Voy')
  await thread.getByRole('button', { name: 'Enviar', exact: true }).click()
  const sent = thread.getByRole('listitem').filter({ hasText: 'Voy' })
  await sent.getByText('Espera a handset-away').waitFor()
  await sent.getByText('caduca el').waitFor()
  await rowOf(page, number).getByRole('img', { name: 'handset-away está desconectado' }).waitFor()
})

test('a search and a filter narrow the list, and each says when nothing matches', async (t) => {
  const number = newNumber()
  await receive(number, 'una aguja en el pajar')
  const page = await visit(t, '/conversations')
  await page.getByRole('searchbox').fill('aguja')
  await rowOf(page, number).waitFor()
  await eventually(async () => assert.equal(await page.locator('[data-row]').count(), 1))
  await page.getByRole('searchbox').fill('nada de nada')
  await page.getByText('Ninguna conversación cumple la búsqueda.').waitFor()
  await page.getByRole('button', { name: 'Quitar filtros' }).click()
  await rowOf(page, number).waitFor()
  await page.getByRole('button', { name: /^Mías/ }).click()
  await page.getByText('Ninguna conversación asignada a usted.').waitFor()
})

test('on a phone the list and the thread are two steps', async (t) => {
  const number = newNumber()
  await receive(number, 'desde el móvil')
  const page = await visit(t, '/conversations')
  await page.setViewportSize(sizes.phone)
  await rowOf(page, number).click()
  await page.getByRole('region', { name: number }).getByText('desde el móvil').waitFor()
  await page.getByRole('button', { name: 'Contacto' }).click()
  const who = page.getByRole('dialog', { name: 'Contacto' })
  await who.getByText('No está en los contactos.').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Contacto' }).and(page.locator(':focus')).waitFor()
  assert.equal(await page.locator('[data-row]').filter({ visible: true }).count(), 0)
  await page.getByRole('button', { name: 'Volver a la lista' }).click()
  await rowOf(page, number).waitFor()
})

/** Answers from this conversation, and how the device ends them. */
async function answerAndReport(
  number: string,
  text: string,
  outcome: Record<string, unknown>,
): Promise<void> {
  const before = device.commands.length
  await installation.api(`/api/conversations/${encodeURIComponent(number)}/messages`, { text })
  const command = (await device.until(before + 1))[before] as { guid: string }
  await device.report({ guid: command.guid, ...outcome } as Parameters<TestDevice['report']>[0])
}

test('a failed answer is sent again by its button, and an uncertain one only after a warning', async (t) => {
  const number = newNumber()
  await receive(number, 'hola')
  await answerAndReport(number, 'falla', { state: 'failed', code: 'no_network' })
  await answerAndReport(number, 'quién sabe', { state: 'failed', code: 'unknown_outcome' })
  const before = device.commands.length
  const page = await visit(t, `/conversations?open=${encodeURIComponent(number)}`)
  const thread = page.getByRole('region', { name: number })
  const texts = () =>
    thread
      .getByRole('listitem')
      .getByText(/^(falla|quién sabe)$/)
      .allInnerTexts()
  await thread.getByRole('button', { name: 'Enviar de nuevo', exact: true }).click()
  await eventually(async () => assert.deepEqual(await texts(), ['falla', 'quién sabe', 'falla']))
  const uncertain = thread.getByRole('listitem').filter({ hasText: 'quién sabe' })
  await uncertain.getByText('Incierto').waitFor()
  await uncertain.getByRole('button', { name: 'Enviar de nuevo…' }).click()
  const warning = page.getByRole('dialog', { name: '¿Enviar de nuevo?' })
  await warning.getByText('la persona lo recibirá dos veces').waitFor()
  await warning.getByRole('button', { name: 'Enviar de nuevo', exact: true }).click()
  await eventually(async () =>
    assert.deepEqual(await texts(), ['falla', 'quién sabe', 'falla', 'quién sabe']),
  )
  // Otherwise the next test could take them for its own.
  await device.until(before + 2)
})

test('a message that waits can leave by another device, which is named before, or be cancelled', async (t) => {
  const number = newNumber()
  const token = await openSession(installation.url, SUPERADMIN)
  const away = await connectDevice(await linkTestDevice(installation, token, 'handset-gone'))
  await away.publish('inbox', { id: 'sms-gone', from: number, text: 'hola', at: new Date().toISOString() })
  await away.stop()
  const path = `/api/conversations/${encodeURIComponent(number)}/messages`
  await installation.api(path, { text: 'por otro' })
  await installation.api(path, { text: 'mejor no' })
  const page = await visit(t, `/conversations?open=${encodeURIComponent(number)}`)
  const thread = page.getByRole('region', { name: number })
  const itemOf = (text: string) => thread.getByRole('listitem').filter({ hasText: text })
  await itemOf('mejor no').getByRole('button', { name: 'Cancelar' }).click()
  await itemOf('mejor no').getByText('Cancelado').waitFor()
  const handedOver = () => device.commands.filter(({ text }) => text === 'por otro').length
  await itemOf('por otro').getByRole('button', { name: 'Enviar por otro' }).click()
  await page.getByRole('combobox', { name: 'Buscar dispositivo' }).fill('handset-1')
  await page.getByRole('option', { name: /handset-1/ }).click()
  const dialog = page.getByRole('dialog', { name: 'Enviar por otro' })
  await dialog.getByText('handset-1').waitFor()
  await dialog.getByText('En handset-gone se cancela.').waitFor()
  await device.catchUp()
  assert.equal(handedOver(), 0, 'nothing was sent yet')
  await dialog.getByRole('button', { name: 'Enviar', exact: true }).click()
  await eventually(() => assert.equal(handedOver(), 1))
  await itemOf('por otro').getByText('Espera a').waitFor({ state: 'detached' })
})

test('the list says why an answer failed, and each tab how many conversations it has', async (t) => {
  const number = newNumber()
  await receive(number, 'hola')
  await answerAndReport(number, 'sin suerte', { state: 'failed', code: 'no_network' })
  const page = await visit(t, `/conversations?q=${encodeURIComponent(number)}`)
  await rowOf(page, number).getByText('Sin red.').waitFor()
  const tab = (name: string) => page.getByRole('button', { name: new RegExp(`^${name} \\d+$`) })
  const countOf = async (name: string) => Number(/\d+/.exec(await tab(name).innerText())![0])
  const [open, mine] = [await countOf('Abiertas'), await countOf('Mías')]
  await rowOf(page, number).click()
  const owner = page.getByRole('combobox', { name: 'Asignada a' })
  await owner.selectOption('Asignada a superadmin')
  await eventually(async () => assert.equal(await countOf('Mías'), mine + 1))
  await page.getByRole('button', { name: 'Cerrar', exact: true }).click()
  await eventually(async () => assert.equal(await countOf('Abiertas'), open - 1))
})

test('next to the thread the person is added to the contacts, opted out and opted in again', async (t) => {
  const { number, page } = await openThread(t, 'hola')
  const person = page.getByRole('complementary', { name: 'Contacto' })
  await person.getByRole('button', { name: 'Añadirlo' }).click()
  const form = page.getByRole('dialog', { name: number })
  await form.getByLabel('Nombre', { exact: true }).fill('Nuria Blanco')
  await form.getByLabel('Listas').fill('Pacientes')
  await form.getByRole('button', { name: 'Guardar' }).click()
  await form.waitFor({ state: 'detached' })
  const thread = page.getByRole('region', { name: 'Nuria Blanco' })
  await thread.getByRole('heading', { name: 'Nuria Blanco' }).waitFor()
  await person.getByText('Pacientes').waitFor()

  await person.getByLabel('Recibe mensajes').click()
  const asks = page.getByRole('dialog', { name: `¿Dar de baja a ${number}?` })
  await asks.waitFor()
  await page.keyboard.press('Escape')
  await asks.waitFor({ state: 'detached' })
  assert.ok(await person.getByLabel('Recibe mensajes').isChecked())
  await person.getByLabel('Recibe mensajes').click()
  await asks.getByRole('button', { name: 'Dar de baja' }).click()
  await thread.getByText(/Está de baja desde el/).waitFor()
  assert.equal(await person.getByLabel('Recibe mensajes').isChecked(), false)
  await person.getByLabel('Recibe mensajes').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Quitar baja' }).click()
  await thread.getByRole('textbox', { name: 'Mensaje' }).waitFor()
})

test('keys move through the list, assign, close, reopen and mark as unread', async (t) => {
  const number = newNumber()
  await receive(number, 'con teclas')
  const page = await visit(t, `/conversations?q=${encodeURIComponent(number)}`)
  await rowOf(page, number).waitFor()
  const focused = rowOf(page, number).and(page.locator(':focus'))
  await page.keyboard.press('j')
  await focused.waitFor()
  await page.keyboard.press('Enter')
  const thread = page.getByRole('region', { name: number })
  await thread.getByRole('button', { name: 'Cerrar', exact: true }).waitFor()
  await rowOf(page, number).getByText('sin leer').waitFor({ state: 'detached' })
  // Again, when nothing is unread.
  await page.keyboard.press('Escape')
  await thread.waitFor({ state: 'detached' })
  await focused.waitFor()
  await page.keyboard.press('Enter')
  await thread.getByRole('button', { name: 'Cerrar', exact: true }).waitFor()
  await page.keyboard.press('u')
  await rowOf(page, number).getByText('1 sin leer').waitFor({ state: 'attached' })
  await page.keyboard.press('e')
  await thread.getByRole('button', { name: 'Reabrir' }).waitFor()
  await page.keyboard.press('e')
  await thread.getByRole('button', { name: 'Cerrar', exact: true }).waitFor()
  await page.keyboard.press('a')
  const owner = thread.getByRole('combobox', { name: 'Asignada a' })
  await thread.locator('select:focus').waitFor()
  await owner.selectOption('Asignada a superadmin')
  await rowOf(page, number).getByText('Asignada a superadmin').waitFor({ state: 'attached' })
  await owner.blur()
  await page.keyboard.press('r')
  await thread.locator('textarea:focus').waitFor()
  await page.keyboard.press('Escape')
  await thread.waitFor({ state: 'detached' })
  await rowOf(page, number).getByText('1 sin leer').waitFor({ state: 'attached' })
})

test('who opted out cannot be written to, and the thread says what they wrote', async (t) => {
  const { number, page, thread } = await openThread(t, 'BAJA')
  await thread.getByText(/Está de baja desde el .*: escribió «BAJA»/).waitFor()
  assert.equal(await thread.getByRole('textbox').count(), 0)
  await thread.getByRole('link', { name: 'Ver la baja' }).click()
  await page.getByRole('cell', { name: number, exact: true }).waitFor()
})

test('a template is put into the answer, unless the contact lacks one of its fields', async (t) => {
  const number = newNumber()
  await receive(number, 'hola')
  await installation.api('/api/templates', { name: 'Saludo', text: 'Su número es {{number}}.' })
  await installation.api('/api/templates', { name: 'Cita', text: 'Su cita: {{cita}}.' })
  const page = await visit(t, `/conversations?open=${encodeURIComponent(number)}`)
  const thread = page.getByRole('region', { name: number })
  await thread.getByRole('textbox', { name: 'Mensaje' }).waitFor()
  await page.keyboard.press('t')
  await page.getByRole('option', { name: /Saludo/ }).click()
  await eventually(async () =>
    assert.equal(await thread.getByRole('textbox').inputValue(), `Su número es ${number}.`),
  )
  await thread.getByRole('button', { name: 'Plantillas' }).click()
  await page.getByRole('option', { name: /Cita/ }).click()
  await page.getByText('El contacto no tiene «cita»').waitFor()
})

test('while 50 SMS a second arrive, a text can be typed, and each SMS is in its thread and counted', async (t) => {
  const number = newNumber()
  await receive(number, 'antes')
  // The server slows a device that sends more than 60 at once.
  const token = await openSession(installation.url, SUPERADMIN)
  const busy = await Promise.all(
    Array.from({ length: 10 }, async (_, n) =>
      connectDevice(await linkTestDevice(installation, token, `handset-busy-${n}`)),
    ),
  )
  t.after(() => Promise.all(busy.map((one) => one.stop())))
  const page = await visit(t, `/conversations?q=ráfaga&open=${encodeURIComponent(number)}`)
  const thread = page.getByRole('region', { name: number })
  const field = thread.getByRole('textbox', { name: 'Mensaje' })
  await field.focus()
  const others = Array.from({ length: 10 }, newNumber)
  async function burst(): Promise<void> {
    const acks: Promise<unknown>[] = []
    for (let n = 0; n < 100; n++) {
      const from = n % 2 === 0 ? number : others[n % 10]!
      const sms = { id: `busy-${n}`, from, text: `ráfaga ${n}`, at: new Date().toISOString() }
      acks.push(busy[n % 10]!.publish('inbox', sms))
      await wait(20)
    }
    await Promise.all(acks)
  }
  // The longest time for which the page could not react, in ms.
  await page.evaluate(`
    let last = performance.now()
    window.longestBlock = 0
    setInterval(() => {
      const now = performance.now()
      window.longestBlock = Math.max(window.longestBlock, now - last)
      last = now
    }, 10)`)
  const text = 'Sigo escribiendo mientras llegan'
  await Promise.all([burst(), page.keyboard.type(text, { delay: 60 })])
  assert.equal(await field.inputValue(), text)
  assert.ok(await field.evaluate((element) => element.matches(':focus')))
  const arrived = thread.getByRole('listitem').getByText(/^ráfaga \d+$/)
  await eventually(async () => assert.equal(await arrived.count(), 50))
  const longest = Number(await page.evaluate('window.longestBlock'))
  assert.ok(longest < 5_000, `blocked for ${longest} ms`)
  for (const [n, other] of others.entries())
    if (n % 2 === 1) await rowOf(page, other).getByText('10 sin leer').waitFor({ state: 'attached' })
})
