import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crashPoint, onCrashPoint } from './crash-points.ts'

test('a watcher is called each time its point is reached, before the process continues, and for no other point', () => {
  let met = 0
  crashPoint('stored')
  onCrashPoint('stored', () => met++)
  crashPoint('stored')
  crashPoint('posted')
  assert.equal(met, 1)
  crashPoint('stored')
  assert.equal(met, 2)
})
