import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SmppFault, STATUS } from './commands.ts'
import { joinText, readPiece } from './parts.ts'
import type { Submit } from './pdus.ts'
import { CODING, decodeText } from './texts.ts'
import { readTime, writeTime } from './times.ts'

const NOW_MS = Date.parse('2026-01-31T23:59:00Z')
const hex = (digits: string) => Buffer.from(digits, 'hex')
const isFault = (status: number) => (error: unknown) => error instanceof SmppFault && error.status === status

const submit = (fields: Partial<Submit>): Submit => ({
  source: '',
  destination: '+34600111222',
  esm_class: 0,
  schedule_delivery_time: '',
  validity_period: '',
  registered_delivery: 0,
  data_coding: 0,
  message: Buffer.alloc(0),
  sar: undefined,
  ...fields,
})

test('each alphabet is read, and octets outside it are refused', () => {
  const read: [data_coding: number, octets: string, text: string][] = [
    [CODING.gsm7, '001b650211', '@€$_'],
    [CODING.ascii, '407b7d', '@{}'],
    [CODING.latin1, '40f1bf', '@ñ¿'],
    [CODING.ucs2, '004103a9d83dde00feff', 'AΩ😀\ufeff'],
    [CODING.ucs2, '', ''],
  ]
  for (const [data_coding, octets, text] of read) assert.equal(decodeText(data_coding, hex(octets)), text)
  for (const [data_coding, octets] of [
    [CODING.gsm7, '80'],
    [CODING.ascii, 'f1'],
    [CODING.ucs2, '004100'],
    [2, '41'],
    [4, '41'],
    [0xf5, '41'],
  ] as const)
    assert.throws(() => decodeText(data_coding, hex(octets)), isFault(STATUS.submit_failed))
})

test('times are absolute with a distance from UTC, or relative to now', () => {
  const times: [written: string, at: string | undefined][] = [
    ['260201120000000+', '2026-02-01T12:00:00.000Z'],
    ['260201120000508+', '2026-02-01T10:00:00.500Z'],
    ['260201120000004-', '2026-02-01T13:00:00.000Z'],
    ['000000010000000R', '2026-02-01T00:59:00.000Z'],
    ['010000000000000R', '2027-01-31T23:59:00.000Z'],
    ['260230120000000+', undefined],
    ['261301120000000+', undefined],
    ['260201120000049+', undefined],
    ['260201120000000', undefined],
    ['tomorrow', undefined],
  ]
  for (const [written, at] of times) {
    const at_ms = readTime(written, NOW_MS)
    assert.equal(at_ms === undefined ? undefined : new Date(at_ms).toISOString(), at, written)
  }
  assert.equal(writeTime('2026-02-01T12:34:56.789Z'), '260201123456700+')
})

test('the place of a part is in its header or its sar parameters', () => {
  const place = (fields: Partial<Submit>) => readPiece(submit(fields)).part
  const small = place({ esm_class: 0x40, message: hex('05000307020141') })
  const wide = place({ esm_class: 0x40, message: hex('0608040007020141') })
  const sar = place({ sar: { ref: 7, of: 2, n: 1 } })
  for (const part of [small, wide, sar]) assert.deepEqual([part?.n, part?.of], [1, 2])
  assert.equal(new Set([small, wide, sar].map((part) => part?.reference)).size, 3)
  assert.equal(place({ esm_class: 0x40, message: hex('05000307010141') }), undefined)
  assert.equal(place({ sar: { ref: 7, of: 1, n: 1 } }), undefined)
  assert.equal(place({ esm_class: 0x03 }), undefined)
  for (const message of [
    '',
    '09',
    '050003070200',
    '050003070203',
    '0605040b8423f0',
    '0a24010305000307020141',
    '0241',
  ])
    assert.throws(
      () => place({ esm_class: 0x40, message: hex(message) }),
      isFault(STATUS.bad_esm_class),
      message,
    )
  for (const esm_class of [0x04, 0x08, 0x20])
    assert.throws(() => place({ esm_class }), isFault(STATUS.bad_esm_class))
})

test('a character may be cut in two between parts of one alphabet', () => {
  const part = (data_coding: number, octets: string) => ({ data_coding, octets: hex(octets) })
  assert.equal(joinText([part(0, '41 1b'.replace(' ', '')), part(0, '65'), part(8, '00d1')]), 'A€Ñ')
  assert.equal(joinText([part(8, '0041d8'), part(8, '3dde00')]), 'A😀')
})
