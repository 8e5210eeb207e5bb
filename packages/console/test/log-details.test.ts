import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { eventually, useBrowser } from './browser.ts'
import { useExampleServer } from './example-server.ts'
import { exampleLog } from './examples.ts'

const open = useBrowser()
const server = await useExampleServer()

function rowOf(page: Page, id: number): Locator {
  return page.getByRole('row').filter({ has: page.getByRole('button', { name: String(id), exact: true }) })
}

test('a row opens its timeline and full record next to the list; Escape closes them', async (t) => {
  const page = await open(t, { url: server.url })
  const failed = server.logs.find(({ state }) => state === 'failed')
  assert.ok(failed)
  await page.goto('/logs')
  await rowOf(page, failed.id).getByRole('cell').nth(4).click()
  const pane = page.getByRole('complementary', { name: 'Detalle del mensaje' })
  await pane.getByText('38 · Red fuera de servicio').waitFor()
  await pane.getByText('Intento 1').waitFor()
  await pane.getByText('queue_timestamp').waitFor()
  assert.equal(new URL(page.url()).searchParams.get('open'), failed.guid)
  await page.keyboard.press('Escape')
  await pane.waitFor({ state: 'detached' })
})

test('a message outside the list opens from its address', async (t) => {
  const oldest = server.logs.at(-1)
  const page = await open(t, { url: server.url })
  await page.goto(`/logs?open=${oldest?.guid}`)
  const pane = page.getByRole('complementary', { name: 'Detalle del mensaje' })
  await pane.getByText('Recorrido').waitFor()
  await page.goto('/logs?open=no-such-guid')
  await pane.getByText('No hay ningún mensaje con ese GUID.').waitFor()
})

test('on a phone a row is a card, and opens its details over the screen', async (t) => {
  const page = await open(t, { url: server.url, size: 'phone' })
  await page.goto('/logs')
  await rowOf(page, 447).click()
  const pane = page.getByRole('dialog', { name: 'Detalle del mensaje' })
  await pane.getByText('Recorrido').waitFor()
  await page.keyboard.press('Escape')
  await pane.waitFor({ state: 'detached' })
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
  assert.equal(overflow, 0)
})

test('the details show every attempt, and why a message waits, with local times', async (t) => {
  const waits = {
    ...exampleLog(9, 'queued', 5),
    waiting_for:
      'Daily limit reached: drone-0005 has sent 9 of 9 SMS today; it goes on at 2026-11-21T00:00:00.000Z.',
  }
  server.answers['GET /api/logs/devices'] = { body: { logs: [waits], next_cursor: null } }
  server.answers['GET /api/logs/queue/guid/*'] = {
    body: {
      ...waits,
      attempt_1: 'drone-0001 · given 2026-11-20T20:00:01.000Z · failed · no_network',
      attempt_2: 'drone-0005 · given 2026-11-20T20:10:02.500Z · accepted 2026-11-20T20:10:03.000Z',
    },
  }
  const page = await open(t, { url: server.url })
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto(`/logs?open=${waits.guid}`)
  const steps = page.getByRole('complementary', { name: 'Detalle del mensaje' }).getByRole('listitem')
  await steps.filter({ hasText: 'Intento 2' }).waitFor()
  const said = (await steps.allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').trim())
  assert.match(said[1] ?? '', /^Intento 1 20:00:01\.000 drone-0001 · failed · no_network$/)
  assert.match(said[2] ?? '', /^Intento 2 20:10:02\.500 drone-0005 · accepted 20\/11(\/2026)? 20:10:03$/)
  assert.match(
    said.at(-1) ?? '',
    /^En espera Daily limit reached: .* it goes on at 21\/11(\/2026)? 00:00:00\.$/,
  )
  const until = steps.last().getByRole('time')
  assert.equal(await until.getAttribute('datetime'), '2026-11-21T00:00:00.000Z')
  for (const [what, value] of [
    ['GUID', waits.guid],
    ['Destino', waits.message_to],
    ['Device GUID', waits.device_guid],
  ]) {
    await page.getByRole('button', { name: `Copiar ${what}`, exact: true }).click()
    await eventually(async () =>
      assert.equal(await page.evaluate(() => navigator.clipboard.readText()), value),
    )
  }
})

test('the details say who sent the message', async (t) => {
  const row = exampleLog(9, 'sent', 5)
  server.answers['GET /api/logs/devices'] = { body: { logs: [row], next_cursor: null } }
  server.answers['GET /api/logs/queue/guid/*'] = { body: { ...row, queued_by: 'Ana Ruiz' } }
  const page = await open(t, { url: server.url })
  await page.goto(`/logs?open=${row.guid}`)
  await page.getByText('Enviado por Ana Ruiz').waitFor()
})

test('in a chosen language the timeline and the record are worded from codes, and other words are quoted', async (t) => {
  const given = { attempt: 1, device: 'drone-0001' }
  const row = {
    ...exampleLog(9, 'queued', 5),
    anwer_sent: 'sent, 1 part',
    notes: '2026-11-20T20:00:01.000Z 1: given to drone-0001',
    notes_codes: [{ at: '2026-11-20T20:00:01.000Z', code: 'given' as const, params: given }],
  }
  const times = { given_at: '2026-11-20T20:00:01.000Z', accepted_at: null, sent_at: null, delivered_at: null }
  const attempt = { ...given, ...times, sim: null, state: 'failed', code: 'no_network', detail: 'CREG 2' }
  server.answers['GET /api/logs/devices'] = { body: { logs: [row], next_cursor: null } }
  server.answers['GET /api/logs/queue/guid/*'] = {
    body: {
      ...row,
      attempt_1: 'drone-0001 · given 2026-11-20T20:00:01.000Z · failed · no_network · CREG 2',
      attempt_details: [attempt],
    },
  }
  const page = await open(t, { url: server.url })
  await page.addInitScript(() => localStorage.setItem('language', 'es'))
  await page.goto(`/logs?open=${row.guid}`)
  const pane = page.getByRole('complementary', { name: 'Detalle del mensaje' })
  await pane.getByText('Intento 1: orden enviada a drone-0001').waitFor()
  const steps = await pane.getByRole('listitem').allInnerTexts()
  const said = steps.map((text) => text.replace(/\s+/g, ' ').trim())
  assert.equal(said[1], 'Intento 1 20:00:01.000 drone-0001 · fallido · sin red · «CREG 2»')
  assert.equal(said[2], 'Enviado a la red «sent, 1 part»')
  assert.match(
    said.at(-1) ?? '',
    /^En espera drone-0005 está desconectado desde el 20\/11(\/2026)? 21:12:00\. Sale cuando vuelva; si no, caduca el 21\/11(\/2026)? 21:12:00\.$/,
  )
  const names = await pane.locator('dt').allInnerTexts()
  assert.deepEqual(
    names.filter((name) => /_|^state$/.test(name)),
    [],
  )
  await pane.getByText('en cola', { exact: true }).waitFor()
  assert.doesNotMatch(await pane.innerText(), /\dT\d|waiting|given/)
  assert.equal(server.asked.find(({ path }) => path.includes('/guid/'))?.query.get('facts'), 'true')
})
