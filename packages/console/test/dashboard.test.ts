import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Dashboard } from '@sdd/contract/insight/dashboard.ts'
import { messageStates, type MessageState } from '@sdd/contract/messages/messages.ts'
import type { Page } from 'playwright-core'
import { eventually, useBrowser } from './browser.ts'
import { exampleDashboard } from './example-dashboard.ts'
import { useExampleServer } from './example-server.ts'
import { exampleLog, NOW } from './examples.ts'

const open = useBrowser()
const server = await useExampleServer()

const NONE = Object.fromEntries(messageStates.map((state) => [state, 0])) as Record<MessageState, number>

function serve(change: Partial<Dashboard>): void {
  server.answers['GET /api/dashboard'] = { body: { ...exampleDashboard(), ...change } }
}

function loads(): number {
  return server.asked.filter(({ path }) => path === '/api/dashboard').length
}

/** When the page began each load, in ms since it was opened. */
function startsOfLoads(page: Page): Promise<number[]> {
  return page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .filter(({ name }) => new URL(name).pathname === '/api/dashboard')
      .map(({ startTime }) => startTime),
  )
}

function part(page: Page, name: string) {
  return page.getByRole('region', { name, exact: true })
}

/** Path and parameters of a link. */
async function target(page: Page, region: string, link: string | RegExp): Promise<string> {
  const href = await part(page, region).getByRole('link', { name: link }).first().getAttribute('href')
  return decodeURIComponent(href ?? '')
}

test("the figures of today come first, each with yesterday's value or its cause", async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/dashboard')
  const figures = part(page, 'Cifras de hoy')
  await figures.waitFor()
  const said = (await figures.innerText()).replace(/\s+/g, ' ')
  const { hours } = exampleDashboard()
  const total = hours
    .slice(-22)
    .flatMap(({ states }) => Object.values(states))
    .reduce((sum, count) => sum + count, 0)
  assert.match(said.replaceAll(' ', ''), new RegExp(`Mensajeshoy${total}Mensajeshoy`))
  assert.match(said, /Entregados \d\d(,\d)? % .*pt que ayer a esta hora/)
  assert.match(said, /Fallidos hoy .*más desde las 20:00/)
  assert.match(said, /En espera 312 .*el 95 % en menos de 4,2 s/)
  assert.match(said, /Conectados 231 .*de 248 17 desconectados/)
})

test('every figure links to the list that it counts', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/dashboard')
  const today = '2026-11-20T00:00'
  const wanted = [
    ['Cifras de hoy', /Mensajes hoy/, `/logs?from=${today}`],
    ['Cifras de hoy', /Entregados/, `/logs?state=delivered,replied&from=${today}`],
    ['Cifras de hoy', /Fallidos hoy/, `/logs?state=failed,uncertain,expired&from=${today}`],
    ['Cifras de hoy', /En espera/, '/logs?state=queued'],
    ['Cifras de hoy', /Conectados/, '/devices?show=connected'],
    ['Cifras de hoy', '17 desconectados', '/devices?show=disconnected'],
    ['Qué espera y por qué', 'Dispositivo desconectado', '/devices?show=disconnected'],
    ['Qué espera y por qué', 'Límite diario alcanzado', '/logs?state=queued'],
    [
      'Causas de fallo',
      'Sin red',
      `/logs?error=no_network&view=errors&state=failed,uncertain,expired&from=${today}`,
    ],
    ['Por dispositivo', 'drone-0005', `/logs?device_uid=drone-0005&from=${today}`],
    [
      'Por dispositivo',
      /Fallidos drone-0005/,
      `/logs?device_uid=drone-0005&state=failed,uncertain,expired&from=${today}`,
    ],
    ['Límite diario casi agotado', 'drone-0016', '/devices?search=drone-0016&open=drone-0016'],
    ['Tiempos', 'Hasta el dispositivo', '/logs?view=times&from=2026-11-19T21:32'],
    ['Requieren atención', /14 dispositivos desconectados hace más de 1 h/, '/devices?show=disconnected'],
    ['Disponibilidad por operador', 'Orange', '/devices?carrier=Orange'],
    [
      'Requieren atención',
      /drone-0005/,
      `/logs?device_uid=drone-0005&state=failed,uncertain,expired&from=${today}`,
    ],
  ] as const
  await part(page, 'Cifras de hoy').waitFor()
  for (const [region, link, href] of wanted) assert.equal(await target(page, region, link), href)
})

