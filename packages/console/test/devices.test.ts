import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, rowOf, useBrowser } from './browser.ts'
import { useExampleServer } from './example-server.ts'
import { exampleNetworks } from './examples.ts'
import { wrapList, type ListShape } from './stand-in.ts'

const open = useBrowser()
const server = await useExampleServer()

/** Exactly the fields of the user specification's section 3. */
const bare = [
  {
    id: 7,
    uid: 'alpha-1',
    status: 'connected',
    location: 'Lugo',
    created_at: '2026-01-31T09:30:00Z',
    enabled: true,
  },
  { id: 8, uid: 'BETA-2', status: 'disconnected', location: null, created_at: null, enabled: false },
]

for (const shape of ['bare', 'named', 'data'] as ListShape[]) {
  test(`the device list is read ${shape}, with only the specified fields`, async (t) => {
    server.answers['GET /api/device-list'] = { body: wrapList(shape, 'devices', bare) }
    const page = await open(t, { url: server.url })
    await page.goto('/devices')
    const cells = rowOf(page, 'alpha-1').getByRole('cell')
    await cells.first().waitFor()
    const texts = await cells.allInnerTexts()
    assert.deepEqual(texts.slice(0, 5), ['7', 'alpha-1', 'connected', 'Lugo', '31/01/2026 09:30'])
    assert.equal(await rowOf(page, 'BETA-2').getByRole('button', { name: 'Send SMS' }).isDisabled(), true)
  })
}

test('the filters say which devices are counted in others, too', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/devices')
  const filters = page.getByRole('group', { name: 'Filtrar por estado' })
  await filters.getByText('de ellos:').waitFor()
  // The counts come with the list.
  await filters.getByRole('button', { name: 'Todos 48' }).waitFor()
  const parts = await filters.locator('button, span').allInnerTexts()
  assert.match(parts.join(' '), /^Todos\s48 Conectados\s\d+ Desconectados\s\d+ de ellos: Deshabilitados\s\d+/)
})

test('the versions of the agents lead to their devices, with the changes since the oldest', async (t) => {
  server.answers['GET /api/device-list'] = {
    body: bare.map((device, n) => ({ ...device, agent: ['sdd-agent/1.1.0', null][n] })),
  }
  const page = await open(t, { url: server.url })
  await page.goto('/devices')
  await page.getByRole('button', { name: 'Versiones del agente' }).press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Versiones del agente' })
  await dialog
    .getByText('La versión de este servidor es la 1.3.0. 40 dispositivos tienen una anterior.')
    .waitFor()
  const changes = dialog.getByRole('region', { name: 'Qué ha cambiado' }).getByRole('heading', { level: 4 })
  assert.deepEqual(await changes.allInnerTexts(), ['1.3.0 · 2027-01-02', '1.2.0 · 2026-12-20'])
  const row = (name: string) => dialog.getByRole('listitem').filter({ hasText: name })
  assert.match(await row('sdd-agent/1.1.0').innerText(), /Anterior\s+40 dispositivos · 36 conectados/)
  await row('sdd-agent/1.1.0').getByRole('link').press('Enter')
  await dialog.waitFor({ state: 'detached' })
  await rowOf(page, 'BETA-2').waitFor({ state: 'detached' })
  await rowOf(page, 'alpha-1').waitFor()
  await page.getByRole('button', { name: 'sdd-agent/1.1.0' }).click()
  await rowOf(page, 'BETA-2').waitFor()
  await page.goto('/devices?agent=')
  await rowOf(page, 'BETA-2').waitFor()
  assert.equal(await rowOf(page, 'alpha-1').count(), 0)
})

test('the columns are those of the specification, in its order', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/devices')
  await rowOf(page, 'drone-0001').waitFor()
  const names = await page.getByRole('columnheader').allInnerTexts()
  assert.deepEqual(names, ['ID', 'UID', 'Status', 'Location', 'Created At', 'Enabled', 'Acciones'])
})

test('the search matches part of the uid in any case, and is kept in the address', async (t) => {
  server.answers['GET /api/device-list'] = { body: bare }
  const page = await open(t, { url: server.url })
  await page.goto('/devices')
  await page.getByPlaceholder('UID').fill('eta-')
  await rowOf(page, 'alpha-1').waitFor({ state: 'detached' })
  await rowOf(page, 'BETA-2').waitFor()
  await page.waitForURL('**/devices?search=eta-')
  await page.reload()
  await rowOf(page, 'BETA-2').waitFor()
  assert.equal(await rowOf(page, 'alpha-1').count(), 0)
  await page.getByPlaceholder('UID').fill('nothing like it')
  await page.getByText('No devices found.').waitFor()
})

