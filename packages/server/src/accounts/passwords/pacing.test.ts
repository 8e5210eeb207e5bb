import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openPacing } from './pacing.ts'

/** Paces refusals by a clock that a test sets. `waits` has the delay of each. */
function startPacing() {
  const waits: number[] = []
  const clock = { now_ms: 0 }
  const pace = openPacing({ now: () => clock.now_ms, wait: async (ms) => void waits.push(ms) })
  return { pace, waits, clock }
}

test('refusals are sent one after the other, a hundred a second, and none waits longer than five seconds', async () => {
  const { pace, waits } = startPacing()
  for (let n = 0; n < 2_000; n++) await pace()
  assert.deepEqual(
    waits,
    waits.map((_, n) => Math.min((n + 1) * 10, 5_000)),
  )
})

test('a refusal waits for those that are still to be sent, and not for earlier ones', async () => {
  const { pace, waits, clock } = startPacing()
  for (let n = 0; n < 10; n++) await pace()
  clock.now_ms = 60
  await pace()
  clock.now_ms = 1_000
  await pace()
  assert.deepEqual(waits.slice(10), [50, 10])
})
