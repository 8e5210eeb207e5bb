import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import type { Page } from 'playwright-core'
import { changeLanguage, eventually, rowOf, useBrowser } from './browser.ts'
import { useExampleServer } from './example-server.ts'
import { exampleDevices } from './examples.ts'

const open = useBrowser()
const server = await useExampleServer()
beforeEach(() => {
  server.devices = exampleDevices(48)
})

const SPECIFIED = ['ID', 'UID', 'Status', 'Location', 'Created At', 'Enabled', 'Acciones']

function heads(page: Page): Promise<string[]> {
  return page.getByRole('columnheader').allInnerTexts()
}

async function firstUid(page: Page): Promise<string> {
  return page.getByRole('row').nth(1).getByRole('cell').nth(1).innerText()
}

test('columns are added between those of the specification, kept in this browser, and sorted by', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/devices')
  await rowOf(page, 'drone-0001').waitFor()
  await page.getByRole('button', { name: 'Columnas y orden' }).click()
  const options = page.getByRole('region', { name: 'Vista de la tabla' })
  for (const column of ['Señal', 'Último contacto', 'Operador', 'Hoy / límite'])
    await options.getByRole('checkbox', { name: column }).check()
  const all = [...SPECIFIED]
  all.splice(4, 0, 'Último contacto', 'Operador', 'Señal', 'Hoy / límite')
  await eventually(async () => assert.deepEqual(await heads(page), all))
  await page.reload()
  await rowOf(page, 'drone-0001').waitFor()
  assert.deepEqual(await heads(page), all)
  const overflow = await page
    .getByRole('table')
    .evaluate((table) => table.scrollWidth - table.parentElement!.clientWidth)
  assert.ok(overflow <= 0, `the table is ${overflow} px too wide`)
  const today = page.getByRole('columnheader', { name: 'Hoy / límite' })
  for (const order of ['ascending', 'descending']) {
    await today.getByRole('button').click()
    await eventually(async () => assert.equal(await today.getAttribute('aria-sort'), order))
  }
  const busiest = server.devices.toSorted((a, b) => b.sent_today - a.sent_today)[0]!.uid
  await eventually(async () => assert.equal(await firstUid(page), busiest))
})

test('a chosen language shows all columns until the user chooses', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/devices')
  await rowOf(page, 'drone-0001').waitFor()
  assert.deepEqual(await heads(page), SPECIFIED)
  await changeLanguage(page, 'en')
  await page.getByRole('columnheader', { name: 'Last contact' }).waitFor()
  await page.setViewportSize({ width: 1100, height: 800 })
  await page.getByRole('columnheader', { name: 'Last contact' }).waitFor({ state: 'detached' })
})

test('problems first: disconnected, without radio, quarantined, at the limit, and disabled after them', async (t) => {
  const [first] = exampleDevices(1)
  const plain = { ...first!, radio: null, quarantined_until: null, sent_today: 0 }
  const until = new Date(Date.now() + 3_600_000).toISOString()
  server.devices = [
    { ...plain, id: 1, uid: 'well' },
    { ...plain, id: 2, uid: 'disabled', enabled: false, status: 'disconnected' },
    { ...plain, id: 3, uid: 'exhausted', sent_today: 1000 },
    { ...plain, id: 4, uid: 'held', quarantined_until: until },
    { ...plain, id: 5, uid: 'deaf', radio: { ready: false, says: 'No SIM.' } },
    { ...plain, id: 6, uid: 'away', status: 'disconnected' },
  ]
  const page = await open(t, { url: server.url })
  await page.goto('/devices?view=open')
  await page.getByLabel('Orden', { exact: true }).selectOption('Problemas primero')
  await page.waitForURL('**/devices?*sort=problems*')
  await eventually(async () => {
    const rows = await page.getByRole('row').locator('[data-column=uid]').allInnerTexts()
    assert.deepEqual(
      rows.filter((uid) => uid !== 'UID'),
      ['away', 'deaf', 'held', 'exhausted', 'disabled', 'well'],
    )
  })
})

