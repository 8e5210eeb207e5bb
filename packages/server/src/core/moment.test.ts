import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from './clock.ts'
import { clockAt, momentOf } from './moment.ts'

test('a moment keeps the clock’s time and day, in a zone where the day differs', () => {
  const days = systemClock('Pacific/Auckland')
  const now_ms = Date.parse('2026-06-01T13:30:00.000Z')
  const clock = clockAt(structuredClone(momentOf({ ...days, now: () => now_ms })))
  assert.equal(clock.now(), now_ms)
  assert.equal(clock.day(now_ms), '2026-06-02')
  assert.equal(clock.midnightAfter(now_ms), Date.parse('2026-06-02T12:00:00.000Z'))
})
