import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { getCountries, getCountryCallingCode, parsePhoneNumberFromString } from 'libphonenumber-js/min'
import { isPlainNumber } from './plain-number.ts'

const callingCode = fc.constantFrom(
  ...new Set(getCountries().map((country) => getCountryCallingCode(country))),
)
const national = fc.stringMatching(/^\d{2,13}$/).filter((digits) => digits.length < 14)

test('whatever counts as plain is possible, and parsing leaves it as it is', () => {
  let plain = 0
  fc.assert(
    fc.property(callingCode, national, (code, digits) => {
      const number = `+${code}${digits}`
      if (number.length > 16 || !isPlainNumber(number)) return
      plain++
      const parsed = parsePhoneNumberFromString(number)
      assert.deepEqual([parsed?.number, parsed?.isPossible()], [number, true])
    }),
    { numRuns: 20_000 },
  )
  assert.ok(plain > 1_000, `only ${plain} numbers were plain`)
})

test('usual numbers are plain; shared codes and national prefixes need parsing', () => {
  for (const number of ['+34600111222', '+33612345678', '+5511912345678'])
    assert.ok(isPlainNumber(number), number)
  for (const number of [
    '+3460011122',
    '+12025550123',
    '+4407700900222',
    '+330612345678',
    '+999600111222',
    '+34',
  ])
    assert.ok(!isPlainNumber(number), number)
})
