import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openFairTurns } from './fair-turns.ts'

test('a few tasks run at once, fewer for each key, and keys take turns', async () => {
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

/** A task's end starts the next one in microtasks. */
const inTurnSoon = () => new Promise((resolve) => setImmediate(resolve))
