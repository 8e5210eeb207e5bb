import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rawQueryOf } from './query.ts'

test('a query is everything after the first question mark', () => {
  const urls = ['/a?b=c', '/a?b=c?&d=?', '/a?', '/a', undefined]
  assert.deepEqual(
    urls.map((url) => rawQueryOf(url)),
    ['b=c', 'b=c?&d=?', '', '', ''],
  )
})
