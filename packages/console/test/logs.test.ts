import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import type { LogEntry } from '@sdd/contract/insight/log.ts'
import type { Locator, Page } from 'playwright-core'
import { copied, eventually, useBrowser } from './browser.ts'
import { useExampleServer } from './example-server.ts'
import { exampleLog, exampleLogs } from './examples.ts'
import { wrapList, type ListShape } from './stand-in.ts'

const open = useBrowser()
const server = await useExampleServer()
const { answers } = server
beforeEach(() => {
  server.logs = exampleLogs(450, 48)
})

const columns =
  'ID|GUID|Device ID|Device GUID|Mensaje|Destino|Queue Time|Handed Time|Answer Sent Time|Answer Sent|Answer 2 Time|Answer 2|Notes|Answer 3|Answer 3 Time|Error|Error Msg|Error Time'

function rowOf(page: Page, id: number): Locator {
  return page
    .getByRole('row')
    .filter({ has: page.getByRole('button', { name: `Abrir mensaje ${id}`, exact: true }) })
}

function lists() {
  return server.asked.filter(({ path }) => path === '/api/logs/devices')
}

function counts() {
  return server.asked.filter(({ path }) => path === '/api/logs/count')
}

/** Only the fields of the user specification's section 3. */
function specified(entry: LogEntry): Partial<LogEntry> {
  const beyond = ['company_id', 'state', 'waiting_for']
  const isBeyond = (name: string) => beyond.includes(name) || /_(codes?|params)$/.test(name)
  return Object.fromEntries(Object.entries(entry).filter(([name]) => !isBeyond(name)))
}

for (const shape of ['bare', 'named', 'data'] as ListShape[]) {
  test(`the logs are read ${shape}, with only the specified fields`, async (t) => {
    const rows = [exampleLog(2, 'failed', 5), exampleLog(1, 'delivered', 5)].map(specified)
    server.answers['GET /api/logs/devices'] = { body: wrapList(shape, 'logs', rows) }
    const page = await open(t, { url: server.url })
    await page.goto('/logs')
    const cells = rowOf(page, 1).getByRole('cell')
    await cells.first().waitFor()
    const texts = await cells.allTextContents()
    assert.equal(texts.length, 18)
    assert.equal(texts[0], 'Entregado1')
    assert.deepEqual(texts.slice(2, 6), ['2', 'drone-0002', rows[1]?.message, rows[1]?.message_to])
    assert.equal(await rowOf(page, 2).getByRole('cell').nth(15).textContent(), '✓')
  })
}

test('the 18 columns are those of the specification, in its order, at any width', async (t) => {
  for (const size of ['desktop', 'phone'] as const) {
    const page = await open(t, { url: server.url, size })
    await page.goto('/logs')
    await rowOf(page, 450).waitFor()
    assert.equal((await page.getByRole('columnheader').allTextContents()).join('|'), columns)
  }
})

test('the screen says that it is loading; a failed load is reported with an empty table and a retry', async (t) => {
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  server.answers['GET /api/logs/devices'] = async () => {
    await held
    return { status: 500 }
  }
  const page = await open(t, { url: server.url })
  await page.goto('/logs')
  await page.getByText('Loading logs...').waitFor()
  release()
  await page.getByRole('alert').filter({ hasText: 'No se pudieron cargar' }).waitFor()
  assert.equal(await page.getByText('Loading logs...').count(), 0)
  assert.equal(await page.getByRole('columnheader').count(), 18)
  delete server.answers['GET /api/logs/devices']
  server.answers['GET /api/logs/devices'] = answers['GET /api/logs/devices'] ?? {}
  await page.getByRole('button', { name: 'Reintentar' }).click()
  await rowOf(page, 450).waitFor()
})

