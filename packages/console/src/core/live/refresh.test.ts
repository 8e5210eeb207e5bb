import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { throttled } from '#console/core/live/refresh.ts'

const settled = () => new Promise((resolve) => setImmediate(resolve))

test('many calls become one run at once and one after the pause, and never run concurrently', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.after(() => mock.timers.reset())
  let runs = 0
  let running = 0
  const poke = throttled(async () => {
    runs++
    running++
    assert.equal(running, 1)
    await settled()
    running--
  })
  for (let n = 0; n < 50; n++) poke()
  await settled()
  await settled()
  assert.equal(runs, 1)
  mock.timers.tick(10_000)
  await settled()
  assert.equal(runs, 2, 'the last call is not lost')
  await settled()
  mock.timers.tick(10_000)
  await settled()
  assert.equal(runs, 2)
})

test('a failed run does not stop later runs', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.after(() => mock.timers.reset())
  let runs = 0
  const poke = throttled(async () => {
    runs++
    await Promise.reject(new Error('no network'))
  })
  poke()
  await settled()
  mock.timers.tick(10_000)
  await settled()
  poke()
  await settled()
  assert.equal(runs, 2)
})
