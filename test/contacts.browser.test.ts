import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { addOptOut } from '@sdd/contract/messages/opt-outs.ts'
import * as contacts from '@sdd/contract/people/contacts.ts'
import * as users from '@sdd/contract/accounts/users.ts'
import type { Page } from 'playwright-core'
import { eventually, sizes } from '../packages/console/test/browser.ts'
import { chooseCsv } from '../packages/console/test/people-places.ts'
import { enterFirst, FIRST_PASSWORD } from '../packages/server/test/seeds.ts'
import { call } from '../packages/server/test/server.ts'
import { openSession } from '../scripts/session.ts'
import { newSettings, PASSWORD, type ServerProcess, startProcess, SUPERADMIN } from './server-process.ts'
import { rowOf, useVisits } from './visiting.ts'

let folder: string
let server: ServerProcess
let token: string
const { visit } = useVisits(() => server)

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sdd-contacts-'))
  server = await startProcess(await newSettings(folder, { LOG_LEVEL: 'warn' }))
  token = await openSession(server.url, SUPERADMIN)
  const body = {
    name: 'Luis Vega',
    email: 'luis@example.com',
    role: 'user',
    password: FIRST_PASSWORD,
  } as const
  assert.equal((await call(server, users.saveUser, { token, body })).status, 201)
  await enterFirst(server, 'Luis Vega', FIRST_PASSWORD, PASSWORD)
})
after(async () => {
  await server.stop()
  rmSync(folder, { recursive: true })
})

async function stored(number: string): Promise<contacts.Contact> {
  const { status, body } = await call(server, contacts.readContact, { token, params: { number }, query: {} })
  assert.equal(status, 200)
  return contacts.Contact.parse(body)
}

async function countsOf(page: Page): Promise<Record<string, string>> {
  await page.getByText('Importación terminada').waitFor()
  const terms = await page.locator('main dl dt').allInnerTexts()
  const values = await page.locator('main dl dd').allInnerTexts()
  return Object.fromEntries(terms.map((term, n) => [term, values[n]!]))
}

test('a contact is added, found, changed and deleted, only by the keyboard', async (t) => {
  const page = await visit(t, '/contacts')
  await page.getByRole('button', { name: 'Añadir contacto' }).focus()
  await page.keyboard.press('Enter')
  const added = page.getByRole('dialog', { name: 'Añadir contacto' })
  await added.getByLabel('Número').focus()
  await page.keyboard.type('600 200 300')
  await page.keyboard.press('Tab')
  await page.keyboard.type('Ana Ruiz')
  await page.keyboard.press('Tab')
  await page.keyboard.type('vip; norte')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await added.getByLabel('Nombre del campo 1').focus()
  await page.keyboard.type('ciudad')
  await page.keyboard.press('Tab')
  await page.keyboard.type('Vigo')
  await page.keyboard.press('Enter')
  await page.getByText('+34600200300 guardado').waitFor()
  await added.waitFor({ state: 'detached' })
  const { name, fields, lists, consent } = await stored('+34600200300')
  assert.deepEqual(
    { name, fields, lists, consent },
    { name: 'Ana Ruiz', fields: { ciudad: 'Vigo' }, lists: ['norte', 'vip'], consent: null },
  )

  await page.keyboard.press('/')
  await page.keyboard.type('ruiz')
  await page.waitForURL('**/contacts?search=ruiz')
  await rowOf(page, 'Ana Ruiz').waitFor()
  await page.keyboard.press('Tab')
  await page.getByRole('button', { name: 'Abrir +34600200300' }).focus()
  await page.keyboard.press('Enter')
  const form = page.getByRole('dialog', { name: '+34600200300' })
  await form.getByLabel('Nombre', { exact: true }).fill('Ana Ruiz Gil')
  await page.keyboard.press('Enter')
  await rowOf(page, 'Ana Ruiz Gil').waitFor()
  assert.deepEqual((await stored('+34600200300')).lists, ['norte', 'vip'], 'parts that were not touched stay')

  await page.getByRole('button', { name: 'Abrir +34600200300' }).click()
  await form.getByRole('button', { name: 'Borrar' }).click()
  const asks = page.getByRole('dialog', { name: '¿Borrar el contacto +34600200300?' })
  await asks.getByRole('button', { name: 'Borrar' }).click()
  await page.getByText('+34600200300 borrado').waitFor()
  await page.getByText('Ningún contacto cumple el filtro.').waitFor()
})

