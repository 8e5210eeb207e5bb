import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sameNumber } from './numbers.ts'

test('a number matches each of its forms', () => {
  for (const other of ['+34600111222', '0034600111222', '34600111222', '600111222', '600 111 222']) {
    assert.ok(sameNumber('+34600111222', other), other)
  }
  assert.ok(sameNumber('+33612345678', '0612345678'))
})

test('different numbers, and short codes with the same ending, do not match', () => {
  assert.ok(!sameNumber('+34600111222', '+34600111223'))
  assert.ok(!sameNumber('11222', '+34600111222'))
  assert.ok(!sameNumber('22', '7722'))
  assert.ok(!sameNumber('MOVISTAR', 'VODAFONE'))
  assert.ok(sameNumber('7722', '7722'))
})
