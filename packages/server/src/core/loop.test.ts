import assert from 'node:assert/strict'
import { mock, test, type TestContext } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { openYielding, startLoop } from './loop.ts'

const LONG_MS = 60_000
const silent = { name: 'test', log: { error: () => assert.fail('the work failed') } as never }

/** Time passes only through the returned function, which resolves once everything that was due has run. */
function holdTime(t: TestContext): (ms: number) => Promise<void> {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  return async (ms) => {
    t.mock.timers.tick(ms)
    for (let turns = 0; turns < 5; turns++) await nextTurn()
  }
}

test('a loop runs at once, and again after its interval', async (t) => {
  const pass = holdTime(t)
  let runs = 0
  const loop = startLoop({ ...silent, every_ms: 20, work: async () => void runs++ })
  await pass(0)
  assert.equal(runs, 1)
  await pass(19)
  assert.equal(runs, 1)
  await pass(1)
  assert.equal(runs, 2)
  await pass(20)
  assert.equal(runs, 3)
  await loop.stop()
})

test('a run may ask for an earlier next run, but not a later one', async (t) => {
  const pass = holdTime(t)
  let runs = 0
  const soon = startLoop({ ...silent, every_ms: LONG_MS, work: async () => (++runs < 3 ? 5 : undefined) })
  await pass(0)
  await pass(5)
  await pass(5)
  assert.equal(runs, 3)
  await pass(5)
  assert.equal(runs, 3)
  await soon.stop()

  let others = 0
  const late = startLoop({ ...silent, every_ms: 10, work: async () => (others++, LONG_MS) })
  await pass(0)
  await pass(10)
  assert.equal(others, 2)
  await late.stop()
})

test('a wake-up makes a sleeping loop run soon, and many wake-ups make one run', async (t) => {
  const pass = holdTime(t)
  let runs = 0
  const loop = startLoop({ ...silent, every_ms: LONG_MS, work: async () => void runs++ })
  await pass(0)
  for (let i = 0; i < 100; i++) loop.wake()
  await pass(0)
  assert.equal(runs, 2)
  await pass(LONG_MS - 1)
  assert.equal(runs, 2)
  await loop.stop()
})

test('a wake-up during a run makes one more run follow, and runs never overlap', async (t) => {
  const pass = holdTime(t)
  let runs = 0
  let together = 0
  const first = Promise.withResolvers<void>()
  const loop = startLoop({
    ...silent,
    every_ms: LONG_MS,
    async work() {
      assert.equal(++together, 1)
      if (++runs === 1) await first.promise
      together--
    },
  })
  await pass(0)
  loop.wake()
  await pass(0)
  loop.wake()
  assert.equal(runs, 1)
  first.resolve()
  await pass(0)
  await pass(0)
  assert.equal(runs, 2)
  await pass(LONG_MS - 1)
  assert.equal(runs, 2)
  await loop.stop()
})

test('a failing run is logged and retried with a growing delay, which a wake-up does not shorten', async (t) => {
  const pass = holdTime(t)
  const pauses: number[] = []
  let runs = 0
  const loop = startLoop({
    name: 'dispatch',
    every_ms: LONG_MS,
    log: { error: (entry: { pause_ms: number; loop: string }) => void pauses.push(entry.pause_ms) } as never,
    async work() {
      runs++
      if (runs <= 2) throw new Error('no database')
    },
  })
  await pass(0)
  assert.deepEqual([runs, ...pauses], [1, 100])
  loop.wake()
  await pass(99)
  assert.equal(runs, 1)
  await pass(1)
  assert.deepEqual([runs, ...pauses], [2, 100, 200])
  await pass(200)
  assert.equal(runs, 3)
  loop.wake()
  await pass(0)
  assert.equal(runs, 4)
  await loop.stop()
})

test('stopping waits for the current run, and no other follows', async (t) => {
  const pass = holdTime(t)
  let runs = 0
  const end = Promise.withResolvers<void>()
  const loop = startLoop({
    ...silent,
    every_ms: 1,
    async work() {
      runs++
      await end.promise
    },
  })
  await pass(0)
  loop.wake()
  let stopped = false
  const stopping = loop.stop().then(() => (stopped = true))
  await pass(LONG_MS)
  assert.equal(stopped, false)
  end.resolve()
  await stopping
  loop.wake()
  await pass(LONG_MS)
  assert.equal(runs, 1)
})

test('a loop stopped before its first run does nothing', async (t) => {
  const pass = holdTime(t)
  let runs = 0
  await startLoop({ ...silent, every_ms: 1, work: async () => void runs++ }).stop()
  await pass(LONG_MS)
  assert.equal(runs, 0)
})

test('a long run yields to other work, and a short one does not', async (t) => {
  let now_ms = 0
  t.mock.method(performance, 'now', () => now_ms)
  const yieldToEventLoop = openYielding()
  const turn = mock.fn()
  setImmediate(turn)
  now_ms = 0.9
  await yieldToEventLoop()
  assert.equal(turn.mock.callCount(), 0)
  now_ms = 1
  await yieldToEventLoop()
  assert.equal(turn.mock.callCount(), 1)
  setImmediate(turn)
  await yieldToEventLoop()
  assert.equal(turn.mock.callCount(), 1, 'the time counts from the last turn')
})
