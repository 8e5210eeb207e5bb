import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { saveUser } from '@sdd/contract/accounts/users.ts'
import { uploadRows } from '@sdd/contract/people/campaign-rows.ts'
import { createCampaign, readCampaign, startCampaign } from '@sdd/contract/people/campaigns.ts'
import type { Page } from 'playwright-core'
import { eventually, sizes } from '../packages/console/test/browser.ts'
import { connectDevice, linkTestDevice, type TestDevice } from '../packages/server/test/device.ts'
import { enterFirst, FIRST_PASSWORD } from '../packages/server/test/seeds.ts'
import { call } from '../packages/server/test/server.ts'
import { openSession } from '../scripts/session.ts'
import { newSettings, PASSWORD, type ServerProcess, startProcess, SUPERADMIN } from './server-process.ts'
import { useVisits } from './visiting.ts'

let folder: string
let server: ServerProcess
let token: string
/** The only device. It does what the test says. */
let device: TestDevice
const { visit } = useVisits(() => server)

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sdd-campaigns-'))
  server = await startProcess(await newSettings(folder, { LOG_LEVEL: 'warn' }))
  token = await openSession(server.url, SUPERADMIN)
  device = await connectDevice(await linkTestDevice(server, token, 'handset-1'))
})
after(async () => {
  await device.stop()
  await server.stop()
  rmSync(folder, { recursive: true })
})

let people = 0

/** A draft with this many rows. Resolves to its id. */
async function newDraft(name: string, count: number): Promise<number> {
  const body = { name, text: 'Hola {{name}}', class: 'transactional' } as const
  const { body: draft } = await call(server, createCampaign, { token, query: {}, body })
  const rows = Array.from({ length: count }, (_, n) => ({
    number: `+3461${String(++people).padStart(7, '0')}`,
    fields: { name: `Persona ${n + 1}` },
  }))
  const params = { id: draft.id }
  await call(server, uploadRows, { token, params, body: { first_row: 1, rows, last: true } })
  return draft.id
}

/** The same, started, and the commands that the device gets of it. */
async function newCampaign(name: string, count: number) {
  const id = await newDraft(name, count)
  const from = device.commands.length
  await call(server, startCampaign, { token, params: { id }, body: { rows: count } })
  return {
    id,
    guid: (row: number) => `campaign:${id}:${row}`,
    commands: async (atLeast: number) => (await device.until(from + atLeast)).slice(from),
  }
}

const stateOf = async (id: number) => (await call(server, readCampaign, { token, params: { id } })).body.state
const lines = (page: Page) => page.locator('tbody button[data-act=open]').allInnerTexts()
const progress = (page: Page) => page.getByRole('region', { name: 'Progreso' })

test('a campaign is paused, resumed by a key and stopped, and its figures follow what the device does', async (t) => {
  const { id, commands } = await newCampaign('Citas', 30)
  const page = await visit(t, `/campaigns/${id}`)
  await page.getByText('En curso').first().waitFor()
  for (const { guid } of await commands(1)) await device.report({ guid, state: 'accepted' })
  await progress(page)
    .getByRole('button', { name: /En el dispositivo [1-9]/ })
    .waitFor()
  await page.getByRole('button', { name: 'Pausar' }).click()
  await page.getByText(/En pausa. Los dispositivos aún tienen/).waitFor()
  await page.getByRole('button', { name: 'Reanudar' }).waitFor()
  assert.equal(await stateOf(id), 'paused')
  // Messages that were handed over before the pause may still be on their way.
  await device.catchUp()
  const held = await commands(1)
  for (const { guid } of held) await device.report({ guid, state: 'sent' })
  await progress(page)
    .getByRole('button', { name: `Enviados, sin informe ${held.length}` })
    .waitFor()
  assert.equal((await commands(1)).length, held.length, 'nothing more was handed over')

  await page.getByRole('heading', { level: 1 }).click()
  await page.keyboard.press('p')
  await page.getByRole('button', { name: 'Pausar' }).waitFor()
  const later = (await commands(held.length + 1)).slice(held.length)

  await page.getByRole('button', { name: 'Detener…' }).click()
  const dialog = page.getByRole('dialog', { name: '¿Detener Citas?' })
  await dialog
    .getByText(/no se enviarán? nunca|ya en los dispositivos/)
    .first()
    .waitFor()
  await dialog.getByRole('button', { name: 'Cancelar' }).click()
  assert.equal(await stateOf(id), 'running')
  await page.getByRole('button', { name: 'Detener…' }).click()
  await dialog.getByRole('button', { name: 'Detener la campaña' }).click()
  await page.getByText('Detenida').first().waitFor()
  assert.equal(await stateOf(id), 'stopped')
  assert.equal(await page.getByRole('button', { name: 'Pausar' }).count(), 0)
  for (const { guid } of later) await device.report({ guid, state: 'sent' })
})