test('consent is recorded with its proof and time, shown with its recorder, and withdrawn', async (t) => {
  const page = await visit(t, '/contacts?open=new')
  const added = page.getByRole('dialog', { name: 'Añadir contacto' })
  await added.getByLabel('Número').fill('+34600200301')
  await added.getByLabel('Anotar que lo dio').check()
  await added.getByLabel('Cuándo').fill('2026-03-04T10:30')
  await added.getByRole('button', { name: 'Guardar' }).click()
  await added.getByText('Escriba cómo lo dio').waitFor()
  await added.getByLabel('Cómo lo dio', { exact: true }).fill('firmó en la tienda')
  await added.getByRole('button', { name: 'Guardar' }).click()
  await page.getByText('+34600200301 guardado').waitFor()
  const { consent } = await stored('+34600200301')
  assert.deepEqual(consent, {
    given_at: '2026-03-04T10:30:00.000Z',
    how: 'firmó en la tienda',
    by: 'superadmin',
  })
  await page.getByRole('row').filter({ hasText: '+34600200301' }).getByText('desde 04/03/2026').waitFor()

  await page.goto('/contacts?open=%2B34600200301')
  const form = page.getByRole('dialog', { name: '+34600200301' })
  await form.getByText('anotado por superadmin').waitFor()
  await form.getByLabel('Retirarlo').check()
  await form.getByRole('button', { name: 'Guardar' }).click()
  await page.getByRole('row').filter({ hasText: '+34600200301' }).getByText('No consta').waitFor()
  assert.equal((await stored('+34600200301')).consent, null)
})

test('a number that is none is refused at its field, and an opted-out one says that it gets nothing', async (t) => {
  const page = await visit(t, '/contacts?open=new')
  const added = page.getByRole('dialog', { name: 'Añadir contacto' })
  await added.getByLabel('Número').fill('1234567')
  await added.getByRole('button', { name: 'Guardar' }).click()
  await added.getByRole('alert').waitFor()
  assert.equal(await added.getByLabel('Número').getAttribute('aria-invalid'), 'true')
  await call(server, addOptOut, { token, query: {}, body: { number: '+34600200302' } })
  await added.getByLabel('Número').fill('600200302')
  await added.getByRole('button', { name: 'Guardar' }).click()
  await page.getByRole('row').filter({ hasText: '+34600200302' }).getByText('De baja').waitFor()
  await page.getByRole('button', { name: 'Abrir +34600200302' }).click()
  await page.getByText('Está de baja: no se le envía nada').waitFor()
})

test('the link to write opens the conversation with its field focused, and the first message begins it', async (t) => {
  const body = { name: 'Eva' }
  await call(server, contacts.saveContact, { token, params: { number: '+34600200303' }, query: {}, body })
  const page = await visit(t, '/contacts?open=%2B34600200303')
  await page.getByRole('link', { name: 'Escribirle' }).click()
  const thread = page.getByRole('region', { name: '+34600200303' })
  await thread.getByText('Todavía no hay mensajes con este número.').waitFor()
  const field = page.getByRole('textbox', { name: 'Mensaje' })
  const focused = field.and(page.locator(':focus'))
  await focused.waitFor()
  await page.keyboard.type('Hola, Eva')
  await page.keyboard.press('ControlOrMeta+Enter')
  const known = page.getByRole('region', { name: 'Eva', exact: true })
  await known.getByRole('listitem').filter({ hasText: 'Hola, Eva' }).getByText('superadmin').waitFor()
  await eventually(async () => assert.equal(await field.inputValue(), ''))
  await focused.waitFor()
  // Now everything is loaded, so the field is there before the screen counts as shown.
  await page.goBack()
  await page.getByRole('link', { name: 'Escribirle' }).click()
  await known.getByText('Hola, Eva').waitFor()
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
  await focused.waitFor()
})

