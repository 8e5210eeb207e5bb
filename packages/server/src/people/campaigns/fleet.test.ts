import assert from 'node:assert/strict'
import { test } from 'node:test'
import { roomOf } from './fleet.store.ts'

test('SMS of a later day count, because the clock was set back since', () => {
  const device = { max_sms_dayly: 10, sent_day: '2026-03-11', sent_parts: 4 }
  const room = ['2026-03-10', '2026-03-11', '2026-03-12'].map((day) => roomOf(device, day).today)
  assert.deepEqual(room, [6, 6, 10])
})
