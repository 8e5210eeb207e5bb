import assert from 'node:assert/strict'
import { test } from 'node:test'
import { spanOf } from './period.ts'

const now = new Date(2026, 10, 24, 13, 30).getTime()
const local = (...parts: [number, number, number, number?, number?, number?, number?]) =>
  new Date(...parts).toISOString()

test('a period covers whole days of the browser', () => {
  assert.deepEqual(spanOf({ period: 'today' }, now), { from: local(2026, 10, 24), to: undefined })
  assert.deepEqual(spanOf({ period: 'yesterday' }, now), {
    from: local(2026, 10, 23),
    to: local(2026, 10, 23, 23, 59, 59, 999),
  })
  assert.deepEqual(spanOf({ period: 'week' }, now), { from: local(2026, 10, 18), to: undefined })
})

test('without a period the typed times count, and invalid ones do not', () => {
  assert.deepEqual(spanOf({ from: '2026-11-20T10:00', to: 'soon' }, now), {
    from: local(2026, 10, 20, 10),
    to: undefined,
  })
})