test('a disabled device and one at its limit say so next to their status, and why a send would fail', async (t) => {
  server.devices = server.devices.map((device, n) => ({
    ...device,
    enabled: n !== 0,
    sent_today: n === 1 ? 1000 : 0,
  }))
  const page = await open(t, { url: server.url })
  await page.goto('/devices')
  await rowOf(page, 'drone-0001').getByText('deshabilitado', { exact: true }).waitFor()
  await rowOf(page, 'drone-0002').getByText('límite 1000/1000', { exact: true }).waitFor()
  const send = rowOf(page, 'drone-0001').getByRole('button', { name: 'Send SMS' })
  assert.equal(await send.isEnabled(), true, 'only the status decides')
  assert.match((await send.getAttribute('title')) ?? '', /deshabilitado/)
  await page.getByRole('button', { name: 'En el límite 1' }).click()
  await rowOf(page, 'drone-0001').waitFor({ state: 'detached' })
  await rowOf(page, 'drone-0002').waitFor()
})

test('a toggle of Enabled can be undone', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/devices')
  const box = page.getByRole('checkbox', { name: 'Enabled drone-0002', exact: true })
  await box.click()
  await page.getByText('drone-0002 deshabilitado', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Deshacer' }).click()
  await eventually(() => assert.equal(server.devices[1]!.enabled, true))
  await eventually(async () => assert.ok(await box.isChecked()))
})

test('in a chosen language the search also finds SIM numbers, ICCIDs, names, places and operators', async (t) => {
  server.devices = server.devices.map((device, n) => (n === 4 ? { ...device, name: 'Escaparaté' } : device))
  const page = await open(t, { url: server.url, language: 'es' })
  await page.goto('/devices')
  const box = page.getByPlaceholder('UID')
  for (const [typed, uid] of [
    ['610 20 00 07', 'drone-0008'],
    ['8934071100123450011', 'drone-0012'],
    ['escaparate', 'drone-0005'],
    [server.devices[2]!.location!, 'drone-0003'],
  ] as const) {
    await box.fill(typed)
    await eventually(async () =>
      assert.ok(Number(await page.getByRole('table').getAttribute('aria-rowcount')) < 40),
    )
    await page.getByRole('link', { name: uid, exact: true }).waitFor()
  }
  await box.fill('none of them')
  await page.getByText('No hay dispositivos.').waitFor()
  await page.getByRole('table').getByRole('button', { name: 'Quitar filtros' }).click()
  await rowOf(page, 'drone-0001').waitFor()
})

test('a tag filters the fleet, and is kept in the address', async (t) => {
  server.devices = server.devices.map((device, n) => (n === 4 ? { ...device, tags: ['otp'] } : device))
  const page = await open(t, { url: server.url })
  await page.goto('/devices')
  const tags = page.getByRole('combobox', { name: 'Filtrar por etiqueta' })
  await tags.getByRole('option', { name: 'almacén (16)' }).waitFor({ state: 'attached' })
  await tags.selectOption('otp')
  await page.waitForURL('**/devices?tag=otp')
  await eventually(async () => assert.equal(await page.getByRole('table').getAttribute('aria-rowcount'), '2'))
  await rowOf(page, 'drone-0005').waitFor()
  await page.goto('/devices?tag=gone')
  await page.getByRole('table').getByRole('button', { name: 'Quitar filtros' }).click()
  await rowOf(page, 'drone-0001').waitFor()
})

test('the fleet filters by operator and by state', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/devices')
  const fleet = page.getByRole('region', { name: 'Flota' })
  const orange = server.devices.filter(({ carrier }) => carrier === 'Orange')
  await fleet.getByRole('button', { name: /^Orange / }).click()
  await page.waitForURL('**/devices?carrier=Orange')
  await eventually(async () =>
    assert.equal(await page.getByRole('table').getAttribute('aria-rowcount'), String(orange.length + 1)),
  )
  await page.getByRole('button', { name: 'Orange Quitar filtros' }).click()
  await rowOf(page, 'drone-0001').waitFor()
  await fleet.getByRole('button', { name: 'Desconectado: filtrar' }).click()
  await page.waitForURL('**/devices?show=disconnected')
})
