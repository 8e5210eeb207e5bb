import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Device } from './devices.ts'
import { fleetBars, fleetState } from './fleet.ts'

const words = { none: 'none', others: 'others' }

function fleet(carriers: (string | null | undefined)[], rest: Partial<Device> = {}): Device[] {
  return carriers.map((carrier, id) => ({
    id,
    uid: `d${id}`,
    status: 'connected' as const,
    location: null,
    created_at: '',
    enabled: true,
    carrier,
    ...rest,
  }))
}

test('one bar a device, grouped by carrier, the largest first and the unknown last', () => {
  const { perBar, groups } = fleetBars(fleet([null, 'A', 'B', 'B', undefined]), 10, words)
  assert.equal(perBar, 1)
  assert.deepEqual(
    groups.map(({ label, size, bars }) => [label, size, bars.length]),
    [
      ['B', 2, 2],
      ['A', 1, 1],
      ['none', 2, 2],
    ],
  )
})

test('a large fleet shares bars, and no device is lost', () => {
  const devices = fleet(Array.from({ length: 10_000 }, (_, n) => `carrier ${n % 3}`))
  const { perBar, groups } = fleetBars(devices, 250, words)
  assert.equal(perBar, 40)
  const bars = groups.flatMap((group) => group.bars)
  assert.ok(bars.length <= 253)
  assert.equal(
    bars.reduce((sum, bar) => sum + bar.connected, 0),
    10_000,
  )
})

test('carriers beyond the sixth share a group', () => {
  const { groups } = fleetBars(fleet(['A', 'A', 'B', 'B', 'C', 'C', 'D', 'D', 'E', 'E', 'F', 'G']), 99, words)
  assert.deepEqual(
    groups.map(({ label, carrier }) => carrier ?? label),
    ['A', 'B', 'C', 'D', 'E', 'others'],
  )
})

test('a disabled device counts as disabled whatever its status, and not as connected', () => {
  const { groups } = fleetBars(fleet(['A'], { enabled: false }), 9, words)
  assert.deepEqual(groups[0]?.bars[0], {
    connected: 0,
    disconnected: 0,
    disabled: 1,
    maintenance: 0,
    strength: 0,
  })
  assert.equal(groups[0]?.connected, 0)
})

test('a device in maintenance counts as that until it is over, and a disabled one as disabled', () => {
  const device = fleet(['A'], { status: 'disconnected', maintenance_until: '2026-11-20T10:00:00.000Z' })[0]!
  const over = Date.parse('2026-11-20T10:00:00.000Z')
  assert.equal(fleetState(device, over - 1), 'maintenance')
  assert.equal(fleetState(device, over), 'disconnected')
  assert.equal(fleetState({ ...device, enabled: false }, over - 1), 'disabled')
})

test("a bar's strength is relative to the busiest device", () => {
  const devices = fleet(['A', 'A']).map((device, n) => ({ ...device, sent_today: n * 50 }))
  assert.deepEqual(
    fleetBars(devices, 9, words).groups[0]?.bars.map(({ strength }) => strength),
    [0, 1],
  )
})