test('a load that failed is repeated by a person, not by the first live connection', async (t) => {
  const goLive = server.holdLive()
  t.after(goLive)
  server.answers['GET /api/logs/devices'] = { status: 500 }
  const page = await open(t, { url: server.url })
  await page.goto('/logs')
  const alert = page.getByRole('alert').filter({ hasText: 'No se pudieron cargar' })
  await alert.waitFor()
  const before = lists().length
  goLive()
  await page.getByText('En vivo').waitFor()
  server.answers['GET /api/logs/devices'] = answers['GET /api/logs/devices'] ?? {}
  await alert.getByRole('button', { name: 'Reintentar' }).click()
  await rowOf(page, 450).waitFor()
  assert.equal(lists().length, before + 1)
})

test('a blocked row is not marked by colour only', async (t) => {
  const blocked = { ...exampleLog(9, 'failed', 5), error_block: true }
  server.answers['GET /api/logs/devices'] = {
    body: { logs: [blocked, exampleLog(8, 'failed', 5)], next_cursor: null },
  }
  const page = await open(t, { url: server.url })
  await page.goto('/logs')
  await rowOf(page, 9).getByText('Fallido, Bloqueado').waitFor()
  const ground = (id: number) => rowOf(page, id).evaluate((row) => getComputedStyle(row).backgroundColor)
  assert.notEqual(await ground(9), await ground(8))
})

test('scrolling loads page after page, and at most 60 rows are mounted', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/logs')
  await rowOf(page, 450).waitFor()
  const scroller = page.getByRole('region', { name: 'Registros' })
  let most = 0
  await eventually(async () => {
    await scroller.evaluate((element) => element.scrollBy({ top: 3_000 }))
    most = Math.max(most, await page.getByRole('row').count())
    assert.ok(await rowOf(page, 1).isVisible())
  })
  assert.ok(most <= 61, `${most} rows`)
  // The first page is loaded once more when the live connection is there.
  const cursors = new Set(lists().map(({ query }) => query.get('cursor')))
  assert.deepEqual([...cursors], [null, '251', '51'])
  assert.equal(await page.getByRole('table').getAttribute('aria-rowcount'), '451')
  assert.equal(await rowOf(page, 1).getAttribute('aria-rowindex'), '451')
})

test('after scrolling sideways and down, the id and the destination stay at the left edge', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/logs')
  await rowOf(page, 450).waitFor()
  const scroller = page.getByRole('region', { name: 'Registros' })
  const left = (await scroller.boundingBox())?.x ?? 0
  const leftOf = async (id: number, nth: number) =>
    ((await rowOf(page, id).getByRole('cell').nth(nth).boundingBox())?.x ?? 0) - left
  await scroller.evaluate((element) => element.scrollBy({ top: 2_000 }))
  await rowOf(page, 380).waitFor()
  await scroller.evaluate((element) => element.scrollBy({ left: 1_200 }))
  await eventually(async () => assert.ok(Math.abs((await leftOf(380, 0)) - 1) <= 1))
  assert.ok(Math.abs((await leftOf(380, 5)) - 221) <= 1)
  await scroller.evaluate((element) => element.scrollBy({ top: 1_000 }))
  await rowOf(page, 350).waitFor()
  assert.ok(Math.abs((await leftOf(350, 0)) - 1) <= 1)
})

test('after switching to cards and back, each row is below the previous one', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/logs')
  await rowOf(page, 449).waitFor()
  for (const [width, height] of [
    [390, 85],
    [1440, 33],
  ] as const) {
    await page.setViewportSize({ width, height: 844 })
    await eventually(async () => {
      const [upper, lower] = await Promise.all([
        rowOf(page, 450).boundingBox(),
        rowOf(page, 449).boundingBox(),
      ])
      assert.ok(Math.abs((lower?.y ?? 0) - (upper?.y ?? 0) - height) <= 1)
    })
  }
})

test('a pause after a blank does not take the blank from the search', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/logs')
  const field = page.getByRole('searchbox')
  await field.pressSequentially('ana ')
  await page.waitForURL('**/logs?search=ana')
  await field.pressSequentially('garcía')
  await page.waitForURL('**/logs?search=ana*garc*')
  assert.equal(await field.inputValue(), 'ana garcía')
})

