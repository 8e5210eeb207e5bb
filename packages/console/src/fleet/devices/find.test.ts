import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Device } from './devices.ts'
import { findDevices } from './find.ts'

function device(uid: string, rest: Partial<Device> = {}): Device {
  return { id: 1, uid, status: 'connected', location: null, created_at: '', enabled: true, ...rest }
}

test('a device known by its uid comes before others: first it begins with the text, then has it, then its texts, then a SIM', () => {
  const fleet = [
    device('drone-0183', { sim_ids: ['8934 0702 9912'] }),
    device('radio-1', { location: 'Nave 0299' }),
    device('drone-0299'),
    device('0299-b'),
    device('drone-0300'),
  ]
  const found = findDevices(fleet, ' 0299 ').map(({ uid }) => uid)
  assert.deepEqual(found, ['0299-b', 'drone-0299', 'radio-1', 'drone-0183'])
})

test('devices that match equally well keep their order, and an empty text finds all', () => {
  const fleet = [device('b-1'), device('a-1'), device('c-1')]
  assert.deepEqual(findDevices(fleet, '1'), fleet)
  assert.deepEqual(findDevices(fleet, ''), fleet)
})

test('a tag and an operator are found without accents and case, a text with letters never by digits', () => {
  const known = device('x', { carrier: 'Yoigo', tags: ['Almacén'], sim_ids: ['+34 600-111'] })
  for (const typed of ['almacen', 'YOI', '600 111', '+34600'])
    assert.deepEqual(findDevices([known], typed), [known], typed)
  assert.deepEqual(findDevices([known], '600x'), [])
})
