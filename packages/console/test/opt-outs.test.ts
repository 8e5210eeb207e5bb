import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeLanguage, eventually, rowOf, useBrowser } from './browser.ts'
import { useExampleServer } from './example-server.ts'
import { exampleOptOuts } from './example-systems.ts'
import type { ReceivedCall } from './stand-in.ts'

const open = useBrowser()
const server = await useExampleServer()

function writes(): ReceivedCall[] {
  return server.asked.filter(({ method }) => method !== 'GET')
}

test('each blocked number shows its reason and date, and the blocking words are listed', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/settings?tab=opt-outs')
  await rowOf(page, '+34620003293').getByText('Escribió «Stop»').waitFor()
  await rowOf(page, '+34620003293').getByText('drone-0042').waitFor()
  await rowOf(page, '+34620003330').getByText('Añadido por superadmin').waitFor()
  await page.getByText('STOP, BAJA').waitFor()
  await page.getByRole('link', { name: 'Cambiar en Global settings' }).click()
  await page.getByLabel('Palabras de baja').waitFor()
})

test('the search for a number runs on the server', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/settings?tab=opt-outs')
  await rowOf(page, '+34620003330').waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('3293')
  await page.waitForURL('**/settings?tab=opt-outs&search=3293')
  await rowOf(page, '+34620003330').waitFor({ state: 'detached' })
  await rowOf(page, '+34620003293').waitFor()
  await page.getByPlaceholder('Buscar número').fill('999999')
  await page.getByText('Ninguna baja tiene ese número.').waitFor()
  await page.getByRole('button', { name: 'Quitar filtros' }).click()
  await rowOf(page, '+34620003330').waitFor()
})

test('a block is lifted after a confirmation, and stays if the server refuses', async (t) => {
  let optOuts = exampleOptOuts(3)
  server.answers['GET /api/opt-outs'] = () => ({ body: { opt_outs: optOuts, next_cursor: null } })
  server.answers['DELETE /api/opt-outs/*'] = { status: 404, body: { detail: 'There is no block 2.' } }
  const page = await open(t, { url: server.url })
  await page.goto('/settings?tab=opt-outs')
  await page.getByRole('button', { name: 'Quitar baja de +34620000074' }).click()
  await page.waitForURL('**/settings?tab=opt-outs&open=2')
  const ask = page.getByRole('dialog', { name: '¿Quitar la baja de +34620000074?' })
  await ask.getByText('Ese número escribió «BAJA»').waitFor()
  await ask.getByRole('button', { name: 'Quitar baja' }).click()
  await ask.getByRole('alert').getByText('There is no block 2.').waitFor()
  server.answers['DELETE /api/opt-outs/*'] = () => {
    optOuts = optOuts.filter(({ id }) => id !== 2)
    return { status: 204 }
  }
  await ask.getByRole('button', { name: 'Quitar baja' }).click()
  await page.getByText('+34620000074 ya no está de baja').waitFor()
  await rowOf(page, '+34620000074').waitFor({ state: 'detached' })
})

test('a number is blocked by hand', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/settings?tab=opt-outs')
  await page.getByRole('button', { name: 'Añadir número' }).click()
  const form = page.getByRole('dialog', { name: 'Añadir número' })
  await form.getByLabel('Número').fill('12')
  await form.getByRole('button', { name: 'Añadir número' }).click()
  await form.getByText('Escriba el número con prefijo (+34600111222) o un número corto.').waitFor()
  assert.deepEqual(writes(), [])
  await form.getByLabel('Número').fill('+34 600 11 12 22')
  await form.getByRole('button', { name: 'Añadir número' }).click()
  await page.getByText('+34600111222 está de baja').waitFor()
  assert.deepEqual(JSON.parse(writes()[0]?.body ?? ''), { number: '+34600111222' })
  await form.waitFor({ state: 'detached' })
})

test('a number that is blocked meanwhile shows at once', async (t) => {
  let optOuts = exampleOptOuts(3)
  server.answers['GET /api/opt-outs'] = () => ({ body: { opt_outs: optOuts, next_cursor: null } })
  const page = await open(t, { url: server.url })
  await page.goto('/settings?tab=opt-outs')
  await rowOf(page, '+34620000111').waitFor()
  await eventually(() => assert.equal(server.listeners(), 1))
  optOuts = exampleOptOuts(4)
  server.publish('/front/change', { changed: ['opt_outs'] })
  await rowOf(page, '+34620000148').waitFor()
})