test('a role user sees and changes contacts but cannot take them all away as a file, which an admin can', async (t) => {
  const user = await visit(t, '/contacts', 'Luis Vega')
  await user.getByRole('button', { name: 'Añadir contacto' }).waitFor()
  assert.equal(await user.getByRole('button', { name: 'CSV', exact: true }).count(), 0)
  const page = await visit(t, '/contacts')
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'CSV', exact: true }).click()
  const file = await saved
  assert.match(file.suggestedFilename(), /^contacts-.*\.csv$/)
  assert.match(await readText(await file.createReadStream()), /^number,name,lists,consent_given_at/)
})

test('a file of a spreadsheet is read, mapped and imported, a second import changes nothing, and refused rows can be saved', async (t) => {
  const page = await visit(t)
  const rows = [
    'Móvil;Nombre y apellidos;Ciudad',
    '600 300 001;Íñigo Peña;Málaga',
    '600300002;Ana;=HYPERLINK("http://x")',
    ';Nadie;Lugo',
    '600-300-001;Otra vez;Vigo',
    '+999600300003;Lejos;Vigo',
  ]
  const csv = Buffer.from(rows.join('\r\n'), 'latin1')
  await chooseCsv(page, csv)
  assert.equal(await page.getByLabel('Codificación').inputValue(), 'windows-1252')
  assert.equal(await page.getByLabel('Separador').inputValue(), ';')
  await page.getByText('1 celda empieza por «=»').waitFor()
  const number = page.getByLabel('Qué contiene Móvil')
  assert.equal(await number.inputValue(), 'number')
  assert.equal(await page.getByLabel('Qué contiene Ciudad').inputValue(), 'field:Ciudad')
  await page.getByLabel('Qué contiene Nombre y apellidos').selectOption('Nombre')
  await page.getByLabel('Añadir a las listas').fill('feria; norte')
  const preview = page.getByRole('group', { name: 'Así quedarán las primeras filas' })
  await preview.getByRole('row').filter({ hasText: 'Íñigo Peña' }).getByText('feria, norte').waitFor()
  const refused = page.getByRole('group', { name: 'Filas que no se importaron' })
  await refused.getByText('La fila no tiene número.').waitFor()
  await refused.getByText('El número ya está en una fila anterior').waitFor()
  await page.getByRole('button', { name: 'Importar 3 filas' }).click()
  assert.deepEqual(await countsOf(page), {
    añadidos: '2',
    cambiados: '0',
    'sin cambios': '0',
    rechazadas: '3',
  })
  const { name, fields, lists } = await stored('+34600300001')
  assert.deepEqual(
    { name, fields, lists },
    { name: 'Íñigo Peña', fields: { Ciudad: 'Málaga' }, lists: ['feria', 'norte'] },
  )
  await page.getByText('No puede ser un número de teléfono').waitFor()
  const saving = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Descargar como CSV' }).click()
  const saved = await readText(await (await saving).createReadStream())
  assert.match(saved, /^Móvil,Nombre y apellidos,Ciudad,row,reason\r\n,Nadie,Lugo,4,/)

  await chooseCsv(page, csv)
  await page.getByLabel('Qué contiene Nombre y apellidos').selectOption('Nombre')
  await page.getByLabel('Añadir a las listas').fill('feria; norte')
  await page.getByRole('button', { name: 'Importar 3 filas' }).click()
  assert.deepEqual(await countsOf(page), {
    añadidos: '0',
    cambiados: '0',
    'sin cambios': '2',
    rechazadas: '3',
  })

  await chooseCsv(page, saved, 'filas-rechazadas.csv')
  assert.equal(await page.getByLabel('Qué contiene reason').inputValue(), '', 'our own columns are no fields')
})

