import assert from 'node:assert/strict'
import { test } from 'node:test'
import { numberKey } from './number-key.ts'

test('the notation of a number’s prefix and groups does not change its key', () => {
  const written = ['+34600111222', '0034600111222', '600111222', '+34 600 11 12 22', '(600) 111-222']
  assert.deepEqual(new Set(written.map(numberKey)), new Set(['600111222']))
  assert.notEqual(numberKey('600111223'), '600111222')
})

test('a short number is its own key', () => {
  assert.equal(numberKey('22500'), '22500')
  assert.equal(numberKey('+346001'), '346001')
  assert.notEqual(numberKey('22500'), numberKey('600122500'))
})