test('a figure of several states opens exactly the rows that it counts', async (t) => {
  server.logs = (['failed', 'delivered', 'uncertain', 'queued', 'expired', 'cancelled'] as const).map(
    (state, n) => exampleLog(9 - n, state, 48),
  )
  const page = await open(t, { url: server.url })
  await page.goto('/dashboard')
  await part(page, 'Cifras de hoy')
    .getByRole('link', { name: /Fallidos hoy/ })
    .click()
  await page.getByText('Estado: Fallido, Incierto, Caducado', { exact: true }).waitFor()
  await eventually(async () => {
    const asked = server.asked.findLast(({ path }) => path === '/api/logs/devices')
    assert.equal(asked?.query.get('state'), 'failed,uncertain,expired')
    const shown = await page
      .locator('tr[data-state]')
      .evaluateAll((rows) => rows.map((row) => row.getAttribute('data-state')))
    assert.deepEqual(shown, ['failed', 'uncertain', 'expired'])
  })
})

test('an hour of the chart links to its messages, by pointer and by the table', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/dashboard')
  const chart = part(page, 'SMS por hora')
  await chart.getByText('Ver como tabla').click()
  const row = chart.getByRole('row').filter({ has: page.getByRole('link', { name: '16:00' }) })
  const failed = exampleDashboard().hours.at(-6)?.states.failed ?? 0
  assert.match((await row.innerText()).replace(/[ \u202f]/g, ''), new RegExp(`\\b${failed + (42 % 3)}\\b`))
  await row.getByRole('link', { name: '16:00' }).click()
  await page.waitForURL(/\/logs\?from=2026-11-20T16%3A00&to=2026-11-20T17%3A00$/)
  await page.goBack()
  await chart.locator('a').nth(18).click()
  await page.waitForURL(/\/logs\?from=2026-11-20T16%3A00&to=2026-11-20T17%3A00$/)
})

test('each problem is listed with its button; without problems the list says so', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/dashboard')
  const list = part(page, 'Requieren atención')
  await list.getByText('204 mensajes esperan en 9 dispositivos').waitFor()
  await list.getByRole('link', { name: 'Registros: Fallos desde las 20:00' }).waitFor()
  await list.getByRole('link', { name: 'Dispositivos: Dispositivo desconectado' }).click()
  await page.getByRole('button', { name: 'Desconectados', pressed: true }).waitFor()
  const hours = exampleDashboard().hours.map((hour) => ({ ...hour, states: { ...hour.states, failed: 0 } }))
  serve({ hours, waiting: [], by_device: [], connected: [], away: { count: 0, devices: [] } })
  await page.goto('/dashboard')
  await list.getByText('Nada requiere atención.').waitFor()
})

test('devices that are away for long are counted, and the longest three are named with the time they left', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/dashboard')
  const list = part(page, 'Requieren atención')
  const named = 'drone-0003 desde 16/11 17:32, drone-0020 desde 17/11 02:32, drone-0037 desde 17/11 11:32'
  await list.getByText(`${named} y 11 más`).waitFor()
  serve({ away: { count: 1, devices: [{ device_uid: 'drone-0003', since: '2026-11-16T17:32:07.000Z' }] } })
  await page.goto('/dashboard')
  await list.getByText('Un dispositivo desconectado hace más de 1 h').waitFor()
  await list.getByText('drone-0003 desde 16/11 17:32', { exact: true }).waitFor()
})

test('problems come first at full width, and every box is as high as its text', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/dashboard')
  const boxOf = async (name: string) => (await part(page, name).boundingBox())!
  await part(page, 'Requieren atención').waitFor()
  const [attention, figures] = [await boxOf('Requieren atención'), await boxOf('Cifras de hoy')]
  assert.ok(attention.y < figures.y)
  assert.equal(attention.width, figures.width)
  for (const name of [
    'Qué espera y por qué',
    'Tiempos',
    'Límite diario casi agotado',
    'Disponibilidad por operador',
  ]) {
    const spare = await part(page, name).evaluate((box) => {
      const last = box.lastElementChild!.getBoundingClientRect().bottom
      return box.getBoundingClientRect().bottom - last
    })
    assert.ok(spare < 24, `${name} has ${spare} px below its text`)
  }
})

test('failed messages differ from delivered ones without colour', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/dashboard')
  const chart = part(page, 'SMS por hora')
  await chart.waitFor()
  assert.equal(await chart.locator('svg pattern').count(), 1)
  const striped = await chart.locator('svg path[fill^="url("]').evaluate((path) => {
    const { width, height } = (path as SVGPathElement).getBBox()
    return { width, height }
  })
  assert.ok(striped.width > 100 && striped.height > 5, JSON.stringify(striped))
})

