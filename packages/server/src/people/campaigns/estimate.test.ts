import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY_MS, systemClock } from '#server/core/clock.ts'
import { estimate, type Fleet, type Work } from './estimate.ts'

const NOW = Date.parse('2026-06-10T08:00:00Z')
const clock = { ...systemClock('Europe/Madrid'), now: () => NOW }
const ANY_TIME = { default_country: 'ES', sending_hours: null } as const

function outlook(work: Partial<Work> = {}, fleet: Partial<Fleet> = {}, rules = ANY_TIME as never) {
  const device = { today: 1_000, daily: 1_000 }
  const { finishes_at, limited_by } = estimate(
    {
      messages: 60,
      parts: 60,
      number: '+34600111222',
      priority: 1,
      not_before: null,
      last_at: null,
      ...work,
    },
    { sending: true, spoof_time_secs: 60, devices: [device], away: 0, ...fleet },
    rules,
    clock,
  )
  return [limited_by, finishes_at?.slice(0, 'YYYY-MM-DDTHH:MM'.length) ?? null]
}

test('devices send one message in each pacing interval, side by side', () => {
  assert.deepEqual(outlook(), ['pacing', '2026-06-10T09:00'])
  const two = [
    { today: 100, daily: 100 },
    { today: 100, daily: 100 },
  ]
  assert.deepEqual(outlook({}, { devices: two }), ['pacing', '2026-06-10T08:30'])
  // Without pacing, a modem needs three seconds for a segment.
  assert.deepEqual(outlook({ parts: 120 }, { spoof_time_secs: 0 }), ['pacing', '2026-06-10T08:06'])
})

test('a daily limit stops a campaign until midnight', () => {
  const devices = [{ today: 30, daily: 50 }]
  assert.deepEqual(outlook({}, { devices }), ['daily_limit', '2026-06-10T22:30'])
  assert.deepEqual(outlook({ messages: 100, parts: 200 }, { devices }), ['daily_limit', '2026-06-13T22:10'])
  assert.deepEqual(outlook({}, { devices: [{ today: 0, daily: 0 }] }), ['daily_limit', null])
})

test('a campaign goes on with the next opening of its hours', () => {
  const hours = {
    windows: [{ days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '09:00', to: '10:30' }],
    zone: 'Europe/Madrid',
    holidays: [],
  }
  const rules = { ...ANY_TIME, sending_hours: JSON.stringify({ marketing: hours, transactional: hours }) }
  assert.deepEqual(outlook({}, {}, rules as never), ['sending_hours', '2026-06-11T07:30'])
})

test('closed hours before the first message do not count as the rate of a campaign', () => {
  const at = (windows: readonly unknown[], holidays: readonly string[] = []) => {
    const hours = { windows, zone: 'Europe/Madrid', holidays }
    return { ...ANY_TIME, sending_hours: JSON.stringify({ marketing: hours, transactional: hours }) }
  }
  const mornings = [{ days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'], from: '09:00', to: '12:00' }]
  const june = Array.from({ length: 30 }, (_, day) => `2026-06-${String(day + 1).padStart(2, '0')}`)
  const july = Array.from({ length: 31 }, (_, day) => `2026-07-${String(day + 1).padStart(2, '0')}`)
  const summer = at(mornings, [...june, ...july])
  assert.deepEqual(outlook({}, {}, summer as never), ['sending_hours', '2026-08-01T08:00'])
})

test('the end of a campaign whose hours never open is not known', () => {
  const from = Date.parse('2026-06-01')
  const holidays = Array.from({ length: 500 }, (_, day) =>
    new Date(from + day * DAY_MS).toISOString().slice(0, 10),
  )
  const windows = [{ days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'], from: '09:00', to: '12:00' }]
  const hours = { windows, zone: 'Europe/Madrid', holidays }
  const rules = { ...ANY_TIME, sending_hours: JSON.stringify({ marketing: hours, transactional: hours }) }
  assert.deepEqual(outlook({}, {}, rules as never), ['sending_hours', null])
})

test('a time that is asked for decides if it is the latest', () => {
  assert.deepEqual(outlook({ not_before: '2026-06-10T10:00:00.000Z' }), ['schedule', '2026-06-10T11:00'])
  assert.deepEqual(outlook({ last_at: '2026-06-11T10:00:00.000Z' }), ['schedule', '2026-06-11T10:00'])
  assert.deepEqual(outlook({ last_at: '2026-06-10T08:10:00.000Z' }), ['pacing', '2026-06-10T09:00'])
})

test('without a device, or with sending off, the end is not known', () => {
  assert.deepEqual(outlook({}, { devices: [] }), ['devices', null])
  assert.deepEqual(outlook({}, { sending: false }), ['sending_disabled', null])
  assert.deepEqual(outlook({ messages: 0, parts: 0 }), [null, null])
})

test('a campaign of months is estimated by the rate of its first month', () => {
  const [limited_by, finishes_at] = outlook({ messages: 100_000, parts: 100_000 })
  assert.equal(limited_by, 'daily_limit')
  assert.match(finishes_at!, /^2026-09-/)
})
