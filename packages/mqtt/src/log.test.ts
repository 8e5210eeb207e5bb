import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openThrottledLog } from './log.ts'

test('one line per kind is logged in ten seconds, and the next counts the suppressed ones', () => {
  let now = 0
  const throttled = openThrottledLog(() => now)
  assert.deepEqual(throttled('crowded'), { level: 'info', unsaid: undefined })
  for (now = 1; now < 9_999; now += 2) assert.equal(throttled('crowded').level, 'debug')
  assert.deepEqual(throttled('breach'), { level: 'info', unsaid: undefined }, 'another kind')
  now = 10_000
  assert.deepEqual(throttled('crowded'), { level: 'info', unsaid: 4_999 })
  now = 20_000
  assert.deepEqual(throttled('crowded'), { level: 'info', unsaid: undefined })
})
