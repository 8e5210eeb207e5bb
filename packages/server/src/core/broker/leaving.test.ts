import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openLeaving } from './leaving.ts'

test('of many that leave in one moment each is seen off, and everybody else has a turn meanwhile', async () => {
  const leave = openLeaving()
  const [ended, turns_before] = [[] as number[], [] as number[]]
  let turns = 0
  const counting = function again() {
    turns++
    next = setImmediate(again)
  }
  let next = setImmediate(counting)
  const all = Promise.withResolvers<void>()
  const socket = (n: number) => ({
    end() {
      const until = performance.now() + 2
      while (performance.now() < until);
      ended.push(n)
      turns_before.push(turns)
      if (n === 3) leave(socket(10))
      if (n === 10) all.resolve()
    },
  })
  for (let n = 0; n < 10; n++) leave(socket(n))
  assert.deepEqual(ended, [])
  await all.promise
  clearImmediate(next)
  assert.deepEqual(ended, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  assert.ok(turns_before.at(-1)! - turns_before[0]! >= 9, turns_before.join())
})