test('failures are grouped by reason, filter the rows, are sent again by reason, and each row is in the file', async (t) => {
  const { id, guid, commands } = await newCampaign('Avisos', 5)
  await commands(5)
  await device.report(
    { guid: guid(1), state: 'failed', code: 'unknown_error' },
    { guid: guid(2), state: 'failed', code: 'blocked', block: true },
    { guid: guid(3), state: 'failed', code: 'other' },
    { guid: guid(4), state: 'sent' },
    { guid: guid(4), state: 'delivered' },
    { guid: guid(5), state: 'failed', code: 'unknown_outcome' },
  )
  const page = await visit(t, `/campaigns/${id}`)
  await page.getByText('Terminada').first().waitFor()
  const failures = page.getByRole('region', { name: 'Fallos por motivo' })
  await failures.getByText('No se reintenta').waitFor()
  await failures.getByRole('button', { name: 'unknown_error', exact: true }).click()
  await eventually(async () => assert.deepEqual(await lines(page), ['1']))
  await page.getByRole('button', { name: 'Todos 5' }).click()
  await eventually(async () => assert.equal((await lines(page)).length, 5))

  const saving = page.waitForEvent('download')
  await page.getByRole('button', { name: 'CSV' }).click()
  const file = (await readText(await (await saving).createReadStream())).trim().split('\n')
  assert.deepEqual(
    file.slice(1).map((line) => line.split(',')[4]),
    ['failed', 'failed', 'failed', 'delivered', 'uncertain'],
  )
  const savingFailed = page.waitForEvent('download')
  await failures.getByRole('button', { name: 'Descargar 3' }).click()
  assert.equal((await readText(await (await savingFailed).createReadStream())).trim().split('\n').length, 4)

  await failures.getByRole('button', { name: 'Reintentar 1: unknown_error' }).click()
  await page.waitForURL('**/campaigns/new?draft=*')
  await page.getByText('El borrador tiene 1 fila.').waitFor()
  await page.goto(`/campaigns/${id}`)
  await failures.getByRole('button', { name: 'Reintentar 2', exact: true }).click()
  await page.waitForURL('**/campaigns/new?draft=*')
  await page.getByText('El borrador tiene 2 filas').waitFor()
  await page.getByText('escriba cuántos mensajes salen: 2').waitFor()
})

test('a draft is deleted from the list and an ended campaign from its page, and each says first what it takes away', async (t) => {
  const draft = await newDraft('Borrador de más', 2)
  const { id, guid, commands } = await newCampaign('De ayer', 1)
  await commands(1)
  const page = await visit(t, '/campaigns')
  await page.getByRole('link', { name: 'De ayer' }).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Borrar De ayer' }).count(), 0, 'it still runs')
  await page.getByRole('button', { name: 'Borrar Borrador de más' }).focus()
  await page.keyboard.press('Enter')
  const asks = page.getByRole('dialog', { name: '¿Borrar Borrador de más?' })
  await asks.getByText('Se borran su texto y sus filas.').waitFor()
  await page.keyboard.press('Escape')
  await asks.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Borrar Borrador de más' }).and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Enter')
  await asks.getByRole('button', { name: 'Borrar', exact: true }).click()
  await page.getByText('Borrador de más borrada').waitFor()
  await page.getByRole('link', { name: 'Borrador de más' }).waitFor({ state: 'detached' })
  const gone = await call(server, readCampaign, { token, params: { id: draft } })
  assert.equal(gone.status, 404)

  await device.report({ guid: guid(1), state: 'sent' }, { guid: guid(1), state: 'delivered' })
  await page.getByRole('link', { name: 'De ayer' }).click()
  await page.getByRole('button', { name: 'Borrar', exact: true }).click()
  const last = page.getByRole('dialog', { name: '¿Borrar De ayer?' })
  await last.getByText('Sus mensajes siguen en Logs y en las conversaciones.').waitFor()
  await last.getByRole('button', { name: 'Borrar', exact: true }).click()
  await page.waitForURL('**/campaigns')
  await page.getByRole('link', { name: 'De ayer' }).waitFor({ state: 'detached' })
  assert.equal((await call(server, readCampaign, { token, params: { id } })).status, 404)
  await page.goto(`/logs?q=${guid(1)}`)
  await page.getByText('Hola Persona 1').first().waitFor()
})

test('on a phone a campaign fits the screen; a role user sees it without the buttons that change it', async (t) => {
  const { id, commands } = await newCampaign('Desde el móvil', 3)
  await commands(3)
  const page = await visit(t)
  await page.setViewportSize(sizes.phone)
  for (const path of ['/campaigns', `/campaigns/${id}`]) {
    await page.goto(path)
    await page.getByText('Desde el móvil').first().waitFor()
    assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), path)
  }
  await page.getByRole('button', { name: 'Pausar' }).click()
  await page.getByRole('button', { name: 'Deshacer' }).click()
  await page.getByText('Campaña reanudada.').waitFor()
  await page.getByRole('button', { name: 'Detener…' }).click()
  await page.getByRole('button', { name: 'Detener la campaña' }).click()
  await page.getByText('Detenida').first().waitFor()

  const body = {
    name: 'Luis Vega',
    email: 'luis@example.com',
    role: 'user',
    password: FIRST_PASSWORD,
  } as const
  assert.equal((await call(server, saveUser, { token, body })).status, 201)
  await enterFirst(server, 'Luis Vega', FIRST_PASSWORD, PASSWORD)
  const looker = await visit(t, `/campaigns/${id}`, 'Luis Vega')
  await looker.getByRole('button', { name: 'CSV' }).waitFor()
  assert.equal(await looker.getByRole('button', { name: 'Borrar' }).count(), 0)
})
