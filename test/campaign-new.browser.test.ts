import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import * as users from '@sdd/contract/accounts/users.ts'
import { addOptOut } from '@sdd/contract/messages/opt-outs.ts'
import { listRows, uploadRows } from '@sdd/contract/people/campaign-rows.ts'
import { readCampaign } from '@sdd/contract/people/campaigns.ts'
import { importContacts } from '@sdd/contract/people/contacts.ts'
import { saveTemplate } from '@sdd/contract/people/templates.ts'
import type { Locator, Page } from 'playwright-core'
import { sizes } from '../packages/console/test/browser.ts'
import { enterFirst, FIRST_PASSWORD } from '../packages/server/test/seeds.ts'
import { call } from '../packages/server/test/server.ts'
import { openSession } from '../scripts/session.ts'
import { newSettings, PASSWORD, type ServerProcess, startProcess, SUPERADMIN } from './server-process.ts'
import { useVisits } from './visiting.ts'

let folder: string
let server: ServerProcess
let token: string
const { visit } = useVisits(() => server)

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sdd-campaign-new-'))
  server = await startProcess(await newSettings(folder, { LOG_LEVEL: 'warn' }))
  token = await openSession(server.url, SUPERADMIN)
})
after(async () => {
  await server.stop()
  rmSync(folder, { recursive: true })
})

async function chooseCsv(page: Page, text: string | Buffer, name = 'citas.csv'): Promise<void> {
  const buffer = typeof text === 'string' ? Buffer.from(text) : text
  await page.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/csv', buffer })
}

/** A new draft with these rows, as far as its check. Resolves to its id. */
async function writeDraft(page: Page, csv: string, text: string): Promise<number> {
  await page.goto('/campaigns/new')
  await chooseCsv(page, csv)
  await makeTransactional(page)
  await page.getByLabel('Mensaje', { exact: true }).fill(text)
  await checked(page)
  return idIn(page)
}

/** By keyboard: a click could miss, because columns and lists appear above. */
const makeTransactional = (page: Page) => page.getByLabel('Transaccional').press('Space')
const checked = (page: Page) => page.getByText('hecha a las').waitFor()
const idIn = (page: Page) => Number(new URL(page.url()).searchParams.get('draft'))
const step = (page: Page, name: string) => page.getByRole('region', { name: new RegExp(`^${name}`) })
const summary = (page: Page) => page.getByRole('complementary', { name: 'Resumen' })
/** Waits until this has the focus. */
const focused = (locator: Locator) => locator.and(locator.page().locator(':focus')).waitFor()
const confirmation = (page: Page) => page.getByLabel(/^Para confirmar/)

