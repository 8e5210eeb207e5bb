import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SLOT_MS, slotsPerPoint } from './slots.ts'

const DAY_MS = 86_400_000
const NOW = Date.parse('2026-06-10T08:00:00Z')

test('a point is five minutes, or the least multiple that keeps an answer to 1,000 points', () => {
  assert.equal(slotsPerPoint(NOW - DAY_MS, NOW), 1)
  assert.equal(slotsPerPoint(NOW - 1_000 * SLOT_MS, NOW), 1)
  assert.equal(slotsPerPoint(NOW - 1_000 * SLOT_MS - 1, NOW), 2)
  assert.equal(slotsPerPoint(NOW - 30 * DAY_MS, NOW), 9)
})