test('a change reloads the dashboard at once, many changes at most every two seconds', async (t) => {
  const goLive = server.holdLive()
  t.after(goLive)
  const page = await open(t, { url: server.url })
  server.asked.length = 0
  await page.goto('/dashboard')
  await part(page, 'Cifras de hoy').waitFor()
  goLive()
  await page.getByText('En vivo').waitFor()
  // The first connection repeats the load. Then the screen rests.
  await eventually(() => assert.equal(loads(), 2))
  await new Promise((rested) => setTimeout(rested, 2_500))
  const before = loads()
  serve({ devices: { total: 248, connected: 247, disconnected: 1, disabled: 0 } })
  for (let n = 0; n < 20; n++) {
    server.publish('/front/change', { changed: ['logs'] })
    await new Promise((rested) => setTimeout(rested, 50))
  }
  await part(page, 'Cifras de hoy').getByText('1 desconectado').waitFor()
  // By the clock of the page: on a slow machine, twenty changes take longer than a pause.
  await eventually(async () => {
    const starts = (await startsOfLoads(page)).slice(before)
    assert.ok(starts.length >= 2)
    const pauses = starts.slice(1).map((at, n) => at - starts[n]!)
    assert.ok(
      pauses.every((pause) => pause >= 2_000),
      `pauses of ${pauses.join(', ')} ms`,
    )
  })
})

test('a failed load is reported with a retry, and loaded figures stay', async (t) => {
  const page = await open(t, { url: server.url })
  server.answers['GET /api/dashboard'] = { status: 500 }
  await page.goto('/dashboard')
  const alert = page.getByRole('alert').filter({ hasText: 'No se pudieron cargar las cifras.' })
  await alert.waitFor()
  serve({})
  await alert.getByRole('button', { name: 'Reintentar' }).click()
  await part(page, 'Cifras de hoy').waitFor()
  assert.equal(await alert.count(), 0)
  await eventually(() => assert.equal(server.listeners(), 1))
  server.answers['GET /api/dashboard'] = { status: 503 }
  server.publish('/front/change', { changed: ['logs'] })
  await alert.filter({ hasText: 'Se muestran las últimas' }).waitFor()
  await part(page, 'Cifras de hoy').waitFor()
})

for (const [what, answer] of [
  ['no such route', { status: 404 }],
  ['another page there', { body: '<html>' }],
] as const) {
  test(`a server with ${what} shows the heading and a quiet sentence`, async (t) => {
    const page = await open(t, { url: server.url })
    server.answers['GET /api/dashboard'] = answer
    await page.goto('/dashboard')
    await page.getByText('Este servidor no lleva la cuenta').waitFor()
    await page.getByRole('heading', { level: 1, name: 'Dashboard', exact: true }).waitFor()
    assert.equal(await page.getByRole('alert').count(), 0)
    await eventually(() => assert.equal(server.listeners(), 1))
    const asked = loads()
    server.publish('/front/change', { changed: ['logs'] })
    await new Promise((rested) => setTimeout(rested, 300))
    assert.equal(loads(), asked, 'it is not asked again')
  })
}

test('a load that failed is repeated by a person, not by the first live connection', async (t) => {
  const goLive = server.holdLive()
  t.after(goLive)
  server.answers['GET /api/dashboard'] = { status: 500 }
  const page = await open(t, { url: server.url })
  await page.goto('/dashboard')
  const alert = page.getByRole('alert').filter({ hasText: 'No se pudieron cargar las cifras.' })
  await alert.waitFor()
  const before = loads()
  goLive()
  await page.getByText('En vivo').waitFor()
  serve({})
  await alert.getByRole('button', { name: 'Reintentar' }).click()
  await part(page, 'Cifras de hoy').waitFor()
  assert.equal(loads(), before + 1)
})

test('a new installation shows the first step', async (t) => {
  const page = await open(t, { url: server.url })
  serve({ devices: { total: 0, connected: 0, disconnected: 0, disabled: 0 } })
  await page.goto('/dashboard')
  await page.getByRole('heading', { name: 'Todavía no hay dispositivos' }).waitFor()
  await page.getByRole('link', { name: 'Link device' }).click()
  await page.getByRole('dialog', { name: 'Link device' }).waitFor()
  const user = await open(t, { url: server.url, role: 'user' })
  await user.goto('/dashboard')
  await user.getByRole('link', { name: 'Dispositivos' }).waitFor()
  assert.equal(await user.getByRole('link', { name: 'Link device' }).count(), 0)
})