test('search and filters go to the server and are kept in the address', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/logs')
  await page.getByPlaceholder('Número, texto, GUID…').fill('34600')
  await page.waitForURL('**/logs?search=34600')
  await page.getByRole('button', { name: 'Filtros', exact: true }).click()
  const states = page.getByRole('group', { name: 'Estado' })
  await states.getByRole('checkbox', { name: 'Caducado' }).check()
  await states.getByRole('checkbox', { name: 'Fallido' }).check()
  await page.getByLabel('Causa del fallo').selectOption('Sin red')
  await page.getByRole('textbox', { name: 'Dispositivo' }).fill('drone-0003')
  await page.getByLabel('Desde').fill('2026-11-20T10:00')
  await page.getByRole('checkbox', { name: 'Solo errores' }).check()
  const wanted = {
    search: '34600',
    state: 'failed,expired',
    error: 'no_network',
    errors: 'true',
    device_uid: 'drone-0003',
    from: '2026-11-20T10:00:00.000Z',
    limit: '200',
  }
  await eventually(() => assert.deepEqual(Object.fromEntries(lists().at(-1)?.query ?? []), wanted))
  server.asked.length = 0
  await page.reload()
  await eventually(() => assert.deepEqual(Object.fromEntries(lists().at(-1)?.query ?? []), wanted))
  await page.getByText('Estado: Fallido, Caducado', { exact: true }).waitFor()
  await page.getByText('Causa del fallo: Sin red', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Quitar Estado' }).click()
  await eventually(() => assert.equal(lists().at(-1)?.query.get('state'), null))
  await page.getByRole('button', { name: 'Quitar filtros' }).first().click()
  await rowOf(page, 450).waitFor()
  assert.equal(new URL(page.url()).search, '')
})

test('a period is one press, means the current day in a saved address, and gives way to other times', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/logs')
  await page.getByRole('button', { name: 'Filtros', exact: true }).press('Enter')
  await page.getByRole('button', { name: 'Ayer' }).press('Enter')
  await page.waitForURL('**/logs?period=yesterday')
  const [from, to] = await page.evaluate(() => {
    const midnight = new Date().setHours(0, 0, 0, 0)
    return [new Date(new Date(midnight - 1).setHours(0, 0, 0, 0)), new Date(midnight - 1)].map((at) =>
      at.toISOString(),
    )
  })
  await eventually(() =>
    assert.deepEqual(Object.fromEntries(lists().at(-1)?.query ?? []), { from, to, limit: '200' }),
  )
  await page.getByLabel('Desde').fill('2026-11-20T10:00')
  await page.waitForURL('**/logs?from=2026-11-20T10%3A00')
  await page.getByRole('button', { name: 'Hoy' }).click()
  await page.waitForURL('**/logs?period=today')
  await page.reload()
  await page.getByRole('button', { name: 'Quitar Periodo' }).click()
  await eventually(() => assert.deepEqual(Object.fromEntries(lists().at(-1)?.query ?? []), { limit: '200' }))
})

