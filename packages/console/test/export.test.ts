import assert from 'node:assert/strict'
import { text as readText } from 'node:stream/consumers'
import { after, before, beforeEach, test } from 'node:test'
import type { Page } from 'playwright-core'
import { eventually, useBrowser } from './browser.ts'
import { openExampleServer, type ExampleServer } from './example-server.ts'
import type { StandIn } from './stand-in.ts'

const open = useBrowser()
let server: ExampleServer
let answers: StandIn['answers']
let release = () => {}

before(async () => {
  server = await openExampleServer()
  answers = server.answers
})
beforeEach(() => {
  server.answers = { ...answers }
  server.asked.length = 0
})
after(() => server.stop())

/** A file in two pieces. The second comes when released or, with `cut`, never. */
function serveCsv(cut = false): void {
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  server.answers['GET /api/logs/devices.csv'] = () => ({
    csv: (async function* () {
      yield 'id,guid\r\n'
      yield 'x'.repeat(2_500_000)
      await released
      if (cut) throw new Error('the server stops here')
      yield '\r\n'
    })(),
  })
}

async function startExport(page: Page, path: string): Promise<void> {
  await page.goto(path)
  await page.getByRole('button', { name: 'CSV' }).click()
  await page.getByText('2,5 MB').waitFor()
}

test('the CSV has the filter of the address, shows its progress, and is saved under its name', async (t) => {
  serveCsv()
  const page = await open(t, { url: server.url })
  await startExport(page, '/logs?search=346&state=failed&errors=true&from=2026-11-20T10:00&view=errors')
  const saved = page.waitForEvent('download')
  // It is shown for a short time.
  const told = page.getByText('logs-2026-11-20.csv descargado').waitFor()
  release()
  const [download] = await Promise.all([saved, told])
  assert.equal(download.suggestedFilename(), 'logs-2026-11-20.csv')
  const text = await readText(await download.createReadStream())
  assert.equal(text.length, 9 + 2_500_000 + 2)
  await page.getByRole('button', { name: 'CSV' }).waitFor()
  const asked = server.asked.find(({ path }) => path.endsWith('.csv'))
  assert.equal(asked?.token, 'token-1')
  assert.deepEqual(Object.fromEntries(asked.query), {
    search: '346',
    state: 'failed',
    errors: 'true',
    from: '2026-11-20T10:00:00.000Z',
  })
})

/** The lines of the file that the button saves. */
async function linesSaved(page: Page, button: string): Promise<string[]> {
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: button, exact: true }).press('Enter')
  const download = await saved
  const text = await readText(await download.createReadStream())
  return [download.suggestedFilename(), ...text.replace('\uFEFF', '').split('\r\n')]
}

function fileOf(...lines: string[]) {
  return {
    csv: (async function* () {
      yield `\uFEFF${lines.join('\r\n')}\r\n`
    })(),
  }
}

const TITLES =
  'ID,GUID,Device ID,Device GUID,Mensaje,Destino,Queue Time,Handed Time,Answer Sent Time,Answer Sent,Answer 2 Time,' +
  'Answer 2,Notes,Answer 3,Answer 3 Time,Error,Error Msg,Error Time,State,Queued By'

for (const [language, head, line, end] of [
  [
    'es',
    'ID;GUID;ID disp.;Dispositivo;Mensaje;Destino;En cola;Aceptado',
    '9;g-9;3;drone-3;"hola, ""a""; b";"=""+34600111222""";20/11/2026 10:00:01;',
    ';Sin red;;;Fallido;Ana Ruiz',
  ],
  [
    'en',
    'ID,GUID,Device ID,Device,Message,Recipient,Queued,Accepted',
    '9,g-9,3,drone-3,"hola, ""a""; b","=""+34600111222""",2026-11-20 10:00:01,',
    ',No network,,,Failed,Ana Ruiz',
  ],
] as const) {
  test(`in ${language} the log is saved for its spreadsheets: titles, words, times, and numbers as texts`, async (t) => {
    server.answers['GET /api/logs/devices.csv'] = () =>
      fileOf(
        TITLES,
        '9,g-9,3,drone-3,"hola, ""a""; b",+34600111222,2026-11-20T10:00:01.000Z,,,,,,,,,no_network,,,failed,Ana Ruiz',
      )
    const page = await open(t, { url: server.url })
    await page.addInitScript((chosen) => localStorage.setItem('language', chosen), language)
    await page.goto('/logs')
    const [name, titles, row, rest] = await linesSaved(page, 'Excel')
    assert.equal(name, 'logs-2026-11-20-excel.csv')
    assert.ok(titles!.startsWith(head), titles!)
    assert.ok(row!.startsWith(line) && row!.endsWith(end), row!)
    assert.equal(rest, '')
  })
}

