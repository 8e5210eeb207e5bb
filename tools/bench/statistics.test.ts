import assert from 'node:assert/strict'
import test from 'node:test'
import { median, quantile, shown, slope, spreadOf } from './statistics.ts'

test('the median is the middle value, or for an even count the mean of the two in the middle', () => {
  assert.equal(median([9, 1, 5]), 5)
  assert.equal(median([4, 1, 9, 6]), 5)
  assert.ok(Number.isNaN(median([])))
})

test('a quantile is a measured value', () => {
  const values = Array.from({ length: 200 }, (_, place) => 200 - place)
  assert.equal(quantile(values, 0.5), 100)
  assert.equal(quantile(values, 0.99), 198)
  assert.equal(quantile(values, 1), 200)
  assert.equal(quantile([7], 0.99), 7)
})

test('rounds keep their order, with their least and most', () => {
  assert.deepEqual(spreadOf([3, 1, 2]), { median: 2, min: 1, max: 3, rounds: [3, 1, 2] })
})

test('growth is the slope of a line through all values', () => {
  assert.equal(slope([10, 12, 14, 16]), 2)
  assert.equal(slope([5, 5, 5]), 0)
  assert.equal(slope([5]), 0)
})

test('numbers are shown with three significant digits', () => {
  assert.deepEqual([1234.5, 86.44, 2.345, 0.01234, 0, NaN].map(shown), [
    '1,235',
    '86.4',
    '2.35',
    '0.012',
    '0',
    '–',
  ])
})
