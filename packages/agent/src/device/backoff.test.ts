import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBackoff } from './backoff.ts'

test('the wait is between 1 s and 60 s, and its limit doubles', () => {
  const latest = openBackoff(() => 1)
  assert.deepEqual(
    Array.from({ length: 7 }, latest.next),
    [5_000, 10_000, 20_000, 40_000, 60_000, 60_000, 60_000],
  )
  const earliest = openBackoff(() => 0)
  assert.deepEqual(Array.from({ length: 3 }, earliest.next), [1_000, 1_000, 1_000])
})

test('a fleet that loses its server at one moment reconnects spread out, from the first try on', () => {
  const seconds = Array.from({ length: 1_000 }, (_, i) => {
    const backoff = openBackoff(() => i / 1_000)
    return Math.floor(backoff.next() / 1_000)
  })
  for (const second of [1, 2, 3, 4]) assert.equal(seconds.filter((wait) => wait === second).length, 250)
})

test('only a connection that held resets the backoff: one that ends at once is not a success', () => {
  const backoff = openBackoff(() => 1)
  backoff.next()
  backoff.held(500)
  assert.equal(backoff.next(), 10_000)
  backoff.held(60_000)
  assert.equal(backoff.next(), 5_000)
})