test('the tasks of the filter are saved in both forms', async (t) => {
  const titles =
    'GUID,From,To,Text,Sent,Silent,Created,Assigned Device,Assigned,Completed,Discarded,State,Attempts,Error Msg,' +
    'Delivery Time,Reply,Reply Time'
  const line = '0042,,+34600111222,hola,,Sí,2026-11-20T10:00:01.000Z,,,,,received,0,,,,'
  server.answers['GET /api/external-tasks.csv'] = () => fileOf(titles, line)
  const page = await open(t, { url: server.url })
  await page.goto('/running-tasks?status=received&search=hola&state=failed&period=today')
  const machine = await linesSaved(page, 'CSV')
  assert.deepEqual(machine.slice(1), [titles, line, ''])
  const asked = server.asked.find(({ path }) => path.endsWith('.csv'))
  const midnight = await page.evaluate(() => new Date(new Date().setHours(0, 0, 0, 0)).toISOString())
  assert.deepEqual(Object.fromEntries(asked?.query ?? []), {
    status: 'received',
    search: 'hola',
    state: 'failed',
    from: midnight,
  })
  const sheet = await linesSaved(page, 'Excel')
  assert.deepEqual(sheet.slice(1), [
    'GUID;From;To;Text;Sent;Silent;Created;Assigned Device;Assigned;Completed;Discarded;Estado;Intentos;Motivo;Entregado;Respuesta;Respondido',
    '"=""0042""";;"=""+34600111222""";hola;;Sí;20/11/2026 10:00:01;;;;;Recibida;0;;;;',
    '',
  ])
})

test('an export can be cancelled, and leaving the screen cancels it', async (t) => {
  serveCsv()
  const page = await open(t, { url: server.url })
  page.on('download', () => assert.fail('nothing is saved'))
  await startExport(page, '/logs')
  await page.getByRole('button', { name: 'Cancelar la descarga' }).click()
  await page.getByRole('button', { name: 'CSV' }).waitFor()
  serveCsv()
  await page.getByRole('button', { name: 'CSV' }).click()
  await page.getByText('2,5 MB').waitFor()
  await page.getByRole('link', { name: 'Devices' }).click()
  await page.getByRole('heading', { level: 1, name: 'LINKED DEVICES' }).waitFor()
  release()
  assert.equal(await page.getByText('La descarga del CSV no terminó').count(), 0)
})

for (const [what, fail] of [
  ['that is cut off', () => serveCsv(true)],
  ['that the server refuses', () => (server.answers['GET /api/logs/devices.csv'] = { status: 503 })],
  ['that is not a file', () => (server.answers['GET /api/logs/devices.csv'] = { body: {} })],
] as const) {
  test(`an export ${what} is reported, saves nothing, and can be retried`, async (t) => {
    fail()
    const page = await open(t, { url: server.url })
    let saved = 0
    page.on('download', () => saved++)
    await page.goto('/logs')
    await page.getByRole('button', { name: 'CSV' }).click()
    if (what === 'that is cut off') await page.getByText('2,5 MB').waitFor()
    release()
    await page.getByText('La descarga del CSV no terminó: no se ha guardado nada.').waitFor()
    assert.equal(saved, 0)
    serveCsv()
    release()
    await page.getByRole('button', { name: 'Reintentar' }).click()
    await eventually(() => assert.equal(saved, 1))
  })
}

test('a refused export says why', async (t) => {
  const detail = 'Too many exports at once: try again in a minute.'
  server.answers['GET /api/logs/devices.csv'] = { status: 429, body: { detail } }
  const page = await open(t, { url: server.url })
  await page.goto('/logs')
  await page.getByRole('button', { name: 'CSV' }).click()
  await page.getByText(`La descarga del CSV no terminó: no se ha guardado nada. ${detail}`).waitFor()
})

test('the file of the contacts is said to have all of them, or those of the chosen list', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/contacts?search=ana')
  const button = page.getByRole('button', { name: 'CSV', exact: true })
  await button.waitFor()
  assert.equal(await button.getAttribute('title'), 'Descargar todos los contactos como CSV')
  await page.goto('/contacts?list=vip')
  await button.waitFor()
  assert.equal(await button.getAttribute('title'), 'Descargar todos los contactos de «vip» como CSV')
})
