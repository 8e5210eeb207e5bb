import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sameNumber } from './numbers.ts'

test('a number is the same in each of its forms', () => {
  for (const other of ['+34600111222', '0034600111222', '34600111222', '600111222', '600 111 222']) {
    assert.ok(sameNumber('+34600111222', other), other)
  }
  assert.ok(sameNumber('+33612345678', '0612345678'))
})

test('other numbers, and short codes that end alike, are not the same', () => {
  assert.ok(!sameNumber('+34600111222', '+34600111223'))
  assert.ok(!sameNumber('11222', '+34600111222'))
  assert.ok(!sameNumber('22', '7722'))
  assert.ok(!sameNumber('MOVISTAR', 'VODAFONE'))
  assert.ok(sameNumber('7722', '7722'))
})
