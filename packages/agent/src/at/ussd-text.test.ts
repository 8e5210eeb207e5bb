import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hexOf } from '@sdd/sms/octets.ts'
import { packUssdCode, readUssdText } from './ussd-text.ts'

test('a code is packed as Huawei sticks want it, and padded if its last octet would read as one more character', () => {
  assert.equal(packUssdCode('*100#'), 'AA180C3602')
  assert.equal(readUssdText(packUssdCode('*12345#'), 15), '*12345#')
})

test('an answer in the default alphabet is read as text, as packed septets, and as UCS-2 that the modem made of it', () => {
  const text = 'Saldo: 12,50 EUR'
  for (const dcs of [15, 0, 1, 64, null]) {
    assert.equal(readUssdText(text, dcs), text)
    assert.equal(readUssdText(packUssdCode(text), dcs), text)
    assert.equal(readUssdText(ucs2(text), dcs), text)
  }
})

test('an answer in UCS-2 is read from its hex, with and without the language in front', () => {
  for (const dcs of [72, 0x4a, 0x98])
    assert.equal(readUssdText(ucs2('Válido: 5 €, остаток'), dcs), 'Válido: 5 €, остаток')
  assert.equal(readUssdText(`6574${ucs2('Señal')}`, 0x11), 'Señal')
  assert.equal(readUssdText('Plain after all', 72), 'Plain after all')
})

test('an answer of octets is read as UCS-2, UTF-8 or Latin-1', () => {
  assert.equal(readUssdText(ucs2('Saldo 5'), 68), 'Saldo 5')
  assert.equal(readUssdText(hexOf(Buffer.from('Válido')), 68), 'Válido')
  assert.equal(readUssdText(hexOf(Buffer.from('Válido', 'latin1')), 68), 'Válido')
  assert.equal(readUssdText('Saldo 5', 68), 'Saldo 5')
})

test('letters of the GSM alphabet are read from their bytes; modems that write ASCII keep their signs', () => {
  assert.equal(readUssdText('\x40Hola, se\x7dor\x60', 15), '¡Hola, señor¿')
  assert.equal(readUssdText('Cr\x05dito: \x022,50, a\x00b.es', 15), 'Crédito: $2,50, a@b.es')
  assert.equal(readUssdText('Saldo: $5.00, info@example.org, a_b', 15), 'Saldo: $5.00, info@example.org, a_b')
  assert.equal(readUssdText(Buffer.from('Válido').toString('latin1'), 15), 'Válido')
})

test('a number is not taken for hex, lines stay lines, and the language in front is dropped', () => {
  assert.equal(readUssdText('34600111222', 15), '34600111222')
  assert.equal(readUssdText('3460011122', 15), '3460011122')
  assert.equal(readUssdText('1. Saldo\n2. Recargar', 15), '1. Saldo\n2. Recargar')
  assert.equal(readUssdText('es\nHola', 0x10), 'Hola')
  assert.equal(readUssdText('', 15), '')
})

function ucs2(text: string): string {
  return hexOf(Buffer.from(text, 'utf16le').swap16())
}