test('a campaign is written, checked, corrected and started, only by the keyboard', async (t) => {
  await call(server, saveTemplate, { token, query: {}, body: { name: 'Cita', text: 'Hola {{name}}, ' } })
  const page = await visit(t, '/campaigns/new')
  await page.getByText('se guarda al tener nombre').waitFor()
  await page.keyboard.press('ControlOrMeta+s')
  await page.getByText('Escriba un nombre.').waitFor()
  await focused(page.getByLabel('Nombre de la campaña'))
  await page.keyboard.type('Citas')

  await page.getByRole('button', { name: 'Pegar filas' }).focus()
  await page.keyboard.press('Enter')
  await page.getByLabel('Filas copiadas de una hoja de cálculo').focus()
  await page.keyboard.insertText(
    'móvil\tnombre\thora\n600 500 001\tLucía\t9:30\n12\tAna\t9:45\n600500003\tEva\t\n',
  )
  await page.getByRole('button', { name: 'Usar estas filas' }).focus()
  await page.keyboard.press('Enter')
  await page.getByLabel('Qué contiene móvil').waitFor()
  assert.equal(await page.getByLabel('Qué contiene móvil').inputValue(), 'number')

  await page.keyboard.press('Alt+2')
  await focused(step(page, 'Texto').getByRole('heading', { level: 2 }))
  await page.keyboard.press('Tab')
  await page.keyboard.press('Space')
  await page.getByRole('button', { name: 'Plantillas' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('combobox', { name: 'Plantillas' }).waitFor()
  await page.keyboard.press('Enter')
  await focused(page.getByLabel('Mensaje', { exact: true }))
  // The caret is set a frame later.
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
  await page.keyboard.type('a las {{hora}}.')
  const preview = page.getByRole('region', { name: 'Así quedan las filas' })
  await preview.getByText('Hola Lucía, a las 9:30.').waitFor()
  await preview.getByText('UCS-2 por «í»').waitFor()
  await checked(page)
  assert.equal(await summary(page).getByRole('paragraph').first().innerText(), '1')

  await page.keyboard.press('Alt+3')
  await page.getByRole('button', { name: 'Ver y corregir' }).focus()
  await page.keyboard.press('Enter')
  await page.waitForURL('**group=invalid')
  await page.getByLabel('Número de la fila 2').focus()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.type('600500002')
  await page.keyboard.press('Enter')
  await page.getByText('Fila 2 guardada').waitFor()
  await page.getByLabel('hora de la fila 3').focus()
  await page.keyboard.type('10:00')
  await page.keyboard.press('Enter')
  await page.getByText('Fila 3 guardada').waitFor()
  await page.getByText('escriba cuántos mensajes salen: 3').waitFor()

  await confirmation(page).focus()
  await page.keyboard.type('2')
  await page.keyboard.press('Enter')
  assert.equal(
    await page.getByRole('button', { name: 'Enviar campaña' }).getAttribute('aria-disabled'),
    'true',
  )
  await page.keyboard.press('Backspace')
  await page.keyboard.type('3')
  const id = idIn(page)
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/campaigns/${id}`)
  const { body: campaign } = await call(server, readCampaign, { token, params: { id } })
  assert.deepEqual([campaign.state, campaign.rows, campaign.name], ['running', 3, 'Citas'])
  const { body } = await call(server, listRows, { token, params: { id }, query: {} })
  assert.deepEqual(
    body.rows.map(({ number, text }) => [number, text]),
    [
      ['+34600500001', 'Hola Lucía, a las 9:30.'],
      ['+34600500002', 'Hola Ana, a las 9:45.'],
      ['+34600500003', 'Hola Eva, a las 10:00.'],
    ],
  )
})

test('a file that is no table of rows, and a text with a fault, each get a sentence, and nothing is sent', async (t) => {
  const page = await visit(t, '/campaigns/new')
  const sent: string[] = []
  page.on('request', (request) => request.method() === 'POST' && sent.push(request.url()))
  const alert = page.getByRole('alert')
  await chooseCsv(page, Buffer.from('PK\u0003\u0004'), 'people.xlsx')
  await alert.getByText('people.xlsx es un libro de hojas de cálculo').waitFor()
  const huge = join(folder, 'huge.csv')
  writeFileSync(huge, Buffer.alloc(100_000_000, 'x'))
  await page.locator('input[type=file]').setInputFiles(huge)
  await alert.getByText('huge.csv ocupa 100 MB y el máximo es 30 MB').waitFor()
  await chooseCsv(page, 'nombre,ciudad\nAna,Vigo\n')
  await alert.getByText('Ninguna columna da el número').waitFor()
  const titles = Array.from({ length: 200 }, (_, n) => `c${n}`).join(',')
  await chooseCsv(page, `tel,${titles}\n600111222${',x'.repeat(200)}\n`)
  await page.getByText('170 columnas no se usan').waitFor()
  await chooseCsv(page, `${'600111222\n'.repeat(200_001)}`)
  await alert.getByText(/Una campaña tiene como mucho 200.000 filas/).waitFor()
  await chooseCsv(page, 'tel;nota\n600111222;=1+1\n')
  await page.getByText('1 celda empieza por «=»').waitFor()
  await chooseCsv(page, Buffer.from('móvil;nombre\n600111222;Íñigo Peña\n', 'latin1'))
  await page.getByText('Íñigo Peña').first().waitFor()
  assert.equal(await page.getByLabel('Codificación').inputValue(), 'windows-1252')
  await page.getByLabel('Codificación').selectOption('utf-8')
  await page.getByText('Hay letras que no se leen bien').waitFor()

  await page.getByLabel('Mensaje', { exact: true }).fill('Hola {{nombre')
  await page.getByText('«{{nombre» no se cierra').waitFor()
  await page.getByLabel('Mensaje', { exact: true }).fill('Hola {{hora}}')
  await page.getByText('Ninguna columna da {{hora}}').waitFor()
  await page.getByLabel('Si no sale antes de').fill('2020-01-01T10:00')
  await page.getByText('Ya ha pasado: elija una hora futura.').waitFor()
  await makeTransactional(page)
  assert.deepEqual(sent, [], 'a draft with a fault is not saved')
  await page.getByRole('button', { name: 'Descartar' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Descartar' }).click()
  await page.waitForURL('**/campaigns')
})

test('12,000 rows show their progress; an interrupted upload says so, continues, and is never started half', async (t) => {
  const page = await visit(t, '/campaigns/new')
  const calls: number[] = []
  const held = Promise.withResolvers<void>()
  await page.route('**/api/campaigns/*/rows', async (route) => {
    const { first_row } = route.request().postDataJSON() as { first_row: number }
    if (calls.push(first_row) === 1) await held.promise
    await (calls.length === 2 ? route.abort() : route.continue())
  })
  const lines = Array.from({ length: 12_000 }, (_, n) => `+34610${500_000 + n};Persona ${n}`)
  await chooseCsv(page, `tel;nombre\n${lines.join('\n')}\n`, 'miles.csv')
  await makeTransactional(page)
  await page.getByLabel('Mensaje', { exact: true }).fill('Hola {{name}}')
  await page.getByRole('progressbar', { name: /^Subiendo 0 de 12.000 filas$/ }).waitFor()
  // The screen stays usable meanwhile.
  await page.getByLabel('Mensaje', { exact: true }).fill('Hola, {{name}}')
  held.resolve()
  await page
    .getByRole('alert')
    .getByText(/La subida se interrumpió con 5000 de 12.000 filas/)
    .waitFor()
  const id = idIn(page)
  assert.equal(
    await page.getByRole('button', { name: 'Enviar campaña' }).getAttribute('aria-disabled'),
    'true',
  )
  await page.getByRole('button', { name: 'Continuar' }).click()
  await checked(page)
  assert.deepEqual(calls, [1, 5_001, 5_001, 10_001])
  await summary(page)
    .getByText(/^12.000$/)
    .waitFor()

  const body = { first_row: 1, rows: [{ number: '600111222' }], of: 9_000 }
  await call(server, uploadRows, { token, params: { id }, body })
  await page.goto(`/campaigns/new?draft=${id}`)
  await page.getByRole('alert').getByText('La subida de 9000 filas se interrumpió').waitFor()
  await page
    .getByText(/El borrador tiene|elija el fichero otra vez/)
    .first()
    .waitFor()
  await confirmation(page).fill('12000')
  assert.equal(
    await page.getByRole('button', { name: 'Enviar campaña' }).getAttribute('aria-disabled'),
    'true',
  )
})

test('groups add up and have their rows; a new opt-out empties the confirmation and says why', async (t) => {
  const contacts = [
    { number: '600600001', name: 'Íñigo', lists: ['vip'], fields: { city: 'Vigo' } },
    { number: '600600002', name: 'Ana', lists: ['vip'], fields: { city: 'Lugo' } },
  ]
  await call(server, importContacts, { token, query: {}, body: { rows: contacts } })
  const page = await visit(t)
  const id = await writeDraft(
    page,
    'tel,nombre,city\n600600003,Eva,Ourense\n600600003,Otra,Vigo\nabc,Mal,Vigo\n600600004,Larga,' +
      'x'.repeat(170),
    'Hola {{name}} de {{city}}',
  )
  await page.getByRole('checkbox', { name: /^vip/ }).press('Space')
  await page.getByText('escriba cuántos mensajes salen: 4').waitFor()
  const check = step(page, 'Comprobación')
  const lines = await check.getByRole('listitem').allInnerTexts()
  const counts = lines.map((line) => Number(/\n(\d+)\n/.exec(line)?.[1]))
  assert.equal(
    counts.slice(0, 6).reduce((sum, count) => sum + count, 0),
    counts[6],
  )
  assert.deepEqual(counts, [4, 1, 1, 0, 0, 0, 6])
  await check.getByRole('button', { name: /^Ver 1.*Repetidas/ }).click()
  await page.getByRole('list', { name: 'Filas: Repetidas' }).getByText('+34600600003').waitFor()
  const saving = page.waitForEvent('download')
  await check.getByRole('button', { name: 'Descargar CSV' }).click()
  assert.match(await readText(await (await saving).createReadStream()), /3,abc,Mal,invalid_number,/)

  await page.getByRole('button', { name: 'La más larga: 4' }).click()
  await page.getByRole('region', { name: 'Así quedan las filas' }).getByText('2 partes').waitFor()
  await page.getByRole('button', { name: 'Volver a las primeras' }).click()
  await page.getByText('Filas 1–3 de 4').waitFor()
  await page.getByRole('button', { name: 'Filas siguientes' }).click()
  await page.getByText('Filas 4–4 de 4').waitFor()

  await confirmation(page).fill('4')
  await call(server, addOptOut, { token, query: {}, body: { number: '+34600600002' } })
  await page.getByText('Ahora salen 3, antes 4. 1 más: De baja.').waitFor()
  assert.equal(await confirmation(page).inputValue(), '')
  const { body } = await call(server, readCampaign, { token, params: { id } })
  assert.equal(body.state, 'draft')
})

test('a draft that cannot be saved stays in the browser, and is saved and scheduled later', async (t) => {
  const page = await visit(t, '/campaigns/new')
  let broken = true
  // A refusal, since a call without an answer is made again as soon as the server is back.
  await page.route('**/api/campaigns', (route) =>
    broken ? route.fulfill({ status: 503 }) : route.continue(),
  )
  await page.getByLabel('Nombre de la campaña').fill('Guardada tarde')
  await makeTransactional(page)
  await page.getByLabel('Mensaje', { exact: true }).fill('Hola')
  await page.getByRole('alert').getByText('lo escrito sigue en este navegador').waitFor()
  await page.reload()
  assert.equal(await page.getByLabel('Mensaje', { exact: true }).inputValue(), 'Hola')
  await page.getByRole('alert').getByText('lo escrito sigue en este navegador').waitFor()
  broken = false
  await page.getByRole('button', { name: 'Reintentar' }).click()
  await page.waitForURL('**draft=*')
  await page.getByText('borrador guardado').waitFor()

  await page.getByLabel('No antes de').fill('2999-01-01T10:00')
  await page.getByLabel('Nombre de la campaña').fill('Guardada')
  await chooseCsv(page, '600700001\n600700002\n')
  await page.getByText('escriba cuántos mensajes salen: 2').waitFor()
  const id = idIn(page)
  await page.goto(`/campaigns/new?draft=${id}`)
  await page.getByText('El borrador tiene 2 filas').waitFor()
  assert.equal(await page.getByLabel('No antes de').inputValue(), '2999-01-01T10:00')
  await page.getByText('escriba cuántos mensajes salen: 2').waitFor()
  await checked(page)
  await confirmation(page).fill('2')
  await page.getByRole('button', { name: 'Programar campaña' }).click()
  await page.waitForURL(`**/campaigns/${id}`)
  const { body } = await call(server, readCampaign, { token, params: { id } })
  assert.deepEqual([body.state, body.name], ['scheduled', 'Guardada'])
  await page.goto(`/campaigns/new?draft=${id}`)
  await page.getByText('Guardada ya no es un borrador.').waitFor()
})

test('on a phone the bar leads to the confirmation; a draft is discarded; a role user sees none of it', async (t) => {
  const page = await visit(t)
  await page.setViewportSize(sizes.phone)
  const id = await writeDraft(page, '600800001\n600800002\n', 'Hola')
  await page.getByText('2 mensajes', { exact: true }).waitFor()
  assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false)
  await page.getByRole('button', { name: 'Revisar y programar' }).click()
  await focused(confirmation(page))
  await page.getByRole('button', { name: 'Descartar' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Descartar' }).click()
  await page.waitForURL('**/campaigns')
  assert.equal((await call(server, readCampaign, { token, params: { id } })).status, 404)

  const body = {
    name: 'Luis Vega',
    email: 'luis@example.com',
    role: 'user',
    password: FIRST_PASSWORD,
  } as const
  assert.equal((await call(server, users.saveUser, { token, body })).status, 201)
  await enterFirst(server, 'Luis Vega', FIRST_PASSWORD, PASSWORD)
  const user = await visit(t, '/campaigns/new', 'Luis Vega')
  await user.getByText('Solo un administrador puede ver esto.').waitFor()
})
