import assert from 'node:assert/strict'
import { createHook } from 'node:async_hooks'
import { test } from 'node:test'
import { type FairQueue, openFairQueue, openTurns } from './fair-queue.ts'

test('work that arrives at once is done in order, and the event loop gets turns meanwhile', async () => {
  const turns_before = await spread(openFairQueue(), 2)
  assert.ok(turns_before.at(-1)! - turns_before[0]! >= 9, turns_before.join())
})

test('each turn of the event loop does no more than its share', async () => {
  const turns_before = await spread(openFairQueue({ per_turn: 2 }), 0)
  assert.ok(turns_before.at(-1)! - turns_before[0]! >= 5, turns_before.join())
  for (let n = 2; n < turns_before.length; n++) assert.ok(turns_before[n]! > turns_before[n - 2]!)
})

test('the first work of a turn is done at once, and the rest in order in later turns', async () => {
  const later = openFairQueue({ per_turn_ms: 2, eager: true })
  const done: number[] = []
  const all = Promise.withResolvers<void>()
  for (let n = 0; n < 6; n++) later(() => (busy(1.1), done.push(n), n === 5 && all.resolve()))
  assert.ok(done.length > 0 && done.length < 3, done.join())
  await all.promise
  assert.deepEqual(done, [0, 1, 2, 3, 4, 5])
  await new Promise(setImmediate)
  later(() => done.push(6))
  assert.equal(done.at(-1), 6)
})

/**
 * Queues eleven pieces of work, each taking `each_ms`, the last one later than the others. Returns how many turns of
 * the event loop came before each.
 */
async function spread(later: FairQueue, each_ms: number): Promise<number[]> {
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

const TURNS = 50

/**
 * Counts the callbacks scheduled with `setImmediate` in the next turns of the event loop, except this function's own.
 */
async function immediatesOf(turns: number): Promise<number> {
  let count = 0
  const hook = createHook({ init: (_id, type) => void (type === 'Immediate' && count++) }).enable()
  for (let n = 0; n < turns; n++) await new Promise(setImmediate)
  hook.disable()
  return count - turns
}

test('at the limit of concurrent work, nothing starts until one piece ends, and then the next starts', async () => {
  const queue = openFairQueue({ at_once: 2, eager: true })
  const ends: (() => void)[] = []
  const work = () => new Promise<void>((resolve) => ends.push(resolve))
  for (let n = 0; n < 3; n++) queue(work)
  await immediatesOf(2)
  assert.equal(ends.length, 2)
  assert.ok((await immediatesOf(TURNS)) <= 1)
  ends[0]!()
  await immediatesOf(2)
  assert.equal(ends.length, 3)
  for (const end of ends) end()
})

test('urgent work starts before earlier work', async () => {
  const queue = openFairQueue({ at_once: 1, eager: true })
  const order: string[] = []
  const done = Promise.withResolvers<void>()
  const work = (name: string) => async () => {
    order.push(name)
    await new Promise(setImmediate)
    if (name === 'last') done.resolve()
  }
  queue(work('first'))
  queue(work('last'))
  queue(work('urgent'), true)
  await done.promise
  assert.deepEqual(order, ['first', 'urgent', 'last'])
})

test('work that fails makes room for the next', async () => {
  const queue = openFairQueue({ at_once: 1, eager: true })
  const next = Promise.withResolvers<void>()
  queue(() => Promise.reject(new Error('gone')))
  queue(next.resolve)
  await next.promise
})

test('thousands of pieces of work are done in order, and later ones come after them', async () => {
  const queue = openFairQueue({ per_turn: 700 })
  const done: number[] = []
  const all = Promise.withResolvers<void>()
  for (let n = 0; n < 5_000; n++)
    queue(() => {
      done.push(n)
      if (n % 1_000 === 0) queue(() => done.push(5_000 + n / 1_000) === 5_005 && all.resolve())
    })
  await all.promise
  assert.deepEqual(
    done,
    Array.from({ length: 5_005 }, (_, n) => n),
  )
})

test('work of one key waits for earlier work of that key, failed or not, and not for other keys', async () => {
  const inTurn = openTurns()
  const seen: string[] = []
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const work = (name: string, gate: Promise<void>) => async () => {
    seen.push(`${name} begins`)
    await gate
    seen.push(`${name} ends`)
    return name
  }
  const first = inTurn('a', work('first', gates[0]!.promise))
  const second = inTurn('a', work('second', gates[1]!.promise))
  assert.equal(await inTurn('b', work('other', Promise.resolve())), 'other')
  assert.deepEqual(seen, ['first begins', 'other begins', 'other ends'])
  gates[0]!.reject(new Error('first failed'))
  await assert.rejects(first, /first failed/)
  gates[1]!.resolve()
  assert.equal(await second, 'second')
  assert.deepEqual(seen.slice(3), ['second begins', 'second ends'])
})
