import assert from 'node:assert/strict'
import { test } from 'node:test'
import { conversations as spanish } from './text.es.ts'
import { conversations as specified } from './text.ts'

test('one open conversation is counted in the singular', () => {
  for (const words of [specified, spanish]) {
    assert.equal(words.openTotal('1'), '1 abierta')
    assert.equal(words.openTotal('1000+'), '1000+ abiertas')
  }
})
