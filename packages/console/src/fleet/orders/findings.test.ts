import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findingsOf } from './findings.ts'

test('the worst finding comes first, with its remedy', () => {
  const output =
    'good the SIM is ready\nnote the signal is weak\n  Move the antenna.\n  Or the device.\nWRONG no reports\n'
  assert.deepEqual(findingsOf(output), [
    { level: 'bad', says: 'no reports' },
    { level: 'note', says: 'the signal is weak', remedy: 'Move the antenna. Or the device.' },
    { level: 'good', says: 'the SIM is ready' },
  ])
})

test('lines of a device that names no levels are shown as they are', () => {
  assert.deepEqual(findingsOf('SIM ready\n\nRegistered'), [
    { level: 'good', says: 'SIM ready' },
    { level: 'good', says: 'Registered' },
  ])
  assert.deepEqual(findingsOf(''), [])
})
