import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Networks } from '@sdd/contract/fleet/devices.ts'
import { PhoneNumber } from '@sdd/contract/core/fields.ts'
import { openRadios } from '#simulator/networks.ts'

const uids = Array.from({ length: 200 }, (_, i) => `sim-${i}`)

/** Whether the last digit is a valid Luhn check digit. */
function luhnHolds(digits: string): boolean {
  const sum = [...digits].reverse().reduce((total, digit, i) => {
    const value = i % 2 === 1 ? 2 * Number(digit) : Number(digit)
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return sum % 10 === 0
}

test('every snapshot matches the contract, with a Spanish carrier', () => {
  for (const uid of uids) {
    const { wifi, mobile } = Networks.parse(openRadios(uid).snapshot(new Date()))
    if (wifi) {
      assert.match(wifi.bssid!, /^([0-9a-f]{2}:){5}[0-9a-f]{2}$/)
      assert.ok(Number(wifi.intensity) < 0 && wifi.ssid && wifi.captured_at)
    }
    for (const { phone_number, iccid, carrier } of mobile!.sims) {
      assert.ok(['Movistar', 'Vodafone', 'Orange', 'Yoigo'].includes(carrier!))
      assert.equal(PhoneNumber.parse(phone_number), phone_number)
      assert.match(phone_number!, /^\+346\d{8}$/)
      assert.match(iccid!, /^8934\d{15}$/)
      assert.ok(luhnHolds(iccid!))
    }
  }
})

test('fleets differ: some devices have two SIMs, some no WiFi', () => {
  const snapshots = uids.map((uid) => openRadios(uid).snapshot(new Date()))
  const sims = new Set(snapshots.map(({ mobile }) => mobile!.sims.length))
  assert.deepEqual(sims, new Set([1, 2]))
  assert.ok(snapshots.some(({ wifi }) => wifi === null) && snapshots.some(({ wifi }) => wifi !== null))
})

test('a device has the same SIMs after a restart', () => {
  assert.deepEqual(openRadios('sim-0001').sims, openRadios('sim-0001').sims)
  assert.notDeepEqual(openRadios('sim-0001').sims, openRadios('sim-0002').sims)
})

test('its signal varies within the range of real radios', () => {
  const radios = openRadios('sim-0001')
  const seen = new Set<unknown>()
  for (let i = 0; i < 500; i++) {
    radios.wobble()
    const { intensity } = radios.snapshot(new Date()).mobile!
    assert.ok(Number(intensity) >= -115 && Number(intensity) <= -65)
    seen.add(intensity)
  }
  assert.ok(seen.size > 5)
})