test('12,000 rows are imported in calls of at most 5,000, with one consent for all of them', async (t) => {
  const page = await visit(t)
  const lines = Array.from({ length: 12_000 }, (_, n) => `+34610${100_000 + n},Persona ${n}`)
  const sizesOfCalls: number[] = []
  page.on('request', (request) => {
    if (!request.url().includes('/api/contacts/import')) return
    sizesOfCalls.push((request.postDataJSON() as { rows: unknown[] }).rows.length)
  })
  const shown = Promise.withResolvers<void>()
  await page.route('**/api/contacts/import*', async (route) => {
    await shown.promise
    await route.continue()
  })
  await chooseCsv(page, `number,name\n${lines.join('\n')}\n`)
  await page.getByLabel('Cómo dieron su consentimiento').fill('formulario de alta')
  await page.getByRole('button', { name: /^Importar 12.000 filas$/ }).click()
  await page.getByRole('progressbar').waitFor()
  shown.resolve()
  const counts = await countsOf(page)
  assert.match(counts['añadidos']!, /^12.000$/)
  assert.deepEqual(sizesOfCalls, [5_000, 5_000, 2_000])
  assert.equal((await stored('+34610111999')).consent?.how, 'formulario de alta')
  await page.getByRole('link', { name: 'Ver los contactos' }).click()
  await page.waitForURL('**/contacts')
})

test('an interrupted import says how far it came, and goes on without repeating stored rows', async (t) => {
  const page = await visit(t)
  const lines = Array.from({ length: 5_002 }, (_, n) => `+34620${100_000 + n}`)
  let calls = 0
  await page.route('**/api/contacts/import*', (route) => (++calls === 2 ? route.abort() : route.continue()))
  await chooseCsv(page, lines.join('\n'))
  await page.getByRole('button', { name: 'Importar 5002 filas' }).click()
  const alert = page.getByRole('alert')
  await alert.getByText('La importación se interrumpió con 5000 de 5002 filas.').waitFor()
  await alert.getByRole('button', { name: 'Continuar' }).click()
  assert.deepEqual(await countsOf(page), {
    añadidos: '5002',
    cambiados: '0',
    'sin cambios': '0',
    rechazadas: '0',
  })
  assert.equal(calls, 3)
})

test('a cancelled import keeps the rows that were stored, says so, and can continue', async (t) => {
  const page = await visit(t)
  const lines = Array.from({ length: 5_001 }, (_, n) => `+34630${100_000 + n}`)
  const held = Promise.withResolvers<void>()
  let calls = 0
  await page.route('**/api/contacts/import*', async (route) => {
    if (++calls === 1) await held.promise
    await route.continue()
  })
  await chooseCsv(page, lines.join('\n'))
  await page.getByRole('button', { name: 'Importar 5001 filas' }).click()
  await page.getByRole('dialog', { name: 'Importando…' }).getByRole('button', { name: 'Cancelar' }).click()
  held.resolve()
  await page.getByText('Cancelada: se importaron 5000 de 5001 filas').waitFor()
  assert.equal(calls, 1)
  await page.getByRole('button', { name: 'Continuar' }).click()
  await page.getByText('Importación terminada').waitFor()
  assert.equal((await stored('+34630105000')).number, '+34630105000')
})

test('a file that cannot be imported is refused with a sentence, and nothing is sent', async (t) => {
  const page = await visit(t)
  const sent: string[] = []
  page.on('request', (request) => request.method() === 'POST' && sent.push(request.url()))
  await chooseCsv(page, Buffer.from('PK\u0003\u0004'), 'people.xlsx')
  await page.getByRole('alert').getByText('people.xlsx es un libro de hojas de cálculo').waitFor()
  await chooseCsv(page, '', 'nothing.csv')
  await page.getByRole('alert').getByText('nothing.csv no tiene filas').waitFor()
  const huge = join(folder, 'huge.csv')
  writeFileSync(huge, Buffer.alloc(31_000_000, 'x'))
  await page.locator('input[type=file]').setInputFiles(huge)
  await page.getByRole('alert').getByText('huge.csv ocupa 31 MB y el máximo es 30 MB').waitFor()
  await chooseCsv(page, 'nombre,ciudad\nAna,Vigo\n')
  await page.getByText('Ninguna columna da el número').waitFor()
  const importing = page.getByRole('button', { name: /^Importar/ }).last()
  assert.ok(await importing.isDisabled())
  const titles = Array.from({ length: 200 }, (_, n) => `c${n}`).join(',')
  await chooseCsv(page, `tel,${titles}\n600111222${',x'.repeat(200)}\n`)
  await page.getByText('170 columnas no se importan').waitFor()
  assert.deepEqual(sent, [])
})

