import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatDuration } from './clock.ts'

test('a duration is given in a natural unit and never rounded down', () => {
  const said = [0, 1, 1.2, 89, 90, 119.5, 5_399, 5_400, 86_400].map(formatDuration)
  assert.deepEqual(said, [
    '1 second',
    '1 second',
    '2 seconds',
    '89 seconds',
    '2 minutes',
    '2 minutes',
    '90 minutes',
    '2 hours',
    '24 hours',
  ])
})
