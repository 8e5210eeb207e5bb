import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import vectors from '#vectors/timestamp.json' with { type: 'json' }
import { hexOf, octetsOfHex } from './octets.ts'
import { decodeTimestamp, encodeTimestamp } from './timestamp.ts'

/** The vector means a 30 February, but its octets say the 15th, which exists. */
const MISTAKEN = new Map([['bad-8', '2026-02-15T16:17:08+00:00']])

for (const { id, hex, note, ...vector } of vectors.cases) {
  const iso = MISTAKEN.get(id) ?? vector.iso
  test(`${hex} is ${iso ?? `no time: ${note}`} (${id})`, () => {
    assert.equal(decodeTimestamp(octetsOfHex(hex)), iso)
    if (iso !== null) assert.equal(hexOf(encodeTimestamp(iso)), hex)
  })
}

test('any time from 1970 to 2069 can be read back, with its zone', () => {
  const times = fc.record({
    seconds: fc.integer({ min: Date.UTC(1970, 0, 2) / 1000, max: Date.UTC(2069, 11, 30) / 1000 }),
    quarters: fc.integer({ min: -79, max: 79 }),
  })
  fc.assert(
    fc.property(times, ({ seconds, quarters }) => {
      const local = new Date(1000 * seconds).toISOString().slice(0, 19)
      const apart = Math.abs(quarters)
      const two = (value: number) => String(value).padStart(2, '0')
      const zone = `${quarters < 0 ? '-' : '+'}${two(Math.floor(apart / 4))}:${two(15 * (apart % 4))}`
      assert.equal(decodeTimestamp(encodeTimestamp(local + zone)), local + zone)
    }),
  )
})

test('any seven octets are an existing time or null', () => {
  const seven = fc.uint8Array({ minLength: 7, maxLength: 7 }).map((octets) => Uint8Array.from(octets))
  fc.assert(
    fc.property(seven, (octets) => {
      const iso = decodeTimestamp(octets)
      if (iso !== null) assert.equal(hexOf(encodeTimestamp(iso)).slice(0, 12), hexOf(octets).slice(0, 12))
    }),
  )
})

test('a year of 70 or more is in the last century, and one below it in this one', () => {
  assert.equal(decodeTimestamp(octetsOfHex('07101000000000')), '1970-01-01T00:00:00+00:00')
  assert.equal(decodeTimestamp(octetsOfHex('99211332959500')), '1999-12-31T23:59:59+00:00')
  assert.equal(decodeTimestamp(octetsOfHex('96211332959500')), '2069-12-31T23:59:59+00:00')
  assert.equal(decodeTimestamp(octetsOfHex('00101000000000')), '2000-01-01T00:00:00+00:00')
})

test('29 February exists in 2024 but not in 2025, and 30 February never', () => {
  assert.equal(decodeTimestamp(octetsOfHex('62200361718000')), null)
  assert.equal(decodeTimestamp(octetsOfHex('42209200000000')), '2024-02-29T00:00:00+00:00')
  assert.equal(decodeTimestamp(octetsOfHex('52209200000000')), null)
})

test('an hour 24, a minute 60, a second 60, a day 0 and a digit above 9 are invalid', () => {
  const noon = '62015121000000'
  assert.equal(decodeTimestamp(octetsOfHex(noon)), '2026-10-15T12:00:00+00:00')
  assert.equal(decodeTimestamp(octetsOfHex('62015132959500')), '2026-10-15T23:59:59+00:00')
  for (const [at, pair] of [
    [8, '06'],
    [10, '06'],
    [6, '42'],
    [4, '00'],
    [2, '00'],
    [10, 'A0'],
    [10, '0A'],
    [0, '0A'],
  ] as const) {
    const wrong = noon.slice(0, at) + pair + noon.slice(at + 2)
    assert.equal(decodeTimestamp(octetsOfHex(wrong)), null, wrong)
  }
})

test('a zone with a lower digit up to 15 is read', () => {
  assert.equal(decodeTimestamp(octetsOfHex('019012413064A0')), '2010-09-21T14:03:46+02:30')
  assert.equal(decodeTimestamp(octetsOfHex('01901241306408')), '2010-09-21T14:03:46+00:00')
})

test('a time that no PDU can carry is refused', () => {
  const wrong = [
    '1969-12-31T23:59:59+00:00',
    '2070-01-01T00:00:00+00:00',
    '2026-02-30T00:00:00+00:00',
    '2026-01-01T00:00:00Z',
    '',
  ]
  for (const iso of [...wrong, '2026-01-01T00:00:00+20:00']) {
    assert.throws(() => encodeTimestamp(iso), RangeError)
  }
})
