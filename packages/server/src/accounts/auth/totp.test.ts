import assert from 'node:assert/strict'
import { test } from 'node:test'
import { base32, totpAt, otpauthUri, stepAt, stepOf } from './totp.ts'

/** Values of RFC 6238, appendix B. It has 8 digits; an app of 6 shows the last ones. */
const SECRET = Buffer.from('12345678901234567890')
const VECTORS: [secs: number, code: string][] = [
  [59, '94287082'],
  [1_111_111_109, '07081804'],
  [1_111_111_111, '14050471'],
  [1_234_567_890, '89005924'],
  [2_000_000_000, '69279037'],
  [20_000_000_000, '65353130'],
]

for (const [secs, code] of VECTORS) {
  test(`the code at ${secs} s matches RFC 6238`, () => {
    assert.equal(totpAt(SECRET, stepAt(secs * 1_000)), code.slice(-6))
  })
}

test('a code works in its own half minute and the half minutes before and after it', () => {
  const now = 1_111_111_111_000
  const step = stepAt(now)
  const found = [-2, -1, 0, 1, 2].map((away) => stepOf(SECRET, totpAt(SECRET, step + away), now))
  assert.deepEqual(found, [undefined, step - 1, step, step + 1, undefined])
})

test('a code must have six digits', () => {
  const code = totpAt(SECRET, 1)
  for (const other of ['', code.slice(1), `${code}0`, ` ${code}`, '１２３４５６']) {
    assert.equal(stepOf(SECRET, other, 45_000), undefined)
  }
  assert.equal(stepOf(SECRET, code, 45_000), 1)
})

test('a secret is encoded in base32 as RFC 4648 defines it', () => {
  assert.equal(base32(Buffer.from('fooba')), 'MZXW6YTB')
  assert.equal(base32(SECRET), 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ')
})

test('the address for an app names the product and the user, with any characters', () => {
  const uri = otpauthUri(SECRET, 'SMS DRONE DASH', 'Núria & co: 1 (sms.example.org)')
  const { protocol, host, pathname, searchParams } = new URL(uri)
  assert.deepEqual([protocol, host], ['otpauth:', 'totp'])
  assert.equal(decodeURIComponent(pathname), '/SMS DRONE DASH:Núria & co: 1 (sms.example.org)')
  assert.deepEqual(Object.fromEntries(searchParams), {
    secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
    issuer: 'SMS DRONE DASH',
    algorithm: 'SHA1',
    digits: '6',
    period: '30',
  })
  // A plus sign would be read as one by some apps.
  assert.match(uri, /issuer=SMS%20DRONE%20DASH/)
})
