import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import vectors from '#vectors/pdu-submit.json' with { type: 'json' }
import { dcsFor } from './dcs.ts'
import { isGsm7 } from './gsm7.ts'
import { octetsOfHex } from './octets.ts'
import { decodePdu } from './pdu.ts'
import { encodeSubmit, writeSubmit, type DecodedSubmit, type OutgoingText } from './pdu-submit.ts'
import { splitText } from './segments.ts'

type Vector = (typeof vectors.cases)[number]

const decodeSubmit = (pdu: string) => decodePdu(pdu) as DecodedSubmit
const sms: OutgoingText = { to: '+4791234567', text: '', reference: 123, report: false }

function validityOf({ validity }: Vector['expect']): DecodedSubmit['validity'] {
  if (!validity) return null
  return validity.format === 'relative'
    ? { format: 'relative', minutes: validity.minutes! }
    : { format: 'absolute', until: validity.at! }
}

for (const { id, pdu, atLength, expect } of vectors.cases) {
  test(`the fields of ${id} are written as its PDU`, () => {
    const { smsc, number, mr, pid, srr, rd, dcs, text, udh } = expect
    const written = writeSubmit({
      smsc,
      number,
      reference: mr,
      pid,
      reportRequested: srr,
      rejectDuplicates: rd,
      validity: validityOf(expect),
      dcs,
      udh: (udh ?? []).map(({ iei, data }) => ({ iei, data: octetsOfHex(data) })),
      text,
      data: null,
    })
    assert.deepEqual(written, { pdu, atLength })
  })

  const { dcs, text, rd, srr, udhi, validity } = expect
  const ours = dcs === dcsFor(isGsm7(text) ? 'gsm7' : 'ucs2', expect.class === 0)
  if (!ours || rd || udhi || validity?.format === 'absolute') continue
  test(`sending ${JSON.stringify(text.slice(0, 20))} to ${expect.number} is that PDU (${id})`, () => {
    const { smsc, number } = expect
    const written = encodeSubmit({
      to: number,
      text,
      reference: 0,
      report: srr,
      ...(validity && { validity_mins: validity.minutes! }),
      ...(smsc !== null && { smsc }),
      flash: expect.class === 0,
    })
    assert.deepEqual(written, [{ pdu, atLength }])
  })
}

test('a long text becomes the PDUs of its parts, which share a reference', () => {
  const byId = (id: string) => vectors.cases.find((vector) => vector.id === id)!
  const first = byId('own-surrogate-boundary-1of2')
  const second = byId('own-surrogate-boundary-2of2')
  const parts = encodeSubmit({ ...sms, text: first.expect.text + second.expect.text })
  assert.deepEqual(parts, [
    { pdu: first.pdu, atLength: first.atLength },
    { pdu: second.pdu, atLength: second.atLength },
  ])

  const extension = byId('own-ext-boundary-1of2')
  const [part] = encodeSubmit({ ...sms, text: `${extension.expect.text}€${'b'.repeat(8)}` })
  assert.deepEqual(part, { pdu: extension.pdu, atLength: extension.atLength })
})

const numbers = fc.stringMatching(/^\+?[0-9]{1,20}$/)
const gsm7Texts = fc.string({ unit: fc.constantFrom('a', '@', '€', '{', 'ñ', '\n', 'Ω'), maxLength: 500 })
const texts = fc.oneof(gsm7Texts, fc.string({ unit: 'grapheme', maxLength: 200 }), fc.string())

test('any text to any number can be read back from its PDUs', () => {
  const messages = fc.record({
    to: numbers,
    text: texts.filter((text) => text !== ''),
    reference: fc.integer({ min: 0, max: 255 }),
    report: fc.boolean(),
    flash: fc.boolean(),
    smsc: numbers,
  })
  fc.assert(
    fc.property(messages, (message) => {
      const parts = encodeSubmit(message).map(({ pdu, atLength }) => {
        assert.equal(pdu.length / 2, atLength + octetsOfHex(pdu)[0]! + 1)
        assert.ok(atLength <= 1 + 1 + 12 + 1 + 1 + 1 + 140)
        return decodeSubmit(pdu)
      })
      assert.equal(parts.map(({ text }) => text).join(''), message.text)
      assert.deepEqual(
        parts.map(({ text }) => text),
        splitText(message.text),
      )
      for (const [i, part] of parts.entries()) {
        const { ref, refBits, n, of } = part.concat ?? { ref: message.reference, refBits: 8, n: 1, of: 1 }
        assert.deepEqual([ref, refBits, n, of], [message.reference, 8, i + 1, parts.length])
        assert.deepEqual([part.number, part.smsc], [message.to, message.smsc])
        assert.deepEqual([part.reportRequested, part.class === 0], [message.report, message.flash])
        assert.deepEqual([part.type, part.validity, part.data], ['submit', null, null])
      }
    }),
  )
})

test('values that no PDU can express are refused', () => {
  assert.throws(() => encodeSubmit({ ...sms, text: '' }), /no text/)
  assert.throws(() => encodeSubmit({ ...sms, text: 'x', validity_mins: 0 }), /longer than 0/)
  assert.throws(() => encodeSubmit({ ...sms, text: 'x', smsc: 'SMSC' }), /no "S"/)
  assert.throws(() => encodeSubmit({ ...sms, text: 'x'.repeat(255 * 153 + 1) }), /more than 255/)
  const submit = decodeSubmit(encodeSubmit({ ...sms, text: 'x' })[0]!.pdu)
  assert.throws(() => writeSubmit({ ...submit, text: 'x'.repeat(161) }), /140 octets, not 141/)
  assert.throws(() => writeSubmit({ ...submit, text: 'ж' }), /GSM-7 has no/)
  assert.throws(() => writeSubmit({ ...submit, dcs: 4 }), /disagree/)
})

test('8-bit data and an enhanced validity are read back unchanged', () => {
  const submit = decodeSubmit(encodeSubmit({ ...sms, text: 'x' })[0]!.pdu)
  const data = octetsOfHex('0102FF')
  const validity = { format: 'enhanced', octets: octetsOfHex('01A70000000000') } as const
  const { pdu } = writeSubmit({ ...submit, dcs: 4, text: null, data, validity })
  const read = decodeSubmit(pdu)
  assert.deepEqual([read.text, read.data, read.validity, read.encoding], [null, data, validity, '8bit'])
})