test('before the first sample the chart shows the currently connected devices', async (t) => {
  const page = await open(t, { url: server.url })
  serve({ devices: { total: 3, connected: 2, disconnected: 1, disabled: 0 }, connected: [] })
  await page.goto('/dashboard')
  const picture = part(page, 'Cifras de hoy').getByRole('img', { name: /^Dispositivos conectados/ })
  await picture.waitFor()
  assert.match((await picture.getAttribute('aria-label')) ?? '', /entre 2 y 2$/)
  const widths = await picture
    .locator('path')
    .evaluateAll((paths) => paths.map((path) => (path as SVGPathElement).getBBox().width))
  assert.deepEqual(widths, [100, 100, 100])
})

test('placeholder panels have the size of the loaded ones', async (t) => {
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  server.answers['GET /api/dashboard'] = async () => {
    await held
    return { body: exampleDashboard() }
  }
  const page = await open(t, { url: server.url })
  await page.goto('/dashboard')
  const skeleton = page.locator('main [aria-busy=true] > div').first()
  const before = await skeleton.boundingBox()
  release()
  const figures = part(page, 'Cifras de hoy')
  await figures.waitFor()
  const after = await figures.boundingBox()
  assert.ok(Math.abs((before?.height ?? 0) - (after?.height ?? 0)) < 12)
})

test('on a phone the dashboard is one column that fits the width', async (t) => {
  const page = await open(t, { url: server.url, size: 'phone' })
  await page.goto('/dashboard')
  await part(page, 'Por dispositivo').waitFor()
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
  assert.equal(overflow, 0)
  const [first, second] = await Promise.all(
    ['Qué espera y por qué', 'Causas de fallo'].map((name) => part(page, name).boundingBox()),
  )
  assert.equal(first?.x, second?.x)
})

test('a superadmin chooses seven days, and one company, and both are kept in the address', async (t) => {
  const hours = Array.from({ length: 192 }, (_, n) => {
    const at = new Date(Math.floor(NOW / 3_600_000) * 3_600_000 - (191 - n) * 3_600_000)
    return {
      ...exampleDashboard().hours[0]!,
      hour: at.toISOString(),
      states: { ...NONE, delivered: 1, failed: 1 },
    }
  })
  server.answers['GET /api/dashboard'] = ({ query }) => ({
    body: { ...exampleDashboard(), ...(query.get('hours') === '192' && { hours }) },
  })
  const page = await open(t, { url: server.url })
  await page.goto('/dashboard')
  await part(page, 'SMS por hora').getByRole('button', { name: '7 días' }).click()
  const chart = part(page, 'SMS por día')
  await chart.getByText('Ver como tabla').click()
  const table = chart.getByRole('table')
  assert.equal(await table.getByRole('row').count(), 8)
  assert.match(await table.getByRole('row').nth(1).innerText(), /^14\/11\s+48\s/)
  assert.match(await table.getByRole('row').last().innerText(), /^20\/11\s+44\s/)
  const first = table.getByRole('link').first()
  assert.equal(
    decodeURIComponent((await first.getAttribute('href')) ?? ''),
    '/logs?from=2026-11-14T00:00&to=2026-11-15T00:00',
  )
  await page.getByRole('combobox', { name: 'Empresa' }).selectOption('2')
  await page.getByText('Las listas a las que llevan muestran todas.').waitFor()
  await page.waitForURL('**/dashboard?range=week&company=2')
  await eventually(() =>
    assert.deepEqual(
      server.asked.findLast(({ path }) => path === '/api/dashboard')?.query.toString(),
      'hours=192&company=2',
    ),
  )
})

test('problems beyond the ninth are counted, and shown on request', async (t) => {
  const by_device = Array.from({ length: 12 }, (_, n) => ({
    device_uid: `drone-${n}`,
    sent: 900,
    delivered: 400,
    failed: 500,
  }))
  serve({ waiting: [], connected: [], away: { count: 0, devices: [] }, by_device })
  const page = await open(t, { url: server.url })
  await page.goto('/dashboard')
  const list = part(page, 'Requieren atención')
  const entries = list.getByRole('listitem')
  await entries.nth(8).waitFor()
  assert.equal(await entries.count(), 9)
  await list.getByRole('button', { name: /^Mostrar \d más$/ }).click()
  await list.getByText('drone-11', { exact: true }).waitFor()
  await list.getByRole('button', { name: 'Mostrar menos' }).click()
  await eventually(async () => assert.equal(await entries.count(), 9))
})
