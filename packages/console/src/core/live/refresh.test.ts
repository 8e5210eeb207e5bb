import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { merged } from '#console/core/live/refresh.ts'

const settled = () => new Promise((resolve) => setImmediate(resolve))

test('many calls become one run at once and one after its rest, and never two at a time', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.after(() => mock.timers.reset())
  let runs = 0
  let running = 0
  const poke = merged(async () => {
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

test('a run that fails does not end the runs', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.after(() => mock.timers.reset())
  let runs = 0
  const poke = merged(async () => {
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