test('on a phone the list, a contact and the import fit the screen', async (t) => {
  const body = { name: 'Nuria' }
  await call(server, contacts.saveContact, { token, params: { number: '+34600200305' }, query: {}, body })
  const page = await visit(t)
  await page.setViewportSize(sizes.phone)
  const isWide = () => page.evaluate('document.documentElement.scrollWidth > innerWidth')
  await page.goto('/contacts')
  await page
    .getByRole('button', { name: /^Abrir/ })
    .first()
    .click()
  await page.getByRole('dialog').getByLabel('Nombre', { exact: true }).waitFor()
  assert.equal(await isWide(), false)
  await chooseCsv(page, 'Teléfono;Nombre\n600111222;Ana\n')
  await page.getByRole('button', { name: 'Importar 1 fila' }).waitFor()
  assert.equal(await isWide(), false)
})

test('a template is written with a field, previewed for a contact, changed and deleted, and a role user only reads it', async (t) => {
  const body = { name: 'Marta', fields: { pedido: 'A-17' } }
  await call(server, contacts.saveContact, { token, params: { number: '+34600200304' }, query: {}, body })
  const page = await visit(t, '/contacts')
  await page.getByRole('tab', { name: 'Plantillas' }).click()
  await page.getByRole('button', { name: 'Nueva plantilla' }).click()
  const added = page.getByRole('dialog', { name: 'Nueva plantilla' })
  const preview = added.getByRole('region', { name: 'Así se lee' })
  const text = added.getByLabel('Texto')
  await text.fill('Su pedido {{pedido} llega hoy')
  await added.getByRole('button', { name: 'Guardar' }).click()
  await added.getByText('Escriba un nombre de 100 caracteres como mucho.').waitFor()
  await added.getByText('Falta cerrar las llaves en «{{pedido} llega hoy»').waitFor()
  await added.getByLabel('Nombre').fill('Reparto')
  await text.fill('Su pedido ')
  await added.getByRole('button', { name: 'pedido', exact: true }).click()
  await page.keyboard.type(' llega hoy')
  assert.equal(await text.inputValue(), 'Su pedido {{pedido}} llega hoy')
  await preview.getByText('Su pedido A-17 llega hoy').waitFor()
  await preview.getByText('Con los datos de Marta').waitFor()
  await preview.getByText('24 de 160').waitFor()
  await text.fill('Llega aquí el {{dia}}')
  await preview.getByText('Llega aquí el (dia)').waitFor()
  await preview.getByText('«í» pasa a UCS-2').waitFor()
  await preview.getByText('Ningún contacto de los primeros tiene «dia»').waitFor()
  await added.getByRole('button', { name: 'Guardar' }).click()
  await page.getByText('Reparto guardada').waitFor()

  await page.getByRole('button', { name: 'Nueva plantilla' }).click()
  await added.getByLabel('Nombre').fill('REPARTO')
  await text.fill('Otra')
  await added.getByRole('button', { name: 'Guardar' }).click()
  await added.getByRole('alert').waitFor()
  assert.equal(await added.getByLabel('Nombre').getAttribute('aria-invalid'), 'true')
  await page.keyboard.press('Escape')

  const user = await visit(t, '/contacts?tab=templates', 'Luis Vega')
  await rowOf(user, 'Reparto').getByText('Llega aquí el {{dia}}').waitFor()
  assert.equal(await user.getByRole('button', { name: 'Nueva plantilla' }).count(), 0)
  assert.equal(await user.getByRole('button', { name: 'Borrar Reparto' }).count(), 0)

  await page.setViewportSize(sizes.phone)
  await page.getByRole('button', { name: 'Cambiar Reparto' }).press('Enter')
  const changed = page.getByRole('dialog', { name: 'Reparto' })
  await changed.waitFor()
  assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false)
  await changed.getByLabel('Nombre').fill('Reparto de hoy')
  await changed.getByLabel('Nombre').press('Enter')
  await page.getByRole('button', { name: 'Borrar Reparto de hoy' }).press('Enter')
  const asked = page.getByRole('dialog', { name: '¿Borrar la plantilla Reparto de hoy?' })
  await asked.getByRole('button', { name: 'Borrar' }).press('Enter')
  await page.getByText('Todavía no hay plantillas.').waitFor()
  await user.getByText('Todavía no hay plantillas.').waitFor()
})
