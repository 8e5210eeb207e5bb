import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Dashboard, DashboardHour } from '@sdd/contract/insight/dashboard.ts'
import { messageStates } from '@sdd/contract/messages/messages.ts'
import { concernsOf } from './attention.ts'
import { deliveredShare, figuresOf } from './figures.ts'

const HOUR_MS = 3_600_000
/** A quarter past ten in the morning, in any time zone. */
const NOW = new Date(2026, 10, 20, 10, 15).getTime()

function hour(from: number, states: Partial<DashboardHour['states']>): DashboardHour {
  const none = Object.fromEntries(messageStates.map((state) => [state, 0]))
  return {
    hour: new Date(from).toISOString(),
    states: { ...none, ...states } as DashboardHour['states'],
  }
}

/** 48 hours with the given states; `n` counts back from the current hour. */
function dashboard(
  states: (n: number) => Partial<DashboardHour['states']>,
  rest: Partial<Dashboard> = {},
): Dashboard {
  const start = NOW - 15 * 60_000
  return {
    at: new Date(NOW).toISOString(),
    devices: { total: 10, connected: 10, disconnected: 0, disabled: 0 },
    connected: [],
    carriers: [],
    away: { count: 0, devices: [] },
    hours: Array.from({ length: 48 }, (_, n) => hour(start - (47 - n) * HOUR_MS, states(47 - n))),
    times: { handover: { p50_secs: null, p95_secs: null }, delivery: { p50_secs: null, p95_secs: null } },
    by_device: [],
    failures: [],
    waiting: [],
    limits: [],
    ...rest,
  }
}

test('today counts since midnight, yesterday until the same time of day', () => {
  const { today, yesterday } = figuresOf(dashboard((n) => ({ delivered: n < 24 ? 100 : 40 })))
  assert.equal(today.total, 1100)
  assert.equal(yesterday.total, 10 * 40 + 10, 'a quarter of its eleventh hour')
})

test('the delivered share is of ended messages; waiting and cancelled messages do not count', () => {
  const { today } = figuresOf(
    dashboard((n) =>
      n === 0 ? { delivered: 6, replied: 2, failed: 1, sent: 1, queued: 90, cancelled: 9 } : {},
    ),
  )
  assert.equal(deliveredShare(today), 0.8)
  assert.equal(deliveredShare(figuresOf(dashboard(() => ({}))).today), undefined)
})

test('a surge starts when far more than usual fails, and ends when that stops', () => {
  const failing = (n: number) => (n < 3 ? { delivered: 80, failed: 20 } : { delivered: 199, failed: 1 })
  const { surge } = figuresOf(dashboard(failing))
  assert.equal(surge?.since, NOW - 15 * 60_000 - 2 * HOUR_MS)
  assert.equal(surge.share, 0.2)
  assert.equal(figuresOf(dashboard((n) => failing(n === 5 ? 0 : 9))).surge, undefined)
  assert.equal(
    figuresOf(dashboard(() => ({ delivered: 80, failed: 20 }))).surge,
    undefined,
    'constant failures are usual',
  )
  assert.equal(figuresOf(dashboard((n) => (n === 0 ? { failed: 2 } : {}))).surge, undefined, 'too few')
})

test('an hour with too few messages does not hide the surge before it', () => {
  const { surge } = figuresOf(
    dashboard((n) =>
      n === 0 ? { delivered: 1 } : n === 1 ? { delivered: 50, failed: 50 } : { delivered: 99 },
    ),
  )
  assert.equal(surge?.since, NOW - 15 * 60_000 - HOUR_MS)
})

test('attention lists problems that somebody must solve, the worst first, and leaves out those that resolve by themselves', () => {
  const sample = { at: new Date(NOW - 60_000).toISOString(), connected: 10, total: 10 }
  const busy = dashboard(() => ({}), {
    devices: { total: 10, connected: 8, disconnected: 2, disabled: 0 },
    connected: [sample],
    waiting: [
      { reason: 'daily_limit', count: 4, devices: 1 },
      { reason: 'device_offline', count: 1, devices: 1 },
      { reason: 'pacing', count: 90, devices: 9 },
    ],
    by_device: [
      { device_uid: 'bad-1', sent: 10, delivered: 9, failed: 10 },
      { device_uid: 'few-2', sent: 0, delivered: 0, failed: 4 },
      { device_uid: 'good-3', sent: 100, delivered: 100, failed: 5 },
    ],
  })
  assert.deepEqual(
    concernsOf(busy, figuresOf(busy)).map(({ tone, title, detail }) => [tone, title, detail]),
    [
      ['bad', 'Dispositivo desconectado', '1 mensaje espera en 1 dispositivo'],
      ['bad', '2 dispositivos menos', 'De 10 conectados en la última hora quedan 8'],
      ['warn', 'Límite diario alcanzado', '4 mensajes esperan en 1 dispositivo'],
      ['warn', 'bad-1', '50\u202f% de fallos hoy, 10 mensajes'],
    ],
  )
})