test('an empty list says so', async (t) => {
  server.answers['GET /api/device-list'] = { body: { devices: [] } }
  const page = await open(t, { url: server.url })
  await page.goto('/devices')
  await page.getByText('No devices found.').waitFor()
})

test('a failed load of the list is reported and can be retried', async (t) => {
  server.answers['GET /api/device-list'] = { status: 500 }
  const page = await open(t, { url: server.url })
  const logged = page.waitForEvent('console', (message) => message.text().startsWith('devices:'))
  await page.goto('/devices')
  await page.getByRole('alert').filter({ hasText: 'No se pudo cargar la lista' }).waitFor()
  await logged
  server.answers['GET /api/device-list'] = { body: bare }
  await page.getByRole('button', { name: 'Reintentar' }).click()
  await rowOf(page, 'alpha-1').waitFor()
  assert.equal(await page.getByRole('alert').count(), 0)
})

test('only an admin or a superadmin can use the Enabled checkbox', async (t) => {
  for (const [role, disabled] of [
    ['user', true],
    ['admin', false],
    ['superadmin', false],
  ] as const) {
    const page = await open(t, { url: server.url, role })
    await page.goto('/devices')
    const box = page.getByRole('checkbox', { name: 'Enabled drone-0001', exact: true })
    assert.equal(await box.isDisabled(), disabled, role)
  }
})

test('enabling flips the row at once and calls the server', async (t) => {
  // The first live connection would load the list again, which has the old value until the server answers.
  t.after(server.holdLive())
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  server.answers['POST /api/disable-device/*'] = async () => {
    await held
    return { body: {} }
  }
  const page = await open(t, { url: server.url })
  await page.goto('/devices')
  const box = page.getByRole('checkbox', { name: 'Enabled drone-0002', exact: true })
  await box.click()
  assert.equal(await box.isChecked(), false)
  release()
  await eventually(() =>
    assert.ok(server.asked.some(({ path }) => path === '/api/disable-device/drone-0002')),
  )
})

test('a refused change of Enabled reverts, is reported, and can be retried', async (t) => {
  const usual = server.answers['POST /api/disable-device/*']!
  server.answers['POST /api/disable-device/*'] = { status: 500 }
  const page = await open(t, { url: server.url })
  await page.goto('/devices')
  const box = page.getByRole('checkbox', { name: 'Enabled drone-0002', exact: true })
  await box.click()
  await page.getByText('No se pudo deshabilitar drone-0002').first().waitFor()
  assert.equal(await box.isChecked(), true)
  server.answers['POST /api/disable-device/*'] = usual
  await page.getByRole('button', { name: 'Reintentar' }).click()
  await eventually(async () => assert.equal(await box.isChecked(), false))
})

test('details show every field of the networks in their own region', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/devices')
  const toggle = rowOf(page, 'drone-0002').getByRole('button', { name: 'Details', exact: true })
  assert.equal(await toggle.getAttribute('aria-expanded'), 'false')
  await toggle.click()
  assert.equal(await toggle.getAttribute('aria-expanded'), 'true')
  const panel = page.getByRole('region', { name: 'Networks drone-0002', exact: true })
  await panel.getByText('ops-norte-5g').waitFor()
  const said = await panel.innerText()
  const { wifi, mobile } = exampleNetworks
  const values = [wifi, ...mobile.sims].flatMap((part) => Object.entries(part))
  for (const [name, value] of values) {
    if (name === 'captured_at') assert.match(said, /20\/11\/2026 21:31/)
    else if (name !== 'roaming') assert.ok(said.includes(String(value)), `${name} ${value}`)
  }
  assert.match(said, /-94/)
  assert.deepEqual(
    said.match(/Roaming\s+(Sí|No)/g)?.map((match) => match.slice(-2)),
    ['No', 'Sí'],
  )
  await page.reload()
  await panel.getByText('ops-norte-5g').waitFor()
  await toggle.click()
  await panel.waitFor({ state: 'detached' })
})

test('a device without a snapshot says that there is none', async (t) => {
  server.answers['GET /api/device/*/networks'] = { body: { wifi: null, mobile: null } }
  const page = await open(t, { url: server.url })
  await page.goto('/devices?open=drone-0001')
  const panel = page.getByRole('region', { name: 'Networks drone-0001' })
  await panel.getByText('Sin datos WiFi').waitFor()
  await panel.getByText('Sin datos móviles').waitFor()
})

