import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { copied, eventually, useBrowser } from './browser.ts'
import { useExampleServer } from './example-server.ts'
import { exampleAttempt, exampleLog, exampleLogs } from './examples.ts'

const open = useBrowser()
const server = await useExampleServer()

function rowOf(page: Page, id: number): Locator {
  return page
    .getByRole('row')
    .filter({ has: page.getByRole('button', { name: `Abrir mensaje ${id}`, exact: true }) })
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
    // As from a server that gives no code: its own words are shown.
    waiting_code: null,
    waiting_params: null,
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
    const copy = () => page.getByRole('button', { name: `Copiar ${what}`, exact: true }).click()
    await copy()
    await copied(page, value!, copy)
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
  const page = await open(t, { url: server.url, language: 'es' })
  await page.goto(`/logs?open=${row.guid}`)
  const pane = page.getByRole('complementary', { name: 'Detalle del mensaje' })
  await pane.getByText('Intento 1: orden enviada a drone-0001').waitFor()
  const steps = await pane.getByRole('listitem').allInnerTexts()
  const said = steps.map((text) => text.replace(/\s+/g, ' ').trim())
  assert.equal(
    said[1],
    'Intento 1 20:00:01.000 drone-0001 Enviado a la red «sent, 1 part» Falló Sin red · «CREG 2»',
  )
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

test('Back closes the message that was opened, however many were read with j and k', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/sms')
  await page.getByRole('link', { name: 'Logs' }).click()
  await rowOf(page, 450).getByRole('cell').nth(4).click()
  const pane = page.getByRole('complementary', { name: 'Detalle del mensaje' })
  await pane.getByText('ID 450').waitFor()
  await page.keyboard.press('j')
  await pane.getByText('ID 449').waitFor()
  await page.keyboard.press('j')
  await pane.getByText('ID 448').waitFor()
  await page.keyboard.press('k')
  await pane.getByText('ID 449').waitFor()
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), '449')
  await page.goBack()
  await pane.waitFor({ state: 'detached' })
  assert.equal(new URL(page.url()).pathname, '/logs')
  await rowOf(page, 450).waitFor()
})

test('the device of a message and of each attempt is a link to it', async (t) => {
  const row = exampleLog(9, 'delivered', 5)
  server.answers['GET /api/logs/devices'] = { body: { logs: [row], next_cursor: null } }
  server.answers['GET /api/logs/queue/guid/*'] = {
    body: { ...row, attempt_1: 'drone-0005', attempt_details: [exampleAttempt(row)] },
  }
  const page = await open(t, { url: server.url })
  await page.goto(`/logs?open=${row.guid}`)
  const pane = page.getByRole('complementary', { name: 'Detalle del mensaje' })
  const links = pane.getByRole('link', { name: 'drone-0005' })
  await eventually(async () => assert.equal(await links.count(), 2))
  await links.first().click()
  await page.getByRole('region', { name: 'Networks drone-0005' }).waitFor()
})

test('a message is sent again from a form with its number and text', async (t) => {
  const row = exampleLog(9, 'failed', 5)
  server.answers['GET /api/logs/devices'] = { body: { logs: [row], next_cursor: null } }
  const page = await open(t, { url: server.url })
  await page.goto(`/logs?open=${row.guid}`)
  await page.getByRole('link', { name: 'Enviar de nuevo' }).click()
  await page.getByRole('heading', { level: 1, name: 'Send SMS', exact: true }).waitFor()
  assert.equal(await page.getByPlaceholder('+34...').inputValue(), row.message_to)
  assert.equal(await page.getByRole('textbox', { name: 'Mensaje' }).inputValue(), row.message)
  assert.equal(new URL(page.url()).search, '', 'neither is in the address')
  await page.goBack()
  await page.getByRole('complementary', { name: 'Detalle del mensaje' }).waitFor()
})

test('a message that may have arrived is sent again only after a warning', async (t) => {
  const row = exampleLog(9, 'uncertain', 5)
  server.answers['GET /api/logs/devices'] = { body: { logs: [row], next_cursor: null } }
  server.answers['GET /api/logs/queue/guid/*'] = { body: row }
  const page = await open(t, { url: server.url })
  await page.goto(`/logs?open=${row.guid}`)
  await page.getByRole('button', { name: 'Enviar de nuevo' }).click()
  const warning = page.getByRole('dialog', { name: '¿Enviar de nuevo?' })
  await warning.getByText('la persona lo recibirá dos veces').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Enviar de nuevo' }).and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Enter')
  await warning.getByRole('link', { name: 'Enviar de nuevo' }).click()
  await page.getByRole('heading', { level: 1, name: 'Send SMS', exact: true }).waitFor()
  assert.equal(await page.getByPlaceholder('+34...').inputValue(), row.message_to)
})

