import assert from 'node:assert/strict'
import { test } from 'node:test'
import { QueryClient } from '@tanstack/react-query'
import type { Live } from '#console/core/live/live.ts'
import { devicesQuery, followStatuses, mergeStatuses, statusChangedAt, type Device } from './devices.ts'
import { countFleet, inSameOrder, visibleDevices, type FleetView } from './view.ts'

const fleet: Device[] = [
  device(3, 'ALPHA-1', { location: 'Vigo' }),
  device(1, 'alpha-2', { status: 'disconnected', location: null }),
  device(2, 'beta', { enabled: false, location: 'Lugo' }),
]

function device(id: number, uid: string, rest: Partial<Device> = {}): Device {
  return { id, uid, status: 'connected', location: null, created_at: '', enabled: true, ...rest }
}

function shown(view: Partial<FleetView>): string[] {
  const whole: FleetView = { search: '', show: 'all', sort: 'id', desc: false, ...view }
  return visibleDevices(fleet, whole, false).map(({ uid }) => uid)
}

test('in the wording of the specification, the search matches part of a uid in any case', () => {
  assert.deepEqual(shown({ search: 'PHA' }), ['alpha-2', 'ALPHA-1'])
  for (const search of ['gamma', 'Vigo']) assert.deepEqual(shown({ search }), [], search)
})

test('in a chosen language, it also matches names, places, operators, and the digits of SIM numbers, without accents and case', () => {
  const known = device(9, 'x', {
    name: 'Almacén',
    location: 'A Coruña',
    carrier: 'Yoigo',
    sim_ids: ['+34 610-20-30', '8934071100'],
  })
  for (const search of ['almacen', 'CORUNA', 'yoi', '61020', '610 20', '3407110'])
    assert.equal(
      visibleDevices([...fleet, known], { search, show: 'all', sort: 'id', desc: false }, true)[0]?.uid,
      'x',
      search,
    )
})

test('signals sort by their number, also if the device says it in words', () => {
  const heard = [
    device(1, 'weak', { signal: -110 }),
    device(2, 'words', { signal: '-70 dBm' }),
    device(3, 'none'),
  ]
  const sorted = visibleDevices(heard, { search: '', show: 'all', sort: 'signal', desc: false }, false)
  assert.deepEqual(
    sorted.map(({ uid }) => uid),
    ['weak', 'words', 'none'],
  )
})

test('only the devices of the operator are shown; an empty one means those without', () => {
  const some = [device(1, 'a', { carrier: 'A' }), device(2, 'b', { carrier: null })]
  const of = (carrier: string) =>
    visibleDevices(some, { search: '', show: 'all', carrier, sort: 'id', desc: false }, false).map(
      ({ uid }) => uid,
    )
  assert.deepEqual([of('A'), of('')], [['a'], ['b']])
})

test('each filter shows as many devices as its count', () => {
  const counts = countFleet(fleet)
  for (const show of ['all', 'connected', 'disconnected', 'disabled'] as const) {
    assert.equal(shown({ show }).length, counts[show], show)
  }
  assert.deepEqual(shown({ show: 'disabled' }), ['beta'])
})

test('devices without a value come last in ascending order', () => {
  assert.deepEqual(shown({ sort: 'location' }), ['beta', 'ALPHA-1', 'alpha-2'])
  assert.deepEqual(shown({ sort: 'uid', desc: true }), ['beta', 'alpha-2', 'ALPHA-1'])
})

test("statuses replace only their own devices' rows, and the others stay the same objects", () => {
  const next = mergeStatuses(fleet, new Map([['beta', 'disconnected']]))
  assert.deepEqual(
    next.map(({ status }) => status),
    ['connected', 'disconnected', 'disconnected'],
  )
  assert.ok(next[0] === fleet[0] && next[1] === fleet[1])
  assert.ok(
    next[2] && statusChangedAt(next[2]) !== undefined && statusChangedAt(fleet[0] as Device) === undefined,
  )
})

test('unchanged statuses return the same list', () => {
  assert.equal(mergeStatuses(fleet, new Map([['beta', 'connected']])), fleet)
  assert.equal(mergeStatuses(fleet, new Map([['nobody', 'connected']])), fleet)
})

test('statuses that a hidden tab heard before a cut do not replace the list that was loaded after it', (t) => {
  let draw = () => {}
  Object.assign(globalThis, {
    requestAnimationFrame: (frame: () => void) => ((draw = frame), 1),
    cancelAnimationFrame() {},
  })
  let hear: Parameters<Live['onStatus']>[0]
  let change: Parameters<Live['onChanged']>[0] = () => {}
  const live = {
    onStatus: (listener: typeof hear) => ((hear = listener), () => {}),
    onChanged: (listener: typeof change) => ((change = listener), () => {}),
  } as Live
  const client = new QueryClient()
  const stop = followStatuses(live, client)
  t.after(() => {
    stop()
    for (const name of ['requestAnimationFrame', 'cancelAnimationFrame'])
      Reflect.deleteProperty(globalThis, name)
  })
  const load = (status: Device['status']) =>
    client.setQueryData(devicesQuery.queryKey, [device(1, 'a', { status }), device(2, 'b', { status })])
  const shown = () => client.getQueryData(devicesQuery.queryKey)?.map(({ status }) => status)
  load('connected')
  hear!({ device_uid: 'a', status: 'disconnected' })
  change('cut')
  load('connected')
  hear!({ device_uid: 'b', status: 'disconnected' })
  draw()
  assert.deepEqual(shown(), ['connected', 'disconnected'])
})

test("rows held in place show their devices' current state, without removed devices", () => {
  const now = [device(3, 'ALPHA-1', { status: 'disconnected' }), device(9, 'new')]
  assert.deepEqual(inSameOrder(fleet, now), [now[0]])
})

test('a device is quarantined until the time is up', () => {
  const now = Date.parse('2026-11-20T21:00:00.000Z')
  const held = fleet.map((device, n) =>
    n === 0 ? { ...device, quarantined_until: '2026-11-20T21:05:00.000Z' } : device,
  )
  const view: FleetView = { search: '', show: 'quarantined', sort: 'id', desc: false }
  assert.equal(countFleet(held, now).quarantined, 1)
  assert.equal(visibleDevices(held, view, false, now)[0]?.uid, held[0]?.uid)
  assert.equal(countFleet(held, now + 300_000).quarantined, 0)
  assert.deepEqual(visibleDevices(held, view, false, now + 300_000), [])
})
