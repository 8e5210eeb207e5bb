import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { openYielding, startLoop } from './loop.ts'

const LONG_MS = 60_000

test('a loop runs at once, and again after its interval', async () => {
  let runs = 0
  const loop = startLoop({ ...silent, every_ms: 20, work: async () => void runs++ })
  await until(() => runs === 3)
  await loop.stop()
})

test('a run may ask for an earlier next run, but not a later one', async () => {
  let runs = 0
  const soon = startLoop({ ...silent, every_ms: LONG_MS, work: async () => (++runs < 3 ? 5 : undefined) })
  await until(() => runs === 3)
  await soon.stop()

  let others = 0
  const late = startLoop({ ...silent, every_ms: 10, work: async () => (others++, LONG_MS) })
  await until(() => others === 3)
  await late.stop()
})

test('a wake-up makes a sleeping loop run soon, and many wake-ups make one run', async () => {
  let runs = 0
  const loop = startLoop({ ...silent, every_ms: LONG_MS, work: async () => void runs++ })
  await until(() => runs === 1)
  for (let i = 0; i < 100; i++) loop.wake()
  await until(() => runs === 2)
  await pause(30)
  assert.equal(runs, 2)
  await loop.stop()
})

test('a wake-up during a run makes one more run follow, and runs never overlap', async () => {
  let runs = 0
  let together = 0
  const loop = startLoop({
    ...silent,
    every_ms: LONG_MS,
    async work() {
      assert.equal(++together, 1)
      runs++
      if (runs === 1) {
        loop.wake()
        await pause(20)
        loop.wake()
      }
      together--
    },
  })
  await until(() => runs === 2)
  await pause(30)
  assert.equal(runs, 2)
  await loop.stop()
})

test('a failing run is logged and retried with a growing delay, which a wake-up does not shorten', async () => {
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
  await until(() => runs === 1)
  loop.wake()
  await pause(40)
  assert.equal(runs, 1)
  await until(() => runs === 3)
  assert.equal(pauses.length, 2)
  assert.ok(pauses[1]! > pauses[0]!)
  loop.wake()
  await until(() => runs === 4)
  await loop.stop()
})

test('stopping waits for the current run, and no other follows', async () => {
  let runs = 0
  let ended = false
  const loop = startLoop({
    ...silent,
    every_ms: 1,
    async work() {
      runs++
      await pause(40)
      ended = true
    },
  })
  await until(() => runs === 1)
  loop.wake()
  await loop.stop()
  assert.ok(ended)
  loop.wake()
  await pause(30)
  assert.equal(runs, 1)
})

test('a loop stopped before its first run does nothing', async () => {
  let runs = 0
  await startLoop({ ...silent, every_ms: 1, work: async () => void runs++ }).stop()
  await pause(20)
  assert.equal(runs, 0)
})

const silent = { name: 'test', log: { error: () => assert.fail('the work failed') } as never }

async function until(holds: () => boolean): Promise<void> {
  for (const deadline = Date.now() + 20_000; !holds(); await pause(2)) {
    assert.ok(Date.now() < deadline, 'it did not come to that within 20 s')
  }
}

test('a long run yields to other work, and a short one does not', async () => {
  let turns = 0
  const turning = setImmediate(function again() {
    turns++
    next = setImmediate(again)
  })
  let next = turning
  const yieldToEventLoop = openYielding()
  const began = performance.now()
  await yieldToEventLoop()
  assert.equal(turns, 0)
  while (turns < 2 && performance.now() - began < 5_000) await yieldToEventLoop()
  clearImmediate(next)
  assert.ok(turns >= 2, `${turns} turns`)
})
