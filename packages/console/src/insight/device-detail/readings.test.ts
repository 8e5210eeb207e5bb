import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TelemetryPoint } from '@sdd/contract/fleet/telemetry.ts'
import { absencesOf, domainOf, partsOf, periodOf, spotAt, ticksOf } from './readings.ts'

const NOW = new Date(2026, 10, 24, 12, 15).getTime()
const MINUTE_MS = 60_000

function point(minutes: number, values: Partial<TelemetryPoint>): TelemetryPoint {
  return {
    at: new Date(NOW + minutes * MINUTE_MS).toISOString(),
    battery: null,
    charging: null,
    temperature: null,
    disk_free_mb: null,
    signal_dbm: null,
    ...values,
  }
}

test('the axis covers whole hours or days, so it stays while new points come', () => {
  const later = NOW + 40 * MINUTE_MS
  assert.deepEqual(periodOf('24h', NOW), periodOf('24h', later))
  assert.deepEqual(periodOf('24h', NOW), {
    from: new Date(2026, 10, 23, 13).getTime(),
    to: new Date(2026, 10, 24, 13).getTime(),
  })
  assert.deepEqual(periodOf('7d', NOW), {
    from: new Date(2026, 10, 18).getTime(),
    to: new Date(2026, 10, 25).getTime(),
  })
  assert.equal(periodOf('30d', NOW).from, new Date(2026, 9, 26).getTime())
})

test('times are named each fourth hour, each day, or each seventh day', () => {
  assert.equal(ticksOf('24h', periodOf('24h', NOW)).length, 6)
  const week = ticksOf('7d', periodOf('7d', NOW))
  assert.deepEqual([week.length, week[6]], [7, new Date(2026, 10, 24).getTime()])
  assert.equal(ticksOf('30d', periodOf('30d', NOW)).length, 5)
})

test('a line breaks at a slot without a reading, and never bridges a gap', () => {
  const points = [
    point(0, { battery: 90 }),
    point(5, { battery: 88 }),
    point(10, { temperature: 30 }),
    point(15, { battery: 86 }),
    point(30, { battery: 80 }),
  ]
  assert.deepEqual(
    partsOf(points, 'battery').map((part) => part.map(({ value }) => value)),
    [[90, 88], [86], [80]],
  )
  assert.deepEqual(partsOf(points, 'signal_dbm'), [])
})

test('an axis keeps its usual range, and grows in tens for values beyond it', () => {
  assert.deepEqual(domainOf('signal_dbm', [-90, -88]), [-115, -75])
  assert.deepEqual(domainOf('signal_dbm', [-121, -52]), [-130, -50])
  assert.deepEqual(domainOf('temperature', [-3, 30]), [-10, 50])
})

test('only absences are marked, cut to the period', () => {
  const period = periodOf('24h', NOW)
  const iso = (ms: number) => new Date(ms).toISOString()
  const presence = [
    { from: iso(period.from - 1), to: iso(period.from + 10), state: 'disconnected' as const },
    { from: iso(period.from + 10), to: iso(period.from + 20), state: 'unknown' as const },
    { from: iso(period.from + 20), to: iso(NOW), state: 'connected' as const },
  ]
  assert.deepEqual(absencesOf(presence, period), [{ from: period.from, to: period.from + 10 }])
})

test('the cursor finds the value at its time, and none in a gap', () => {
  const period = periodOf('24h', NOW)
  const parts = partsOf([point(0, { battery: 90 }), point(5, { battery: 88 })], 'battery')
  assert.equal(spotAt(parts, NOW + 4 * MINUTE_MS, period)?.value, 88)
  assert.equal(spotAt(parts, NOW - 60 * MINUTE_MS, period), undefined)
})
