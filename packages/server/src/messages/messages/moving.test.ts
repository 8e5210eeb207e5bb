import assert from 'node:assert/strict'
import test from 'node:test'
import * as fc from 'fast-check'
import { bucketOf, quantile } from './moving.ts'

/** From a millisecond to a month. */
const durations = fc.array(fc.integer({ min: 1, max: 30 * 86_400_000 }), { minLength: 1, maxLength: 200 })

test('a quantile from buckets is within a tenth of the exact quantile', () => {
  fc.assert(
    fc.property(durations, fc.constantFrom(0.01, 0.5, 0.95, 1), (all, rank) => {
      const exact = all.toSorted((a, b) => a - b)[Math.ceil(all.length * rank) - 1]!
      const read = quantile(counted(all), rank)!
      assert.ok(Math.abs(read / exact - 1) < 0.1, `${read} is not near ${exact}`)
    }),
  )
})

test('a duration of zero, or a negative one between two clocks, counts as zero', () => {
  assert.equal(quantile(counted([0, -5_000, 0.4]), 0.95), 0)
})

test('without counts there is no quantile', () => {
  assert.equal(quantile([], 0.5), undefined)
  assert.equal(quantile([[3, 0]], 0.5), undefined)
})

function counted(all: readonly number[]): [number, number][] {
  return Array.from(Map.groupBy(all, bucketOf), ([bucket, some]) => [bucket, some.length])
}
