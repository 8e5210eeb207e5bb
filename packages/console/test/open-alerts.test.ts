import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import type { Page } from 'playwright-core'
import type { Alert } from '@sdd/contract/outward/alerts.ts'
import { eventually, useBrowser } from './browser.ts'
import { exampleAlert } from './example-alerts.ts'
import { useExampleServer } from './example-server.ts'

const open = useBrowser()
const server = await useExampleServer()
let alerts: Alert[]

const device = (uid: string) => ({ kind: 'device', id: uid, name: null }) as const
const ago = (secs: number) => new Date(Date.now() - secs * 1_000).toISOString()

beforeEach(() => {
  alerts = [
    exampleAlert(2, { subject: device('drone-0002'), since: ago(300) }),
    exampleAlert(1, { subject: device('drone-0001'), since: ago(3_600) }),
  ]
  server.answers['GET /api/alerts'] = ({ query }) => ({
    body: {
      alerts: alerts.filter(({ resolved_at }) => (resolved_at === null) === (query.get('open') === 'true')),
      next_cursor: null,
    },
  })
  server.answers['POST /api/alerts/*/acknowledge'] = ({ path }) => {
    const id = Number(path.split('/')[3])
    change(id, { acknowledged_by: { id: 1, name: 'superadmin' }, acknowledged_at: ago(0) })
    return { body: alerts.find((one) => one.id === id) }
  }
})

function change(id: number, next: Partial<Alert>): void {
  alerts = alerts.map((alert) => (alert.id === id ? { ...alert, ...next } : alert))
}

function tell(): void {
  server.publish('/front/change', { changed: ['alerts'] })
}

async function withLive(page: Page, path: string): Promise<void> {
  await page.goto(path)
  await page.getByText('En vivo').waitFor()
}

const bell = (page: Page, count: number) =>
  page.getByRole('button', {
    name: count === 0 ? 'Alertas' : `Alertas: ${count} ${count === 1 ? 'abierta' : 'abiertas'}`,
    exact: true,
  })
const panel = (page: Page) => page.getByRole('dialog', { name: 'Alertas' })
const rows = (page: Page) => panel(page).getByRole('list', { name: 'Alertas' }).getByRole('listitem')

for (const [path, size] of [
  ['/devices', 'desktop'],
  ['/dashboard', 'phone'],
  ['/campaigns/new', 'phone'],
] as const) {
  test(`the bell of ${path} on a ${size} counts the open alerts and opens them, and Back closes them`, async (t) => {
    const page = await open(t, { url: server.url, size })
    await page.goto(path)
    await bell(page, 2).click()
    await page.waitForURL(`**${path}?alerts=open`)
    await panel(page).getByText('2 abiertas').waitFor()
    assert.deepEqual(await rows(page).locator('[data-opens]').allInnerTexts(), [
      'drone-0001 desconectado',
      'drone-0002 desconectado',
    ])
    await page.goBack()
    await panel(page).waitFor({ state: 'detached' })
    assert.equal(new URL(page.url()).pathname + new URL(page.url()).search, path)
  })
}

test('g a opens the alerts, j and k walk, e acknowledges, Enter goes to the cause', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/logs')
  await bell(page, 2).waitFor()
  await eventually(async () => {
    await page.keyboard.press('g')
    await page.keyboard.press('a')
    assert.equal(new URL(page.url()).search, '?alerts=open')
  })
  await rows(page).nth(1).waitFor()
  const close = panel(page).getByRole('button', { name: 'Cerrar', exact: true })
  await close.and(page.locator(':focus')).waitFor()
  const focused = () => page.evaluate(() => document.activeElement?.textContent)
  for (const key of ['j', 'j', 'k', 'j']) await page.keyboard.press(key)
  assert.equal(await focused(), 'drone-0002 desconectado')
  await page.keyboard.press('e')
  await rows(page).nth(1).getByText('Enterado: superadmin').waitFor()
  assert.equal(await focused(), 'drone-0002 desconectado')
  assert.equal(await rows(page).first().getByRole('button').count(), 1)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/devices/drone-0002')
  await panel(page).waitFor({ state: 'detached' })
})