test('the code of a network is offered once a message has it; an address may name any', async (t) => {
  server.logs = [{ ...exampleLog(3, 'failed', 5), error: '38' }, exampleLog(2, 'delivered', 5)]
  const page = await open(t, { url: server.url })
  await page.goto('/logs')
  await rowOf(page, 3).waitFor()
  await page.getByRole('button', { name: 'Filtros', exact: true }).click()
  await page.getByLabel('Causa del fallo').selectOption('Código 38')
  await rowOf(page, 2).waitFor({ state: 'detached' })
  await rowOf(page, 3).waitFor()
  await page.goto('/logs?error=17&state=nonsense')
  await page.getByText('Causa del fallo: Código 17', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Filtros', exact: true }).click()
  assert.equal(await page.getByLabel('Causa del fallo').inputValue(), '17')
  assert.equal(lists().at(-1)?.query.get('state'), null)
})

test('the line below the list has the total, which is counted only if not all pages are loaded', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/logs')
  await page.getByText(/^Filas 1–\d+ de 450$/).waitFor()
  assert.equal(counts().length, 1)
  server.answers['GET /api/logs/count'] = { body: { count: 20_006, complete: false } }
  await page.goto('/logs?period=today')
  await page.getByText(/^Filas 1–\d+ de más de 20\u202f006$/).waitFor()
  assert.equal(counts().at(-1)?.query.get('from'), lists().at(-1)?.query.get('from'))
  server.logs = exampleLogs(5, 48)
  server.asked.length = 0
  await page.goto('/logs')
  await page.getByText('Filas 1–5 de 5', { exact: true }).waitFor()
  assert.equal(counts().length, 0)
})

test('a server that does not count leaves the number of loaded rows', async (t) => {
  server.answers['GET /api/logs/count'] = { status: 404 }
  const page = await open(t, { url: server.url })
  await page.goto('/logs')
  await eventually(() => assert.ok(counts().length > 0, 'they are counted'))
  await page.getByText(/^Filas 1–\d+ · 200 cargadas$/).waitFor()
})

test('a set of columns shows only those', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/logs')
  await page.getByRole('button', { name: 'Errores' }).click()
  await eventually(async () =>
    assert.deepEqual(await page.getByRole('columnheader').allTextContents(), [
      'ID',
      'Device GUID',
      'Destino',
      'Notes',
      'Error',
      'Error Msg',
      'Error Time',
    ]),
  )
  assert.equal(new URL(page.url()).search, '?view=errors')
})

test('the keyboard walks the rows, opens one and copies its guid', async (t) => {
  const page = await open(t, { url: server.url })
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto('/logs')
  await rowOf(page, 450).waitFor()
  for (const key of ['j', 'j', 'Enter', 'c']) await page.keyboard.press(key)
  // It is shown for a short time.
  await page.getByText('Copiado').waitFor()
  await page.getByRole('complementary', { name: 'Detalle del mensaje' }).waitFor()
  const guid = server.logs[1]?.guid
  assert.equal(new URL(page.url()).searchParams.get('open'), guid)
  await copied(page, guid!, () => page.keyboard.press('c'))
})

test('on a phone, each state of the filter can be chosen', async (t) => {
  const page = await open(t, { url: server.url, size: 'phone' })
  await page.goto('/logs')
  await page.getByRole('button', { name: 'Filtros', exact: true }).click()
  for (const state of ['Cancelado', 'Incierto']) await page.getByRole('checkbox', { name: state }).check()
  await page.waitForURL('**/logs?state=uncertain*cancelled*')
})

test('Enter and Escape leave the search field with its text, so that single keys walk the rows', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/logs')
  await page.getByRole('row').nth(1).waitFor()
  const box = page.getByRole('searchbox')
  for (const key of ['Enter', 'Escape']) {
    await page.keyboard.press('/')
    await box.fill('+34')
    await page.waitForURL('**/logs?search=%2B34')
    await page.keyboard.press(key)
    // Until the rows that match are loaded, there is none to go to.
    await eventually(async () => {
      await page.keyboard.press('j')
      assert.equal(await box.inputValue(), '+34')
      assert.ok(await page.evaluate(() => document.activeElement?.closest('tr') !== null))
    })
  }
})

test('a search takes no more characters than its address', async (t) => {
  const page = await open(t, { url: server.url })
  for (const [path, most] of [
    ['/logs', 200],
    ['/contacts', 100],
  ] as const) {
    await page.goto(path)
    const box = page.getByRole('searchbox')
    await box.focus()
    await page.keyboard.insertText('x'.repeat(300))
    assert.equal((await box.inputValue()).length, most)
    await page.waitForURL(`**${path}?search=${'x'.repeat(most)}`)
  }
})
