import assert from 'node:assert/strict'
import { test } from 'node:test'
import { publishedTopic } from './device-topics.ts'

test('a device may publish only to the exact names of its own topics', () => {
  assert.equal(publishedTopic('a', 'devices/a/reports')?.pattern, 'devices/:uid/reports')
  for (const name of [
    'devices/a/commands',
    'devices/ab/reports',
    'devices//reports',
    'devices/a/reports/',
    'devices/a/Reports',
    '/devices/a/reports',
    'devices/a',
    'devices/a/',
    'devices/+/reports',
    'devices/a/#',
    '',
  ]) {
    assert.equal(publishedTopic('a', name), undefined, name)
  }
})
