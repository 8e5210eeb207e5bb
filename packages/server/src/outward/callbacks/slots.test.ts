import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openSlots } from './slots.ts'

test('calls that run at once are limited for each host and for all hosts together', () => {
  const { room, enter, leave, left } = openSlots({ overall: 5, per_host: 3 })
  for (let n = 0; n < 3; n++) enter('a')
  assert.deepEqual([room('a'), room('b'), left()], [0, 2, 2])
  enter('b')
  enter('b')
  assert.deepEqual([room('a'), room('b'), room('c'), left()], [0, 0, 0, 0])
  leave('a', true)
  assert.deepEqual([room('a'), room('b'), room('c'), left()], [1, 1, 1, 1])
})

test('a host whose last call failed gets one call at a time until one succeeds', () => {
  const { room, enter, leave } = openSlots({ overall: 64, per_host: 4 })
  enter('a')
  enter('a')
  leave('a', false)
  assert.deepEqual([room('a'), room('b')], [0, 4])
  leave('a', false)
  assert.equal(room('a'), 1)
  enter('a')
  leave('a', true)
  assert.equal(room('a'), 4)
})
