import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import type { Order } from '@sdd/contract/fleet/orders.ts'
import { eventually, useBrowser } from './browser.ts'
import { exampleAlert } from './example-alerts.ts'
import { exampleDetail, exampleOrders } from './example-device.ts'
import { useExampleServer } from './example-server.ts'
import { exampleDevices } from './examples.ts'

const open = useBrowser()
const server = await useExampleServer()
let orders: Order[]
beforeEach(() => {
  server.devices = exampleDevices(6)
  orders = []
  server.answers['GET /api/device/*/orders'] = () => ({ body: { orders, next_cursor: null } })
  server.answers['POST /api/sims/*/balance'] = () => {
    const at = new Date().toISOString()
    const given = { state: 'given', ok: null, output: null, answered_at: null } as const
    orders = [{ ...exampleOrders()[0]!, id: 9, what: 'ussd', at, ...given }]
    return { status: 202, body: { order: 9 } }
  }
  server.answers['POST /api/sims/*'] = () => ({ body: exampleDetail(server.devices[1]!).sims[0] })
})

test('a SIM shows its plan in amber when it is nearly used up, and asks for its balance', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/devices/drone-0002')
  const sim = page.getByRole('region', { name: /^SIM 1/ })
  await sim.getByText('1870 de 2000').waitFor()
  assert.match((await sim.getByText('1870 de 2000').getAttribute('class')) ?? '', /text-warn/)
  assert.doesNotMatch((await sim.getByText('212 de 500').getAttribute('class')) ?? '', /text-warn/)
  await sim.getByText('3,50 €').waitFor()
  await sim.getByText(/^31\/12\/2026/).waitFor()
  await eventually(() => assert.equal(server.listeners(), 1))
  await sim.getByRole('button', { name: 'Pedir' }).click()
  await sim.getByText('Preguntando…').waitFor()
  orders = orders.map((order) => ({ ...order, state: 'answered', ok: true, output: 'Sin datos' }))
  server.publish('/front/change', { changed: ['devices'] })
  await sim.getByText('No se encontró el saldo en la respuesta: «Sin datos»').waitFor()
  await sim.getByRole('button', { name: 'Pedir' }).waitFor()
})

test('the balance of a SIM is amber while an alert about it is open', async (t) => {
  const { iccid, number } = exampleDetail(server.devices[1]!).sims[0]!
  let alerts = [
    exampleAlert(1, {
      rule: { id: 4, condition: 'balance_low', value: 5 },
      subject: { kind: 'sim', id: iccid!, name: number },
      detail_params: { amount: 3.5, currency: 'EUR' },
    }),
  ]
  server.answers['GET /api/alerts'] = () => ({ body: { alerts, next_cursor: null } })
  const page = await open(t, { url: server.url })
  await page.goto('/devices/drone-0002')
  const balance = page.getByRole('region', { name: /^SIM 1/ }).getByText('3,50 €')
  const look = () => balance.getAttribute('class')
  await eventually(async () => assert.match((await look()) ?? '', /text-warn/))
  await eventually(() => assert.equal(server.listeners(), 1))
  alerts = []
  server.publish('/front/change', { changed: ['alerts'] })
  await eventually(async () => assert.doesNotMatch((await look()) ?? '', /text-warn/))
})

test('the plan and the balance query of a SIM are edited, and wrong values are told under their fields', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/devices/drone-0002')
  await page
    .getByRole('region', { name: /^SIM 1/ })
    .getByRole('button', { name: 'Editar' })
    .click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('SMS al mes').fill('3.000')
  await dialog.getByLabel('Parte de la respuesta').fill('Saldo')
  await dialog.getByRole('button', { name: 'Guardar' }).click()
  await dialog.getByText('Escriba un número entero de 0 a 1000000.').waitFor()
  await dialog.getByText('Debe tener {amount} una vez.').waitFor()
  await dialog.getByLabel('SMS al mes').fill('1000')
  await dialog.getByLabel('Destinatarios distintos al mes').fill('')
  await dialog.getByLabel('Parte de la respuesta').fill('Saldo {amount}')
  await dialog.getByRole('button', { name: 'Guardar' }).click()
  await page.getByText('SIM guardada').waitFor()
  const saved = server.asked.find(({ method, path }) => method === 'POST' && path.startsWith('/api/sims/'))
  const { plan, balance_query, ...rest } = JSON.parse(saved!.body) as Record<string, unknown>
  assert.deepEqual(plan, {
    parts_per_month: 1000,
    recipients_per_month: null,
    renews_on_day: 1,
    valid_until: '2026-12-31',
  })
  assert.deepEqual(balance_query, {
    code: '*100#',
    pattern: 'Saldo {amount}',
    currency: 'EUR',
    every_hours: 24,
  })
  assert.deepEqual(rest, {})
})

test('a code that may do more than ask is confirmed, whatever blanks surround it', async (t) => {
  const page = await open(t, { url: server.url })
  await page.goto('/devices/drone-0002')
  await page
    .getByRole('region', { name: /^SIM 1/ })
    .getByRole('button', { name: 'Editar' })
    .click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Código', { exact: true }).fill('*21*600111222# ')
  await dialog.getByLabel(/^Repita el código/).fill('*21*600111222#')
  await dialog.getByRole('button', { name: 'Guardar' }).click()
  await page.getByText('SIM guardada').waitFor()
  const saved = server.asked.find(({ method, path }) => method === 'POST' && path.startsWith('/api/sims/'))
  const { balance_query } = JSON.parse(saved!.body) as { balance_query: Record<string, unknown> }
  assert.equal(balance_query['code'], '*21*600111222#')
  assert.equal(balance_query['confirm'], '*21*600111222#')
})
