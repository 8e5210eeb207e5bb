import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import vectors from '#vectors/validity.json' with { type: 'json' }
import { decodeValidity, encodeValidity, MOST_VALIDITY_MINS } from './validity.ts'

for (const { id, minutes, octet, note } of vectors.cases) {
  if (octet === null) {
    test(`a validity of ${minutes} minutes is refused (${id})`, () => {
      assert.throws(() => encodeValidity(minutes), RangeError)
    })
    continue
  }
  test(`${minutes} minutes are octet ${octet}${note ? `: ${note}` : ''} (${id})`, () => {
    assert.equal(encodeValidity(minutes), octet)
    if (!note) assert.equal(decodeValidity(octet), minutes)
  })
}

test('every octet can be read back from its minutes', () => {
  for (let octet = 0; octet < 256; octet++) assert.equal(encodeValidity(decodeValidity(octet)), octet)
})

test('a validity is never shortened, and lengthened by less than a step', () => {
  const anyMins = fc.integer({ min: 1, max: MOST_VALIDITY_MINS })
  // The range where the steps are short, and the points of change.
  const everyMins = Array.from({ length: 60_000 }, (_, i) => i + 1)
  const holds = (mins: number) => {
    const octet = encodeValidity(mins)
    assert.ok(decodeValidity(octet) >= mins)
    assert.ok(octet === 0 || decodeValidity(octet - 1) < mins)
  }
  everyMins.forEach(holds)
  fc.assert(fc.property(anyMins, holds))
})

test('after 30 days comes 5 weeks', () => {
  assert.deepEqual([decodeValidity(196), decodeValidity(197)], [30 * 24 * 60, 5 * 7 * 24 * 60])
})

test('a validity above 63 weeks becomes 63 weeks, and an invalid number is refused', () => {
  assert.equal(encodeValidity(Infinity), 255)
  assert.throws(() => encodeValidity(NaN), RangeError)
  assert.throws(() => encodeValidity(-5), RangeError)
})
