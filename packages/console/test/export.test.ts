import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
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
  release()
  const download = await saved
  assert.equal(download.suggestedFilename(), 'logs-2026-11-20.csv')
  const text = await readFile(await download.path(), 'utf8')
  assert.equal(text.length, 9 + 2_500_000 + 2)
  await page.getByText('logs-2026-11-20.csv descargado').waitFor()
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