test('Escape closes the alerts and gives the focus back to the bell', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/users')
  await bell(page, 2).click()
  await rows(page).first().waitFor()
  await panel(page).locator(':focus').waitFor()
  await page.keyboard.press('Escape')
  await panel(page).waitFor({ state: 'detached' })
  await eventually(async () =>
    assert.equal(await bell(page, 2).evaluate((button) => button === document.activeElement), true),
  )
})

test('all alerts are acknowledged with one press, each once', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/users?alerts=open')
  await panel(page).getByRole('button', { name: 'Enterado de todas' }).click()
  await eventually(async () => assert.equal(await rows(page).getByText('Enterado: superadmin').count(), 2))
  const posts = server.asked.filter(({ method }) => method === 'POST').map(({ path }) => path)
  assert.deepEqual(posts.toSorted(), ['/api/alerts/1/acknowledge', '/api/alerts/2/acknowledge'])
})

test('a refused acknowledgement says why, and the button stays', async (t) => {
  server.answers['POST /api/alerts/*/acknowledge'] = {
    status: 409,
    body: { detail: 'The alert 1 is resolved already.', code: 'alert_resolved' },
  }
  const page = await open(t, { url: server.url })
  await page.goto('/users?alerts=open')
  await panel(page).getByRole('button', { name: 'Enterado: drone-0001 desconectado' }).click()
  await panel(page).getByRole('alert').getByText('The alert 1 is resolved already.').waitFor()
  await panel(page).getByRole('button', { name: 'Enterado: drone-0001 desconectado' }).waitFor()
})

test('a new alert changes the badge and is read out once; it opens nothing', async (t) => {
  const page = await open(t, { url: server.url })
  await withLive(page, '/users')
  await bell(page, 2).waitFor()
  // The part that reads out is loaded by itself.
  await page.locator('output:empty:not(main *)').waitFor({ state: 'attached' })
  const said = page.getByRole('status').filter({ hasText: 'Alerta nueva' })
  assert.equal(await said.count(), 0)
  alerts = [exampleAlert(3, { subject: device('drone-0003'), since: ago(0) }), ...alerts]
  tell()
  await said.filter({ hasText: 'Alerta nueva: drone-0003 desconectado' }).waitFor({ state: 'attached' })
  await bell(page, 3).waitFor()
  assert.equal(await panel(page).count(), 0)
  const spoken = await said.locator('span').elementHandle()
  change(1, { resolved_at: ago(0) })
  tell()
  await bell(page, 2).waitFor()
  assert.equal(await spoken!.evaluate((span) => span.isConnected), true, 'it is not read out again')
})

test('an alert that is resolved keeps its place until the next opening, then it is among the resolved ones', async (t) => {
  const page = await open(t, { url: server.url })
  await withLive(page, '/users?alerts=open')
  await rows(page).nth(1).waitFor()
  change(1, { resolved_at: ago(0) })
  tell()
  await rows(page).first().getByText('Resuelta:').waitFor()
  await panel(page).getByText('1 abierta').waitFor()
  assert.equal(await rows(page).first().getByRole('button').count(), 0)
  await panel(page).getByRole('button', { name: 'Cerrar' }).click()
  // While it closes, the bell would close it too.
  await panel(page).waitFor({ state: 'detached' })
  await bell(page, 1).click()
  await panel(page).getByRole('region', { name: 'Resueltas' }).getByText('drone-0001 desconectado').waitFor()
  assert.equal(await rows(page).count(), 1)
})

test('devices that went away together are one alert, with the first five', async (t) => {
  const since = ago(60)
  alerts = Array.from({ length: 20 }, (_, n) =>
    exampleAlert(20 - n, { subject: device(`drone-00${String(20 - n).padStart(2, '0')}`), since }),
  )
  const page = await open(t, { url: server.url })
  await page.goto('/users')
  await bell(page, 1).click()
  await rows(page).getByText('20 dispositivos desconectados').waitFor()
  await rows(page).getByText('y 15 más').waitFor()
  await rows(page).getByRole('button', { name: 'Enterado' }).click()
  await rows(page).getByText('Enterado: superadmin').waitFor()
  assert.ok(alerts.every(({ acknowledged_at }) => acknowledged_at !== null))
})

