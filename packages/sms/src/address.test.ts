import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import vectors from '#vectors/address.json' with { type: 'json' }
import { encodeAddress, encodeAlphanumeric, encodeSmsc, readAddress, readSmsc } from './address.ts'
import { DecodingError, hexOf, octetsOfHex, openOctets } from './octets.ts'
import { encodeSubmit } from './pdu-submit.ts'

const ALPHANUMERIC = 208
const numbers = fc.stringMatching(/^\+?[0-9*#]{1,20}$/)

for (const { id, kind, hex, number, typeOfAddress, encode, input } of vectors.cases) {
  if (kind === 'refuse') {
    test(`nothing is sent to ${JSON.stringify(input)} (${id})`, () => {
      assert.throws(() => encodeAddress(input!), RangeError)
      assert.throws(() => encodeSmsc(input!), RangeError)
      const sms = { to: input!, text: 'x', reference: 0, report: false }
      assert.throws(() => encodeSubmit(sms), RangeError)
    })
    continue
  }
  const isSmsc = kind === 'smsc'
  test(`${isSmsc ? 'the SMSC' : 'the address'} ${hex} is ${number} (${id})`, () => {
    const octets = openOctets(octetsOfHex(hex!))
    const read = isSmsc ? readSmsc(octets) : readAddress(octets, 'sender')
    assert.deepEqual(read, { number, typeOfAddress })
    assert.equal(octets.rest().length, 0)
  })
  if (!encode) continue
  test(`${number} is written as ${hex} (${id})`, () => {
    const write = isSmsc ? encodeSmsc : typeOfAddress === ALPHANUMERIC ? encodeAlphanumeric : encodeAddress
    assert.equal(hexOf(write(number!)), hex)
  })
}

test('the refusal names the invalid character', () => {
  assert.throws(() => encodeAddress('+47\u202c91234567'), /U\+202C/)
  assert.throws(() => encodeAddress('12a34'), /"a" \(U\+0061\)/)
  assert.throws(() => encodeAddress('+'), /at least one digit/)
  assert.throws(() => encodeAddress('123456789012345678901'), /at most 20/)
})

test('a name of more than 11 characters, or outside GSM-7, is refused as a sender', () => {
  assert.throws(() => encodeAlphanumeric('ABCDEFGHIJKL'), /1 to 11/)
  assert.throws(() => encodeAlphanumeric('€€€€€€'), /1 to 11/)
  assert.throws(() => encodeAlphanumeric('Ваня'), /GSM-7 cannot write/)
  assert.throws(() => encodeAlphanumeric(''), /1 to 11/)
})

test('any number can be read back from its address, and from its SMSC part', () => {
  fc.assert(
    fc.property(numbers, (number) => {
      assert.equal(readAddress(openOctets(encodeAddress(number)), 'sender').number, number)
      assert.equal(readSmsc(openOctets(encodeSmsc(number)))!.number, number)
    }),
  )
})

test('an SMSC has at most 20 digits', () => {
  const longest = `+${'1234567890'.repeat(2)}`
  assert.equal(hexOf(encodeSmsc(longest)).slice(0, 4), '0B91')
  assert.deepEqual(readSmsc(openOctets(encodeSmsc(longest))), { number: longest, typeOfAddress: 0x91 })
})

test('without an SMSC the part is one 0', () => {
  assert.deepEqual([...encodeSmsc(null)], [0])
  assert.equal(readSmsc(openOctets(Uint8Array.of(0))), null)
})

test('an address that is too long, or longer than the PDU, is refused with its position', () => {
  const read = (hex: string) => () => readAddress(openOctets(octetsOfHex(hex)), 'sender')
  assert.throws(read('1591123456789012345678901234'), { name: 'DecodingError', octet: 0 })
  assert.throws(read('049121'), { name: 'DecodingError', octet: 2, message: /sender .* at octet 2$/ })
  assert.throws(read(''), DecodingError)
  assert.throws(() => readSmsc(openOctets(octetsOfHex('0C91' + '11'.repeat(11)))), /SMSC claims 12 octets/)
})

test('a fill nibble ends a number, and digits above 9 do no harm', () => {
  const read = (hex: string) => readAddress(openOctets(octetsOfHex(hex)), 'sender').number
  assert.equal(read('0681' + '21F354'), '123')
  assert.equal(read('0681' + 'BADC1E'), '*#abc1')
})

test('only an international number has a +, whatever the numbering plan', () => {
  const read = (hex: string) => readAddress(openOctets(octetsOfHex(hex)), 'sender').number
  for (const type of ['91', '90', '11']) assert.equal(read(`04${type}2143`), '+1234')
  for (const type of ['81', 'A1', 'B1', 'C1', 'E1', 'F1']) assert.equal(read(`04${type}2143`), '1234')
})
