import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PresenceStretch } from '@sdd/contract/insight/device-detail.ts'
import { connectedShare, daysOf, fallsOf, HISTORY_DAYS, shownShare } from './days.ts'

const HOUR = 3_600_000
const now = new Date(2026, 10, 24, 18).getTime()
const at = (daysAgo: number, hour: number) => new Date(2026, 10, 24 - daysAgo, hour).toISOString()
const stretch = (from: string, to: string, state: PresenceStretch['state']) => ({ from, to, state })

const presence = [
  stretch(at(3, 6), at(3, 12), 'disconnected'),
  stretch(at(3, 12), at(2, 20), 'connected'),
  stretch(at(2, 20), at(1, 4), 'disconnected'),
  stretch(at(1, 4), at(1, 10), 'unknown'),
  stretch(at(1, 10), at(0, 18), 'connected'),
]

test('a day has its own part of each stretch, and an absence over midnight is in both days', () => {
  const days = daysOf(presence, now)
  assert.equal(days.length, HISTORY_DAYS)
  assert.deepEqual(
    days.slice(-4).map(({ connected, away, falls }) => [connected / HOUR, away / HOUR, falls.length]),
    [
      [12, 6, 1],
      [20, 4, 1],
      [14, 4, 1],
      [18, 0, 0],
    ],
  )
  assert.deepEqual([days[0]!.connected, days[0]!.away], [0, 0])
  assert.equal(days.at(-1)!.start, new Date(2026, 10, 24).getTime())
})

test('only a device that was there can fall, and unknown times do not count', () => {
  assert.deepEqual(fallsOf(presence), [{ from: Date.parse(at(2, 20)), to: Date.parse(at(1, 4)) }])
  assert.equal(connectedShare(daysOf(presence, now)), 64 / 78)
  assert.equal(connectedShare(daysOf([], Number.NaN)), undefined)
})

test('the shown share is all of the time only if the device was never away', () => {
  assert.deepEqual([1, 0.99999, 0.5, 0].map(shownShare), [1, 0.999, 0.5, 0])
})
