import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openSpreading, openYielding } from './spreading.ts'

test('of what comes in one moment each is done in its order, and everybody else has a turn meanwhile', async () => {
  const turns_before = await spread(openSpreading(), 2)
  assert.ok(turns_before.at(-1)! - turns_before[0]! >= 9, turns_before.join())
})

test('no more is done in one turn than may be', async () => {
  const turns_before = await spread(openSpreading({ most: 2 }), 0)
  assert.ok(turns_before.at(-1)! - turns_before[0]! >= 5, turns_before.join())
  for (let n = 2; n < turns_before.length; n++) assert.ok(turns_before[n]! > turns_before[n - 2]!)
})

test('what comes early in a turn is done at once, and the rest of a long one in its order, in later turns', async () => {
  const later = openYielding(2)
  const done: number[] = []
  const all = Promise.withResolvers<void>()
  for (let n = 0; n < 6; n++) later(() => (busy(1.1), done.push(n), n === 5 && all.resolve()))
  assert.ok(done.length > 0 && done.length < 3, done.join())
  await all.promise
  assert.deepEqual(done, [0, 1, 2, 3, 4, 5])
  later(() => done.push(6))
  assert.equal(done.at(-1), 6)
})

/** How many turns there were before each of eleven works, of which each takes so long and the last comes later. */
async function spread(later: ReturnType<typeof openSpreading>, each_ms: number): Promise<number[]> {
  const [done, turns_before] = [[] as number[], [] as number[]]
  let turns = 0
  let next = setImmediate(function again() {
    turns++
    next = setImmediate(again)
  })
  const all = Promise.withResolvers<void>()
  const work = (n: number) => () => {
    busy(each_ms)
    done.push(n)
    turns_before.push(turns)
    if (n === 3) later(work(10))
    if (n === 10) all.resolve()
  }
  for (let n = 0; n < 10; n++) later(work(n))
  assert.deepEqual(done, [])
  await all.promise
  clearImmediate(next)
  assert.deepEqual(done, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  return turns_before
}

function busy(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until);
}