for (const [what, answer] of [
  ['a failed call', { status: 500 }],
  ['an error flag', { body: { error: true } }],
] as const) {
  test(`networks that failed to load (${what}) show an error with a retry`, async (t) => {
    server.answers['GET /api/device/*/networks'] = answer
    const page = await open(t, { url: server.url })
    await page.goto('/devices?open=drone-0001')
    const panel = page.getByRole('region', { name: 'Networks drone-0001' })
    await panel.getByRole('alert').waitFor()
    server.answers['GET /api/device/*/networks'] = { body: [exampleNetworks] }
    await panel.getByRole('button', { name: 'Reintentar' }).click()
    await panel.getByText('ops-norte-5g').waitFor()
  })
}

test('a filter shows its devices and their count, and is kept in the address', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/devices')
  const away = server.devices.filter(({ status }) => status === 'disconnected')
  await page.getByRole('button', { name: `Desconectados ${away.length}` }).click()
  await page.waitForURL('**/devices?show=disconnected')
  await rowOf(page, 'drone-0001').waitFor({ state: 'detached' })
  assert.equal(await page.getByRole('table').getAttribute('aria-rowcount'), String(away.length + 1))
})

test('a column sorts in ascending order, then in descending order', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/devices')
  const heading = page.getByRole('columnheader', { name: 'UID' })
  await heading.getByRole('button').click()
  await heading.getByRole('button').click()
  await eventually(async () => assert.equal(await heading.getAttribute('aria-sort'), 'descending'))
  await eventually(async () => assert.match(await page.getByRole('row').nth(1).innerText(), /drone-0048/))
})

test('the keyboard searches, walks the rows, opens and closes them', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/devices')
  await rowOf(page, 'drone-0001').waitFor()
  for (const key of ['j', 'j', 'k', 'j', 'Enter']) await page.keyboard.press(key)
  await page.getByRole('region', { name: 'Networks drone-0002' }).waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await page.getByRole('region', { name: 'Networks drone-0003' }).waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('0048')
  await rowOf(page, 'drone-0048').waitFor()
  assert.equal(await page.getByPlaceholder('UID').inputValue(), '0048')
})

test('on a phone each device is a card that keeps its roles, labels and actions', async (t) => {
  const page = await open(t, { url: server.url, size: 'phone' })
  await page.goto('/devices')
  const row = rowOf(page, 'drone-0001')
  await row.getByRole('button', { name: 'Details', exact: true }).click()
  await page.getByRole('region', { name: 'Networks drone-0001' }).getByText('ops-norte-5g').waitFor()
  assert.equal(await page.getByRole('columnheader').count(), 7)
  for (const target of [
    row.getByRole('button', { name: 'Send SMS' }),
    row.getByRole('button', { name: 'Details' }),
  ]) {
    const box = await target.boundingBox()
    assert.ok(box && box.height >= 44, 'a finger can hit it')
  }
  await eventually(async () =>
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0),
  )
})

test('a device that is disabled stays so in lists that are loaded before the server has disabled it', async (t) => {
  const LIST = 'GET /api/device-list'
  const DISABLE = 'POST /api/disable-device/*'
  const disable = server.answers[DISABLE] as (asked: unknown) => { body: unknown }
  const called = Promise.withResolvers<void>()
  server.answers[DISABLE] = async (asked) => (await called.promise, disable(asked))
  const page = await open(t, { url: server.url })
  await page.goto('/devices')
  await page.getByText('En vivo').waitFor()
  const move = (location: string) => {
    server.devices = server.devices.map((one) => (one.uid === 'drone-0002' ? { ...one, location } : one))
    server.publish('/front/change', { changed: ['devices'] })
  }
  const isIn = (location: string) =>
    rowOf(page, 'drone-0002').getByRole('cell', { name: location, exact: true }).waitFor()
  const box = page.getByRole('checkbox', { name: 'Enabled drone-0002', exact: true })
  await box.click()
  move('Soria')
  await isIn('Soria')
  assert.equal(await box.isChecked(), false)
  const loads: PromiseWithResolvers<void>[] = []
  server.answers[LIST] = async () => {
    const body = { devices: server.devices }
    const held = Promise.withResolvers<void>()
    loads.push(held)
    await held.promise
    return { body }
  }
  move('Teruel')
  await eventually(() => assert.ok(loads.length > 0, 'it is loaded'))
  const before = loads.length
  server.devices = server.devices.map((one) =>
    one.uid === 'drone-0002' ? { ...one, location: 'Zamora' } : one,
  )
  called.resolve()
  await page.getByText('drone-0002 deshabilitado').waitFor()
  await eventually(() => assert.ok(loads.length > before, 'it is loaded again'))
  for (const held of loads) held.resolve()
  await isIn('Zamora')
  assert.equal(await box.isChecked(), false)
})