test('the record folds the fields without a value away', async (t) => {
  const page = await open(t, { url: server.url })
  server.answers['GET /api/logs/queue/guid/*'] = { body: { guid: 'g', parts: 1, error: null, reply: null } }
  await page.goto(`/logs?open=${server.logs[0]?.guid}`)
  const pane = page.getByRole('complementary', { name: 'Detalle del mensaje' })
  await pane.getByText('2 campos sin valor').waitFor()
  assert.equal(await pane.getByText('reply', { exact: true }).isVisible(), false)
  await pane.getByText('2 campos sin valor').click()
  assert.equal(await pane.getByText('reply', { exact: true }).isVisible(), true)
})

test('a message leads to the conversation with its number', async (t) => {
  const page = await open(t, { url: server.url })
  const [row] = server.logs
  await page.goto(`/logs?open=${row!.guid}`)
  await page.getByRole('link', { name: 'Ver la conversación' }).click()
  await page.getByRole('heading', { level: 1, name: 'Conversaciones' }).waitFor()
  assert.equal(new URL(page.url()).searchParams.get('open'), row!.message_to)
})

test('a record with a long link in its text fits into the details', async (t) => {
  const row = { ...exampleLog(9, 'sent', 5), message: `example.com?${'x'.repeat(80)}` }
  server.answers['GET /api/logs/devices'] = { body: { logs: [row], next_cursor: null } }
  server.answers['GET /api/logs/queue/guid/*'] = { body: row }
  const page = await open(t, { url: server.url })
  await page.goto(`/logs?open=${row.guid}`)
  const pane = page.getByRole('complementary', { name: 'Detalle del mensaje' })
  await pane.getByText('queue_timestamp').waitFor()
  assert.equal(await pane.evaluate((shown) => shown.scrollWidth - shown.clientWidth), 0)
})

test('the open message shows its new state while its row is off screen', async (t) => {
  const logs = server.logs
  t.after(() => (server.logs = logs))
  const rest = exampleLogs(450, 48).filter(({ id }) => id > 1)
  server.logs = [...rest, exampleLog(1, 'queued', 48)]
  const page = await open(t, { url: server.url })
  await page.goto('/logs')
  await rowOf(page, 450).waitFor()
  await page.getByText('En vivo').waitFor()
  const list = page.getByRole('region', { name: 'Registros' })
  await eventually(async () => {
    await list.evaluate((element) => (element.scrollTop = element.scrollHeight))
    assert.equal(await rowOf(page, 1).count(), 1)
  })
  await rowOf(page, 1).getByRole('cell').nth(4).click()
  const pane = page.getByRole('complementary', { name: 'Detalle del mensaje' })
  await pane.getByText('queue_timestamp').waitFor()
  await list.evaluate((element) => (element.scrollTop = 0))
  await rowOf(page, 450).waitFor()
  server.logs = [...rest, exampleLog(1, 'delivered', 48)]
  server.publish('/front/change', { changed: ['logs'] })
  await pane.getByText('Entregado', { exact: true }).first().waitFor()
  assert.equal(await pane.getByText('En cola', { exact: true }).count(), 0)
})

test('a message that is opened again shows the state of its row until its record is loaded', async (t) => {
  const logs = server.logs
  t.after(() => (server.logs = logs))
  const rest = logs.filter(({ id }) => id !== 450)
  server.logs = [exampleLog(450, 'queued', 48), ...rest]
  const page = await open(t, { url: server.url })
  await page.goto('/logs')
  await rowOf(page, 450).getByRole('cell').nth(4).click()
  const pane = page.getByRole('complementary', { name: 'Detalle del mensaje' })
  await pane.getByText('queue_timestamp').waitFor()
  await page.getByText('En vivo').waitFor()
  await page.keyboard.press('Escape')
  await pane.waitFor({ state: 'detached' })
  server.answers['GET /api/logs/queue/guid/*'] = () => new Promise(() => {})
  server.logs = [exampleLog(450, 'sent', 48), ...rest]
  server.publish('/front/change', { changed: ['logs'] })
  await rowOf(page, 450).getByText('Enviado', { exact: true }).waitFor()
  await rowOf(page, 450).getByRole('cell').nth(4).click()
  await pane.getByText('queue_timestamp').waitFor()
  assert.equal(await pane.getByText('En cola', { exact: true }).count(), 0)
})
