import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pointsOf, SLOT_MS, slotOf, slotsPerPoint, type SlotSums } from './slots.ts'

const DAY_MS = 86_400_000
const NOW = Date.parse('2026-06-10T08:00:00Z')

const empty = {
  charging: null,
  battery_sum: 0,
  battery_count: 0,
  temperature_sum: 0,
  temperature_count: 0,
  disk_free_mb_sum: 0,
  disk_free_mb_count: 0,
  signal_dbm_sum: 0,
  signal_dbm_count: 0,
}
const slot = (number: number, said: Partial<SlotSums>): SlotSums => ({ ...empty, slot: number, ...said })

test('a point is five minutes, or the least multiple that keeps an answer to 1,000 points', () => {
  assert.equal(slotsPerPoint(NOW - DAY_MS, NOW), 1)
  assert.equal(slotsPerPoint(NOW - 1_000 * SLOT_MS, NOW), 1)
  assert.equal(slotsPerPoint(NOW - 1_000 * SLOT_MS - 1, NOW), 2)
  assert.equal(slotsPerPoint(NOW - 30 * DAY_MS, NOW), 9)
})

test('a point has the averages of its slots and whether the device was charging last, and none without readings', () => {
  const first = slotOf(NOW)
  const slots = [
    slot(first, {
      battery_sum: 150,
      battery_count: 2,
      charging: 1,
      signal_dbm_sum: -70,
      signal_dbm_count: 1,
    }),
    slot(first + 1, { battery_sum: 50, battery_count: 1, charging: 0 }),
    slot(first + 3, { temperature_sum: 41, temperature_count: 2 }),
  ]
  const none = { signal_dbm: null, battery: null, charging: null, temperature: null, disk_free_mb: null }
  assert.deepEqual(pointsOf(slots, 1), [
    { ...none, at: '2026-06-10T08:00:00.000Z', battery: 75, charging: true, signal_dbm: -70 },
    { ...none, at: '2026-06-10T08:05:00.000Z', battery: 50, charging: false },
    { ...none, at: '2026-06-10T08:15:00.000Z', temperature: 20.5 },
  ])
  assert.deepEqual(pointsOf(slots, 2), [
    { ...none, at: '2026-06-10T08:00:00.000Z', battery: 66.7, charging: false, signal_dbm: -70 },
    { ...none, at: '2026-06-10T08:10:00.000Z', temperature: 20.5 },
  ])
})
