import assert from 'node:assert/strict'
import { test } from 'node:test'
import { steadyRows } from './row-order.ts'

const rowsOf = (...numbers: number[]) => numbers.map((row) => ({ row, state: 'sent' }))
const numbersIn = ({ rows }: { rows: readonly { row: number }[] }) => rows.map(({ row }) => row)

test('rows that belong above shown ones wait, and the next page is added below', () => {
  const shown = rowsOf(5, 4, 3)
  const later = steadyRows(shown, rowsOf(7, 6, 5, 4, 3, 2, 1))
  assert.deepEqual([numbersIn(later), later.fresh], [[5, 4, 3, 2, 1], 2])
  const between = steadyRows(shown, rowsOf(5, 4, 2, 3))
  assert.deepEqual([numbersIn(between), between.fresh], [[5, 4, 3], 1])
})

test('shown rows change in place, and stay if they no longer pass the filter', () => {
  const shown = rowsOf(5, 4, 3)
  const { rows } = steadyRows(shown, [{ row: 4, state: 'delivered' }, ...rowsOf(3)])
  assert.deepEqual(
    rows.map(({ row, state }) => [row, state]),
    [
      [5, 'sent'],
      [4, 'delivered'],
      [3, 'sent'],
    ],
  )
  assert.equal(steadyRows(shown, shown).rows, shown)
})

test('an empty table takes all rows, and one whose rows are beyond the loaded ones keeps its own', () => {
  assert.deepEqual(numbersIn(steadyRows([], rowsOf(2, 1))), [2, 1])
  const far = steadyRows(rowsOf(2, 1), rowsOf(9, 8))
  assert.deepEqual([numbersIn(far), far.fresh], [[2, 1], 2])
})
