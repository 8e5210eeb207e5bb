import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openLookUps } from './look-ups.ts'

test('look-ups of one turn share statements of at most 200 keys, and each gets its own answer', async () => {
  const read: number[] = []
  const double = openLookUps(async (keys: readonly number[]) => {
    read.push(keys.length)
    return keys.map((key) => 2 * key)
  })
  const keys = Array.from({ length: 450 }, (_, key) => key)
  assert.deepEqual(
    await Promise.all(keys.map(double)),
    keys.map((key) => 2 * key),
  )
  assert.deepEqual(read, [200, 200, 50])
  assert.equal(await double(7), 14)
  assert.deepEqual(read, [200, 200, 50, 1])
})

test('a failed statement fails its own look-ups, and no later ones', async () => {
  let fails = true
  const same = openLookUps(async (keys: readonly string[]) => {
    if (fails) throw new Error('away')
    return keys
  })
  const first = await Promise.allSettled([same('a'), same('b')])
  assert.deepEqual(
    first.map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  fails = false
  assert.equal(await same('a'), 'a')
})
