import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { saveUser } from '@sdd/contract/accounts/users.ts'
import { changeDevice } from '@sdd/contract/fleet/device-changes.ts'
import { type NewRouteRule, readRoutes, saveRoutes } from '@sdd/contract/fleet/routes.ts'
import type { Page } from 'playwright-core'
import { connectDevice, linkTestDevice, type TestDevice } from '../packages/server/test/device.ts'
import { enterFirst, FIRST_PASSWORD } from '../packages/server/test/seeds.ts'
import { call } from '../packages/server/test/server.ts'
import { openSession } from '../scripts/session.ts'
import { newSettings, PASSWORD, type ServerProcess, startProcess, SUPERADMIN } from './server-process.ts'
import { useVisits } from './visiting.ts'

let folder: string
let server: ServerProcess
let token: string
let north: TestDevice
const { visit } = useVisits(() => server)

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sdd-routes-'))
  server = await startProcess(await newSettings(folder, { LOG_LEVEL: 'warn' }))
  token = await openSession(server.url, SUPERADMIN)
  north = await connectDevice(await linkTestDevice(server, token, 'north'))
  await connectDevice(await linkTestDevice(server, token, 'south'))
  for (const uid of ['north', 'south'])
    await call(server, changeDevice, { token, params: { uid }, body: { tags: [uid] } })
})
after(async () => {
  await server.stop()
  rmSync(folder, { recursive: true })
})

const save = (...routes: Partial<NewRouteRule>[]) =>
  call(server, saveRoutes, {
    token,
    query: {},
    body: {
      routes: routes.map((route) => ({ match: {}, via: null, fallback: 'wait', enabled: true, ...route })),
    } as never,
  })
const stored = async () => (await call(server, readRoutes, { token, query: {} })).body.routes
const rules = (page: Page) => page.getByRole('region', { name: 'Reglas, en orden' }).getByRole('listitem')
const answer = (page: Page) => page.getByLabel('Respuesta')

test('a rule is written, changed and deleted, and the deletion is undone', async (t) => {
  await save()
  const page = await visit(t, '/routes')
  await page.getByText('Sin reglas, cualquier dispositivo vale.').waitFor()
  await page.keyboard.press('n')
  const form = page.getByRole('dialog', { name: 'Nueva regla' })
  await form.getByLabel('Prefijos').fill('+34612, +34613')
  await form.getByLabel('Países').fill('es')
  await form.getByLabel('código').check()
  await form.getByLabel('Sale por el grupo').fill('West')
  await form.getByLabel('Si nadie del grupo puede').selectOption('wait')
  await form.getByRole('button', { name: 'Guardar' }).click()
  const first = rules(page).first()
  await first.getByText('+34612, +34613').waitFor()
  await first.getByText('España').waitFor()
  await page.getByText('0 de 0 conectados').waitFor()
  const [rule] = await stored()
  assert.deepEqual(
    { ...rule, id: 0 },
    {
      id: 0,
      match: { prefix: ['+34612', '+34613'], country: ['ES'], class: ['code'] },
      via: 'west',
      fallback: 'wait',
      fallback_after_secs: 0,
      enabled: true,
      note: null,
    },
  )

  await page.keyboard.press('j')
  await page.getByRole('button', { name: 'Editar la regla 1' }).and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Enter')
  const open = page.getByRole('dialog', { name: 'Regla 1' })
  await open.getByLabel('Nota').fill('Por la tarifa')
  await open.getByLabel('Activa').uncheck()
  await open.getByRole('button', { name: 'Guardar' }).click()
  await first.getByText('Por la tarifa').waitFor()
  await first.getByText('Desactivada').waitFor()
  assert.equal((await stored())[0]!.id, rule!.id)

  await page.getByRole('button', { name: 'Editar la regla 1' }).click()
  await open.getByRole('button', { name: 'Borrar' }).click()
  await page.getByText('Sin reglas, cualquier dispositivo vale.').waitFor()
  await page.getByRole('button', { name: 'Deshacer' }).click()
  await first.getByText('Por la tarifa').waitFor()
})

test('rules move by keys and by their handle, are saved at once, and a move is undone', async (t) => {
  await save({ note: 'one', via: 'north' }, { note: 'two', via: 'south' }, { note: 'three' })
  const notes = async () => (await stored()).map(({ note }) => note).join(' ')
  const page = await visit(t, '/routes')
  await page.getByText('La tapa entera la regla 1').first().waitFor()
  await page.getByRole('button', { name: 'Mover la regla 3' }).focus()
  await page.keyboard.press('Alt+ArrowUp')
  await page.getByText('La regla 3 es ahora la 2').waitFor()
  assert.equal(await notes(), 'one three two')
  await page.keyboard.press('Alt+ArrowUp')
  await page.getByText('La regla 2 es ahora la 1').waitFor()
  assert.equal(await notes(), 'three one two')
  await page.getByRole('button', { name: 'Deshacer' }).last().click()
  await page.getByText('Orden anterior restaurado').waitFor()
  assert.equal(await notes(), 'one three two')

  const [from, to] = await Promise.all(
    [1, 3].map((place) => page.getByRole('button', { name: `Mover la regla ${place}` }).boundingBox()),
  )
  await page.mouse.move(from!.x + 5, from!.y + 5)
  await page.mouse.down()
  await page.mouse.move(to!.x + 5, to!.y + 5, { steps: 5 })
  await page.mouse.up()
  await page.getByText('La regla 1 es ahora la 3').waitFor()
  assert.equal(await notes(), 'three two one')
})

test('the tester marks the rule that decides, and its answer follows the devices', async (t) => {
  await save(
    { match: { prefix: '+351' }, via: 'south' },
    { match: { country: 'ES' }, via: 'north', fallback: 'south' },
  )
  const page = await visit(t, '/routes')
  await rules(page).nth(1).waitFor()
  await page.getByLabel('Número').waitFor()
  await page.keyboard.press('p')
  await page.keyboard.insertText('612 000 000')
  await answer(page).getByText('north').waitFor()
  await answer(page).getByText('España · regla 2').waitFor()
  await page.getByText('No: otro prefijo').waitFor()
  await page.getByText('Solo si el grupo no puede').waitFor()
  assert.equal(await rules(page).nth(1).getAttribute('aria-current'), 'true')
  assert.equal(new URL(page.url()).searchParams.get('try'), '612 000 000')
  north.vanish()
  await answer(page).getByText('south').waitFor()
  await page.getByLabel('Número').fill('+33612345678')
  await answer(page).getByText('Francia · ninguna regla').waitFor()
})

test('who may not write rules sees them, and may try a number', async (t) => {
  await save({ note: 'one', via: 'south' })
  const body = {
    name: 'Luis Vega',
    email: 'luis@example.com',
    role: 'user',
    password: FIRST_PASSWORD,
  } as const
  assert.equal((await call(server, saveUser, { token, body })).status, 201)
  await enterFirst(server, 'Luis Vega', FIRST_PASSWORD, PASSWORD)
  const page = await visit(t, '/routes?try=%2B34612000000', 'Luis Vega')
  await answer(page).getByText('south').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Nueva regla' }).count(), 0)
  assert.equal(await page.getByRole('button', { name: /^(Editar|Mover)/ }).count(), 0)
})
