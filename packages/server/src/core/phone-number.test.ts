import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getCountries } from 'libphonenumber-js/min'
import { countries } from '@sdd/contract/core/countries.ts'
import { countryOf, isAnswerable, keptNumber, keptSender } from './phone-number.ts'

const keptInSpain: [written: string, kept: string | undefined][] = [
  ['+34 600-111-222', '+34600111222'],
  ['0034600111222', '+34600111222'],
  ['(34) 600 111 222', '+34600111222'],
  ['34600111222', '+34600111222'],
  ['600.111.222', '+34600111222'],
  ['600\u2013111\u2013222', '+34600111222'],
  ['+34 [600] 111 222', '+34600111222'],
  ['+44 7700 900222', '+447700900222'],
  ['+44 (0) 7700 900222', '+447700900222'],
  ['+800 1234 5678', '+80012345678'],
  ['112', '112'],
  ['22000', '22000'],
  ['22-00.0', '22000'],
  ['123456', '123456'],
  ['12', undefined],
  ['1234567', undefined],
  ['+34 600', undefined],
  ['004900123', undefined],
  ['+112', undefined],
  ['+999 600111222', undefined],
  ['+34 600 111 22', undefined],
  ['+34 600 111 222 3', undefined],
  ['600111222 ext 3', undefined],
  ['600111222x3', undefined],
  ['600111222#3', undefined],
  ['600/111/222', undefined],
  ['tel:+34600111222', undefined],
  ['abc', undefined],
  ['+', undefined],
  ['', undefined],
  ['  ', undefined],
  ['++34600111222', undefined],
  ['34+600111222', undefined],
  ['٦٠٠١١١٢٢٢', undefined],
  ['1'.repeat(300), undefined],
]

for (const [written, kept] of keptInSpain) {
  const outcome = kept === undefined ? 'is refused' : `is kept as ${kept}`
  test(`in a company of ES, ${JSON.stringify(written.slice(0, 40))} ${outcome}`, () => {
    assert.equal(keptNumber(written, 'ES'), kept)
  })
}

test('digits without a plus are those of the country', () => {
  const kept: [written: string, country: string, kept: string | undefined][] = [
    ['600111222', 'PT', '+351600111222'],
    ['07700 900222', 'GB', '+447700900222'],
    ['06 12 34 56 78', 'FR', '+33612345678'],
    ['06 1234 5678', 'IT', '+390612345678'],
    ['(202) 555-0123', 'US', '+12025550123'],
    ['011 34 600 111 222', 'US', '+34600111222'],
    ['0170 1234567', 'DE', '+491701234567'],
    ['600111222', 'US', undefined],
    ['22000', 'DE', '22000'],
  ]
  for (const [written, country, expected] of kept)
    assert.equal(keptNumber(written, country), expected, `${written} in ${country}`)
})

test('numbers of two countries with equal endings are two numbers', () => {
  assert.notEqual(keptNumber('+351 600 111 222', 'ES'), keptNumber('600 111 222', 'ES'))
})

test('the kept form of a number is kept as it is in every country', () => {
  for (const country of countries)
    for (const kept of ['+34600111222', '+447700900222', '+390612345678', '112'])
      assert.equal(keptNumber(kept, country), kept, `${kept} in ${country}`)
})

test('a sender that cannot be a number stays to the letter, and cannot be answered', () => {
  const senders: [from: string, kept: string, answerable: boolean][] = [
    ['600 111 222', '+34600111222', true],
    ['22000', '22000', true],
    ['BANCO', 'BANCO', false],
    [' Banco 24 ', ' Banco 24 ', false],
    ['1234567', '1234567', false],
    ['+34 600', '+34 600', false],
    ['', '', false],
  ]
  for (const [from, kept, answerable] of senders) {
    assert.equal(keptSender(from, 'ES'), kept)
    assert.equal(isAnswerable(kept), answerable, from)
  }
})

test('a number with a plus has a country, unless it belongs to none', () => {
  assert.equal(countryOf('+34 600 111 222'), 'ES')
  assert.equal(countryOf('+447700900222'), 'GB')
  assert.equal(countryOf('+1 202 555 0123'), 'US')
  assert.equal(countryOf('+351 912 345 678'), 'PT')
  assert.equal(countryOf('+80012345678'), undefined)
  assert.equal(countryOf('600111222'), undefined)
  assert.equal(countryOf('+999600111222'), undefined)
})

test('the contract lists the countries of the metadata', () => {
  assert.deepEqual(countries, getCountries().toSorted())
})
