import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openFairTurns, openYielding } from './fair-queue.ts'

test('a long work gives everybody else a turn, and a short one none', async () => {
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

test('of all keys a few works are done at once, of one key fewer, and keys take turns', async () => {
  const inTurn = openFairTurns({ overall: 3, each: 2 })
  const begun: string[] = []
  const gates = new Map<string, PromiseWithResolvers<void>>()
  const work = (name: string) => async () => {
    begun.push(name)
    await gates.getOrInsertComputed(name, () => Promise.withResolvers<void>()).promise
    return name
  }
  const turns = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'].map((name) => inTurn(name[0]!, work(name)))
  const settled = Promise.allSettled(turns)
  const end = async (name: string, how: 'resolve' | 'reject') => {
    await inTurnSoon()
    gates.get(name)![how]()
    await inTurnSoon()
  }
  await inTurnSoon()
  assert.deepEqual(begun, ['a1', 'a2', 'b1'])
  await end('a1', 'reject')
  assert.deepEqual(begun.slice(3), ['a3'])
  await end('a2', 'resolve')
  await end('b1', 'resolve')
  assert.deepEqual(begun.slice(4), ['b2', 'c1'])
  for (const name of ['a3', 'b2', 'c1', 'a4']) await end(name, 'resolve')
  assert.deepEqual(
    (await settled).map(({ status }) => status),
    ['rejected', ...Array<string>(6).fill('fulfilled')],
  )
})

/** What a work's end sets off is done in microtasks. */
const inTurnSoon = () => new Promise((resolve) => setImmediate(resolve))
