import assert from 'node:assert/strict'
import { test } from 'node:test'
import vectors from '#vectors/dcs.json' with { type: 'json' }
import { dcsFor, readDcs } from './dcs.ts'

test('the vectors have every TP-DCS', () => {
  assert.deepEqual(
    vectors.cases.map(({ dcs }) => dcs),
    Array.from({ length: 256 }, (_, dcs) => dcs),
  )
})

for (const { id, source: _, dcs, mwi, ...expected } of vectors.cases) {
  test(`TP-DCS 0x${id.slice(4)} is ${expected.encoding}`, () => {
    const { waiting, ...read } = readDcs(dcs)
    assert.deepEqual(read, expected)
    assert.equal(waiting !== null, mwi)
  })
}

test('a waiting indication names its subject, whether it is on, and whether to keep the text', () => {
  assert.deepEqual(readDcs(0xc8).waiting, { what: 'voicemail', active: true, keep: false })
  assert.deepEqual(readDcs(0xd1).waiting, { what: 'fax', active: false, keep: true })
  assert.deepEqual(readDcs(0xea).waiting, { what: 'email', active: true, keep: true })
  assert.deepEqual(readDcs(0xcb).waiting, { what: 'other', active: true, keep: false })
})

test('a sent text has the alphabet that it needs, and class 0 if it is a flash message', () => {
  for (const encoding of ['gsm7', 'ucs2'] as const) {
    const plain = readDcs(dcsFor(encoding, false))
    assert.deepEqual([plain.encoding, plain.class, plain.reserved], [encoding, null, false])
    const flash = readDcs(dcsFor(encoding, true))
    assert.deepEqual([flash.encoding, flash.class, flash.reserved], [encoding, 0, false])
  }
})
