import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openPacing } from './pacing.ts'

test('refusals are sent one after the other, a hundred a second, and none waits longer than five seconds', async () => {
  const waits: number[] = []
  const pace = openPacing(async (ms) => void waits.push(ms))
  for (let n = 0; n < 2_000; n++) await pace()
  assert.ok(waits[0]! > 9 && waits[0]! <= 10, `${waits[0]}`)
  assert.ok(waits[99]! > 800 && waits[99]! <= 1_000, `${waits[99]}`)
  assert.ok(Math.max(...waits) <= 5_000)
  assert.ok(waits.at(-1)! > 4_900, `${waits.at(-1)}`)
})
