import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pass, watchPoint } from './points.ts'

test('a watcher is called each time its point is reached, before the process continues, and for no other point', () => {
  let met = 0
  pass('stored')
  watchPoint('stored', () => met++)
  pass('stored')
  pass('posted')
  assert.equal(met, 1)
  pass('stored')
  assert.equal(met, 2)
})