test('without blocks the tab explains them; a user without access is told so', async (t) => {
  server.answers['GET /api/opt-outs'] = { body: { opt_outs: [], next_cursor: null } }
  const page = await open(t, { url: server.url })
  await page.goto('/settings?tab=opt-outs')
  await page.getByText('Ningún número está de baja.').waitFor()
  const other = await open(t, { url: server.url, role: 'user' })
  await other.goto('/settings?tab=opt-outs')
  await other.getByRole('alert').getByText('Solo un administrador puede ver esto.').waitFor()
})

test('several numbers are blocked at once, unless one of them is wrong', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/settings?tab=opt-outs&open=new')
  const form = page.getByRole('dialog', { name: 'Añadir número' })
  await form.getByLabel('Número').fill('+34600111222\nnobody')
  await form.getByRole('button', { name: 'Añadir número' }).click()
  await form.getByText('«nobody» no es un número').waitFor()
  assert.deepEqual(writes(), [])
  await form.getByLabel('Número').fill('+34600111222\n+34 600 111 333, +34600111222')
  await form.getByRole('button', { name: 'Añadir número' }).click()
  await page.getByText('2 números están de baja').waitFor()
  const numbers = writes().map(({ body }) => (JSON.parse(body) as { number: string }).number)
  assert.deepEqual(numbers, ['+34600111222', '+34600111333'])
})

test('selected blocks are lifted together, and those that the server refuses are named', async (t) => {
  let optOuts = exampleOptOuts(4)
  server.answers['GET /api/opt-outs'] = () => ({ body: { opt_outs: optOuts, next_cursor: null } })
  server.answers['DELETE /api/opt-outs/*'] = ({ path }) => {
    if (path.endsWith('/2')) return { status: 404, body: { detail: 'There is no block 2.' } }
    optOuts = optOuts.filter(({ id }) => !path.endsWith(`/${id}`))
    return { status: 204 }
  }
  const page = await open(t, { url: server.url })
  await page.goto('/settings?tab=opt-outs')
  await page.getByRole('button', { name: 'Seleccionar', exact: true }).click()
  await page.getByRole('button', { name: 'Todos los que cumplen el filtro (4)' }).click()
  await page.getByRole('region', { name: 'Selección' }).getByRole('button', { name: 'Quitar baja' }).click()
  const ask = page.getByRole('dialog', { name: '¿Quitar 4 bajas?' })
  await ask.getByText(/asegúrese de que quieren recibir mensajes/).waitFor()
  await ask.getByRole('button', { name: 'Quitar baja' }).click()
  const summary = page.getByRole('dialog', { name: 'No se quitaron todas las bajas' })
  await summary.getByText('+34620000074').waitFor()
  await summary.getByRole('button', { name: 'Cerrar' }).click()
  await rowOf(page, '+34620000074').waitFor()
  assert.deepEqual(
    optOuts.map(({ id }) => id),
    [2],
  )
})

test('while more blocks match than are loaded, the selection says so', async (t) => {
  const { promise: rest, resolve: release } = Promise.withResolvers<void>()
  t.after(() => release())
  server.answers['GET /api/opt-outs'] = async ({ query }) => {
    if (query.has('cursor')) await rest
    return { body: { opt_outs: exampleOptOuts(4), next_cursor: '4' } }
  }
  const page = await open(t, { url: server.url })
  await page.goto('/settings?tab=opt-outs')
  await rowOf(page, '+34620000111').waitFor()
  await page.getByRole('button', { name: 'Seleccionar', exact: true }).click()
  await page.getByRole('button', { name: 'Todos los cargados (4)' }).waitFor()
})

test('a question about one block is in the singular, in each wording', async (t) => {
  server.answers['GET /api/opt-outs'] = { body: { opt_outs: exampleOptOuts(2).slice(1), next_cursor: null } }
  const page = await open(t, { url: server.url })
  await page.goto('/settings?tab=opt-outs')
  await page.getByRole('button', { name: 'Seleccionar', exact: true }).click()
  await page.getByRole('button', { name: 'Todos los que cumplen el filtro (1)' }).click()
  await page.getByRole('region', { name: 'Selección' }).getByRole('button', { name: 'Quitar baja' }).click()
  await page.getByText('1 número pidió la baja por SMS: asegúrese de que quiere recibir mensajes.').waitFor()
  await changeLanguage(page, 'en')
  await page.getByText('1 number asked for it by SMS: make sure that it wants messages.').waitFor()
})
