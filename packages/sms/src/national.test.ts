import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { decodeGsm7, encodeGsm7, packSeptets } from './gsm7.ts'
import { decodeNational, nationalOf } from './national.ts'
import { hexOf } from './octets.ts'
import { decodePdu } from './pdu.ts'
import type { Deliver } from './pdu-deliver.ts'

const SINGLE = 0x24
const LOCKING = 0x25
const element = (iei: number, language: number) => ({ iei, data: Uint8Array.of(language) })

function tables(locking: number, single: number) {
  return nationalOf([element(LOCKING, locking), element(SINGLE, single)])
}

/** The septets of a text in which `^` stands for the escape. */
function septets(text: string): number[] {
  return [...text].flatMap((char) => (char === '^' ? 27 : [...encodeGsm7(char)]))
}

test('Spanish letters missing from the default alphabet are written after an escape', () => {
  const read = (text: string) => decodeNational(septets(text), tables(0, 2)!)
  assert.equal(read('Buenos d^ias'), 'Buenos días')
  assert.equal(read('^A^I^O^U ^a^i^o^u ^Ç ñ¿¡'), 'ÁÍÓÚ áíóú ç ñ¿¡')
})

test('Turkish and Portuguese also replace rare letters of the default alphabet', () => {
  assert.equal(decodeNational(septets('ìØøÆæ¡¿è'), tables(1, 1)!), 'ıĞğŞşİç€')
  assert.equal(decodeNational(septets('^s^S^g^i'), tables(0, 1)!), 'şŞğı')
  assert.equal(decodeNational(septets('ÄÖ äö ¡¿'), tables(3, 0)!), 'ÃÕ ãõ Í~')
  assert.equal(decodeNational(septets('^ä^ö ^é'), tables(0, 3)!), 'ãõ ê')
})

const codes = Array.from({ length: 128 }, (_, code) => code).filter((code) => code !== 27)

test('every code of a locking table is that of the standard', () => {
  const turkish =
    '@£$¥€éùıòÇ\nĞğ\rÅåΔ_ΦΓΛΩΠΨΣΘΞŞşßÉ !"#¤%&\'()*+,-./0123456789:;<=>?' +
    'İABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§çabcdefghijklmnopqrstuvwxyzäöñüà'
  const portuguese =
    '@£$¥êéúíóç\nÔô\rÁáΔ_ªÇÀ∞^\\€Ó|ÂâÊÉ !"#º%&\'()*+,-./0123456789:;<=>?' +
    'ÍABCDEFGHIJKLMNOPQRSTUVWXYZÃÕÚÜ§~abcdefghijklmnopqrstuvwxyzãõ`üà'
  assert.equal(decodeNational(codes, tables(1, 0)!), turkish)
  assert.equal(decodeNational(codes, tables(3, 0)!), portuguese)
})

test('every code of a single shift table is that of the standard', () => {
  const locking = Object.fromEntries(codes.map((code) => [code, '?']))
  const different = (language: number) => {
    const { single } = tables(0, language)!
    return codes
      .map((code) => [27, code])
      .filter(
        (pair) => decodeNational(pair, { locking, single }) !== decodeNational(pair, { locking, single: {} }),
      )
      .map((pair) => pair[1]!.toString(16) + decodeNational(pair, { locking, single }))
      .join(' ')
  }
  assert.equal(different(1), '47Ğ 49İ 53Ş 63ç 67ğ 69ı 73ş')
  assert.equal(different(2), '9ç 41Á 49Í 4fÓ 55Ú 61á 69í 6fó 75ú')
  assert.equal(
    different(3),
    '5ê 9ç bÔ cô eÁ fá 12Φ 13Γ 15Ω 16Π 17Ψ 18Σ 19Θ 1fÊ 41À 49Í 4fÓ 55Ú 5bÃ 5cÕ 61Â 69í 6fó 75ú 7bã 7cõ 7fâ',
  )
})

test('an escape before a code without an extension reads as the character of the locking table', () => {
  assert.equal(decodeNational([27, 0x1c, 27, 27, 0x40, 27], tables(1, 1)!), 'Ş İ ')
})

test('if two elements name the same table, the last counts', () => {
  const national = nationalOf([element(SINGLE, 3), element(SINGLE, 2)])
  assert.equal(decodeNational([27, 0x61], national!), 'á')
})

test('the characters that all extension tables share are read with every language', () => {
  for (const language of [1, 2, 3]) {
    const text = '{}[]\\~|€'
    assert.equal(decodeNational([...encodeGsm7(text)], tables(language, language)!), text)
  }
})

test('an unsupported language reads as the default alphabet', () => {
  assert.equal(tables(4, 13), null)
  assert.equal(tables(0, 0), null)
  assert.equal(nationalOf([]), null)
})

test('with empty tables any septets read as they do without', () => {
  const anySeptets = fc.array(fc.oneof(fc.integer({ min: 0, max: 127 }), fc.constant(27)))
  fc.assert(
    fc.property(anySeptets, (codes) => {
      assert.equal(decodeNational(codes, { locking: {}, single: {} }), decodeGsm7(codes))
    }),
  )
})

test('a DELIVER with a national header is read with its table', () => {
  const codes = septets('Adi^os, coraz^on')
  // Header: 03 24 01 02, four octets, which fill five septets except for three bits.
  const body = hexOf(packSeptets(codes, 3))
  const length = hexOf(Uint8Array.of(5 + codes.length))
  const pdu = `00440B919746121611F1000081117002122223${length}03240102${body}`
  assert.equal((decodePdu(pdu) as Deliver).text, 'Adiós, corazón')
})
