import assert from 'node:assert/strict'
import { test } from 'node:test'
import { daysUntil, endsSoon, isNear } from './sims.ts'

test('a SIM needs attention from 80 % of its plan, and from ten days before its end', () => {
  assert.deepEqual(
    [79, 80, 101].map((used) => isNear(used, 100)),
    [false, true, true],
  )
  assert.equal(isNear(0, 0), true)
  const evening = new Date(2026, 5, 10, 23, 30)
  assert.deepEqual(
    ['2026-06-09', '2026-06-10', '2026-06-20', '2026-06-21'].map((day) => daysUntil(day, evening)),
    [-1, 0, 10, 11],
  )
  assert.deepEqual([-1, 10, 11].map(endsSoon), [true, true, false])
})