test('without alerts the bell has no badge, and the list says when the last one was', async (t) => {
  alerts = [exampleAlert(1, { since: ago(300_000), resolved_at: ago(3 * 86_400) })]
  const page = await open(t, { url: server.url })
  await page.goto('/users')
  await bell(page, 0).click()
  await panel(page).getByText('Nada abierto. La última, hace 3 días.').waitFor()
})

test('without any rule the list says that nothing is watched', async (t) => {
  alerts = []
  server.answers['GET /api/alert-rules'] = { body: { alert_rules: [] } }
  const page = await open(t, { url: server.url })
  await page.goto('/users')
  await bell(page, 0).click()
  await panel(page).getByText('Todavía no se vigila nada: añada una regla.').waitFor()
})

test('a failed load of the alerts says so, and a retry shows them', async (t) => {
  const usual = server.answers['GET /api/alerts']!
  server.answers['GET /api/alerts'] = { status: 400, body: { detail: 'no' } }
  const page = await open(t, { url: server.url })
  await page.goto('/users?alerts=open')
  const failure = panel(page).getByRole('alert').filter({ hasText: 'No se pudieron cargar las alertas.' })
  await failure.waitFor()
  server.answers['GET /api/alerts'] = usual
  await failure.getByRole('button', { name: 'Reintentar' }).click()
  await rows(page).nth(1).waitFor()
  await failure.waitFor({ state: 'detached' })
})

test('a user sees and acknowledges alerts, without channels and rules', async (t) => {
  alerts = [exampleAlert(1, { since: ago(300), said_at: ago(200) })]
  const page = await open(t, { url: server.url, role: 'user' })
  await page.goto('/devices?alerts=open')
  await rows(page)
    .getByText(/^Avisado: /)
    .waitFor()
  assert.equal(await panel(page).getByRole('link', { name: 'Reglas' }).count(), 0)
  await rows(page).getByRole('button', { name: 'Enterado' }).click()
  await rows(page).getByText('Enterado: superadmin').waitFor()
  assert.deepEqual(
    server.asked.filter(({ path }) => path === '/api/alert-channels'),
    [],
  )
})

test('the alert of a SIM leads to the device that has it', async (t) => {
  const iccid = '8934071100000000001'
  alerts = [
    exampleAlert(1, {
      rule: { id: 4, condition: 'balance_low', value: 2.5 },
      subject: { kind: 'sim', id: iccid, name: '+34600111222' },
      detail_params: { amount: 0.85, currency: 'EUR' },
    }),
  ]
  server.answers['GET /api/sims'] = {
    body: {
      sims: [
        {
          iccid,
          company_id: 1,
          number: '+34600111222',
          operator: null,
          device_uid: 'drone-0002',
          plan: null,
          used: { parts: 0, recipients: 0, since: ago(9), until: ago(0) },
          balance: null,
          balance_query: null,
          credit_gone_at: null,
          note: null,
        },
      ],
    },
  }
  const page = await open(t, { url: server.url })
  await page.goto('/users?alerts=open')
  await rows(page).getByText('0,85 EUR').waitFor()
  await rows(page)
    .getByRole('link', { name: `Saldo bajo: SIM +34600111222 (${iccid})` })
    .click()
  await page.waitForURL('**/devices/drone-0002')
})

test('an alert that opens before its announcer is loaded is read out', async (t) => {
  const page = await open(t, { url: server.url })
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await page.route('**/assets/alert-watch-*.js', async (route) => {
    await released
    await route.continue()
  })
  await withLive(page, '/users')
  await bell(page, 2).waitFor()
  alerts = [exampleAlert(3, { subject: device('drone-0003'), since: ago(0) }), ...alerts]
  tell()
  await bell(page, 3).waitFor()
  release()
  await page
    .getByRole('status')
    .filter({ hasText: 'Alerta nueva: drone-0003 desconectado' })
    .waitFor({ state: 'attached' })
})
