import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openRests } from './rests.ts'

test('a long work gives everybody else a turn, and a short one none', async () => {
  let turns = 0
  const turning = setImmediate(function again() {
    turns++
    next = setImmediate(again)
  })
  let next = turning
  const rest = openRests()
  const began = performance.now()
  await rest()
  assert.equal(turns, 0)
  while (performance.now() - began < 30) await rest()
  clearImmediate(next)
  assert.ok(turns >= 2, `${turns} turns`)
})
