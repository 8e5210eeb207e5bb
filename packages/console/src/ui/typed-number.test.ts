import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decimalNumber, wholeNumber } from '#console/ui/typed-number.ts'

test('a number is read only if it can mean nothing else', () => {
  const cases: [typed: string, whole: number | undefined, decimal: number | undefined][] = [
    ['', undefined, undefined],
    [' 30 ', 30, 30],
    ['0', 0, 0],
    ['007', 7, 7],
    ['3000', 3000, 3000],
    ['3 000', 3000, 3000],
    ['3\u00a0000', 3000, 3000],
    ['3\u202f000', 3000, 3000],
    ['3.000', undefined, undefined],
    ['3,000', undefined, undefined],
    ['1.500', undefined, undefined],
    ['1.000.000', undefined, undefined],
    ['1.500,50', undefined, undefined],
    ['2,5', undefined, 2.5],
    ['2.5', undefined, 2.5],
    ['2,50', undefined, 2.5],
    ['2,5000', undefined, 2.5],
    ['1 500,50', undefined, 1500.5],
    ['5,', undefined, undefined],
    [',5', undefined, undefined],
    ['1e3', undefined, undefined],
    ['0x10', undefined, undefined],
    ['-1', undefined, undefined],
    ['+1', undefined, undefined],
    ['Infinity', undefined, undefined],
    ['1000001', undefined, undefined],
  ]
  for (const [typed, whole, decimal] of cases) {
    assert.equal(wholeNumber(typed, 0, 1_000_000), whole, `whole: ${typed}`)
    assert.equal(decimalNumber(typed, 0, 1_000_000), decimal, `decimal: ${typed}`)
  }
  assert.equal(wholeNumber('4', 5, 10), undefined)
  assert.equal(decimalNumber('4,9', 5, 10), undefined)
})
