import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import alphabet from '#vectors/gsm7-alphabet.json' with { type: 'json' }
import packing from '#vectors/gsm7-packing.json' with { type: 'json' }
import { decodeGsm7, encodeGsm7, isGsm7, packSeptets, septetsOf, unpackSeptets } from './gsm7.ts'

const writable = alphabet.cases.filter((c) => c.septets !== null).map((c) => c.char)
const gsm7Text = fc.array(fc.constantFrom(...writable)).map((chars) => chars.join(''))
const septetLists = fc.array(fc.integer({ min: 0, max: 127 }))
const fillBits = fc.integer({ min: 0, max: 6 })

for (const { id, char, codepoint, septets } of alphabet.cases) {
  if (septets === null) {
    test(`GSM-7 has no ${codepoint} (${id})`, () => {
      assert.equal(isGsm7(char), false)
      assert.throws(() => encodeGsm7(char), RangeError)
    })
  } else {
    test(`${codepoint} is written as ${septets.join(' ')} (${id})`, () => {
      assert.equal(isGsm7(char), true)
      assert.deepEqual([...encodeGsm7(char)], septets)
      assert.equal(decodeGsm7(septets), char)
      assert.equal(septetsOf(char.charCodeAt(0)), septets.length)
    })
  }
}

for (const { id, text, septetCount, fillBits, packed } of packing.cases) {
  const title = JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text)
  test(`${title} packs into ${packed.length / 2} octets with ${fillBits} fill bits and back (${id})`, () => {
    const septets = encodeGsm7(text)
    assert.equal(septets.length, septetCount)
    const octets = packSeptets(septets, fillBits)
    assert.equal(octets.toHex().toUpperCase(), packed)
    assert.equal(decodeGsm7(unpackSeptets(octets, septetCount, fillBits)), text)
  })
}

test('the alphabet has 127 characters and the extension table 10, and GSM-7 has no others', () => {
  const found = Array.from({ length: 0x10000 }, (_, unit) => unit).filter((unit) => septetsOf(unit) > 0)
  assert.deepEqual(
    found,
    writable.map((char) => char.charCodeAt(0)).sort((a, b) => a - b),
  )
  assert.equal(found.filter((unit) => septetsOf(unit) === 2).length, 10)
  assert.equal(found.length, 137)
})

test('any text of the alphabet can be read back from its septets', () => {
  fc.assert(fc.property(gsm7Text, (text) => assert.equal(decodeGsm7(encodeGsm7(text)), text)))
})

test('any septets can be read back from their octets, with any fill bits', () => {
  fc.assert(
    fc.property(septetLists, fillBits, (septets, fill) => {
      const octets = packSeptets(septets, fill)
      assert.equal(octets.length, Math.ceil((fill + 7 * septets.length) / 8))
      assert.deepEqual([...unpackSeptets(octets, septets.length, fill)], septets)
    }),
  )
})

test('any septets read as some text, with one character for each that is not an escape', () => {
  fc.assert(
    fc.property(septetLists, (septets) => {
      const text = decodeGsm7(septets)
      assert.ok(text.length <= septets.length && text.length >= septets.length / 2)
      assert.ok(isGsm7(text))
    }),
  )
})

test('an escape before a code without an extension reads as the default character', () => {
  assert.equal(decodeGsm7([27, 65]), 'A')
  assert.equal(decodeGsm7([27, 13]), '\r')
})

test('a double escape reads as a space, and so does one at the end', () => {
  assert.equal(decodeGsm7([27, 27, 65]), ' A')
  assert.equal(decodeGsm7([65, 27]), 'A ')
})

test('too few octets give the whole septets in them', () => {
  assert.deepEqual([...unpackSeptets(Uint8Array.fromHex('31D9'), 8)], [0x31, 0x32])
  assert.deepEqual([...unpackSeptets([], 8, 3)], [])
})
