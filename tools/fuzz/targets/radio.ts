import assert from 'node:assert/strict'
import { DecodingError, hexOf } from '@sdd/sms/octets.ts'
import { encodeSubmit, writeSubmit } from '@sdd/sms/pdu-submit.ts'
import { decodePdu, type Pdu } from '@sdd/sms/pdu.ts'
import { measureText, splitText } from '@sdd/sms/segments.ts'
import * as answers from '../../../packages/agent/src/at/answers.ts'
import { LONGEST_LINE_BYTES, splitLines } from '../../../packages/agent/src/at/lines.ts'
import { readLine } from '../../../packages/agent/src/at/reading.ts'
import { readRegistration } from '../../../packages/agent/src/at/registration.ts'
import type { Target } from '../target.ts'
import { orAllowed } from './allowed.ts'

const octets = (hex: string) => Buffer.from(hex, 'hex')
const sent = encodeSubmit({
  to: '+34600111222',
  text: 'hola ñ €'.repeat(30),
  reference: 7,
  report: true,
  validity_mins: 60,
})
const pdus = [
  ...sent.map(({ pdu }) => octets(pdu)),
  octets('07914306073011F0040B914306565711F00000621142519500800A'.concat('E8329BFD4697D9EC37')),
  octets('07914306073011F006D60B914306565711F0621142519500806211425195008000'),
  octets('0001000B914306565711F000080A00680069D83DDE00263A'),
]

/** A PDU, whose first octet holds the modem's hint: it is read or refused, and if writable it reads back the same. */
export const pdu: Target = {
  name: 'pdu',
  package: 'sms',
  seeds: pdus.flatMap((pdu) => [0, 1, 2].map((hint) => Buffer.concat([Buffer.from([hint]), pdu]))),
  words: [
    octets('050003070201'),
    octets('0608040007020100'),
    octets('0B914306565711F0'),
    octets('91'),
    octets('D0'),
    octets('08'),
    octets('8C'),
  ],
  check(input) {
    const [hint = 0] = input
    const hex = hexOf(input.subarray(1))
    const hints = [{}, { smscPart: false }, { smscPart: true }, { atLength: hint >> 2 }][hint & 3]!
    const read = orAllowed(DecodingError, () => decodePdu(hex, hints))
    if ('error' in read) return assert.ok(read.error.octet >= 0 && read.error.octet <= input.length)
    withinBounds(read.value)
    if (read.value.type !== 'submit') return
    const submit = read.value
    const written = orAllowed(RangeError, () => writeSubmit(submit))
    if ('error' in written) return
    const {
      typeOfAddress: _,
      compressed: __,
      ...again
    } = decodePdu(written.value.pdu, { smscPart: true }) as typeof submit
    for (const [name, value] of Object.entries(again))
      assert.deepEqual(value, submit[name as keyof typeof submit], name)
  },
}

function withinBounds(pdu: Pdu): void {
  assert.ok(pdu.number.length <= 21)
  if (pdu.type === 'status-report') return
  assert.equal(pdu.text === null, pdu.data !== null)
  assert.ok((pdu.text?.length ?? 0) <= 255 && (pdu.data?.length ?? 0) <= 255)
  if (pdu.concat) assert.ok(pdu.concat.n >= 1 && pdu.concat.n <= pdu.concat.of)
}

/** A text to send: the counted segments are sent, and together they are the text again. */
export const text: Target = {
  name: 'text',
  package: 'sms',
  seeds: ['hola', '€'.repeat(200), 'ñ{}[]~|^\\'.repeat(30), '👩‍👩‍👧‍👦'.repeat(40), 'ç\u00a0ş'.repeat(90)],
  words: [
    '€',
    '{',
    'ñ',
    '\u0394',
    '👍',
    '\u1e9e',
    '\n',
    '\r',
    '\x1b',
    'a'.repeat(159),
    'ü'.repeat(152),
    'ж'.repeat(66),
  ],
  check(input) {
    // Lone surrogates are refused earlier: no SMS can carry them.
    const text = input.toString().slice(0, 16_000).toWellFormed()
    const { segments } = measureText(text)
    const split = orAllowed(RangeError, () => splitText(text))
    if ('error' in split) return assert.ok(segments > 255)
    const parts = split.value
    assert.equal(parts.length, segments)
    assert.equal(parts.join(''), text)
    if (text === '') return
    const sent = orAllowed(RangeError, () => encodeSubmit({ to: '600', text, reference: 1, report: false }))
    if ('error' in sent) return assert.ok(segments > 255)
    assert.equal(sent.value.length, segments)
    const read = sent.value.map(({ pdu }) => decodePdu(pdu, { smscPart: true }))
    assert.equal(read.map((one) => ('text' in one ? one.text : null)).join(''), text)
    if (segments === 1) return
    for (const [index, one] of read.entries()) {
      assert.ok(one.type === 'submit' && one.concat)
      assert.deepEqual([one.concat.n, one.concat.of], [index + 1, segments])
    }
  },
}

const LINES = [
  'OK',
  'ERROR',
  '+CMS ERROR: 38',
  '+CMTI: "SM",3',
  '+CMT: ,24',
  '+CREG: 2,1,"18D8","FFFF"',
  '^SMMEMFULL: "SM"',
  'RDY',
]
const ANSWERS = [
  '+CMGL: 1,0,,24\r\n07914306073011F0040B914306565711F00000\r\n',
  '+CPMS: ("ME","SM"),("ME","SM"),("SM")',
  '+CNMI: (0-3),(0,1),(0,2,3),(0,2),(1)',
  '+COPS: 0,0,"Movistar",7',
  '+CNUM: ,"34600111222",145',
]

/** A modem's output, chunked as the first byte says: lines are the same in any chunks, and are parsed. */
export const at: Target = {
  name: 'at',
  package: 'agent',
  seeds: [...LINES, ...ANSWERS].map((line) => `\x05\r\n${line}\r\nOK\r\n> `),
  words: [
    ...LINES,
    ...ANSWERS,
    '\r',
    '\n',
    '\r\n',
    '> ',
    '\x1a',
    '\x1b',
    '"',
    ',',
    '(',
    ')',
    '0-99999999999',
    ':',
  ],
  check(input) {
    const [size = 0] = input
    const stream = input.subarray(1)
    const lines = linesOf([stream])
    const cut = Array.from({ length: Math.ceil(stream.length / (1 + size)) }, (_, n) =>
      stream.subarray(n * (1 + size), (n + 1) * (1 + size)),
    )
    assert.deepEqual(linesOf(cut), lines, 'the result is the same in any chunks')
    for (const line of lines) readOne(line)
    for (const { pdu } of answers.readList(lines)) assert.match(pdu, /^[0-9A-F]{14,}$/i)
    assert.match(answers.readMessage(lines)?.pdu ?? 'AAAAAAAAAAAAAA', /^[0-9A-F]{14,}$/i)
    assert.match(answers.readIccid(lines) ?? '89', /^89\d*$/)
    assert.match(answers.readIdentity(lines) ?? '1', /^\d+$/)
    assert.match(answers.readOwnNumber(lines) ?? '1', /^\+?\d+$/)
    answers.readPinState(lines)
  },
}

function linesOf(chunks: readonly Uint8Array[]): string[] {
  const lines: string[] = []
  const take = splitLines({
    line: (text) => lines.push(text),
    prompt: () => lines.push('>'),
    overflow: () => lines.push('…'),
  })
  for (const chunk of chunks) take(chunk)
  for (const line of lines)
    assert.ok(line.length > 0 && line.length <= LONGEST_LINE_BYTES && !/[\r\n]/.test(line))
  return lines
}

function readOne(line: string): void {
  for (const awaited of [[], ['+CREG', '+CMGL']]) {
    const reading = readLine(line, awaited)
    if (reading.is === 'failure') assert.ok(reading.failure.code === null || reading.failure.code >= 0)
    if (
      reading.is === 'unsolicited' &&
      (reading.unsolicited.kind === 'message' || reading.unsolicited.kind === 'report')
    )
      assert.match(reading.unsolicited.pdu, /^[0-9A-F]+$/i)
  }
  const support = answers.readCnmiSupport(line)
  for (const numbers of Object.values(support)) assert.ok(numbers.length <= line.length * 101)
  const { mem1, mem2, mem3 } = answers.readStorages(line)
  for (const memory of [...mem1, ...mem2, ...mem3]) assert.match(memory, /^[A-Z]{2}$/)
  const dbm = answers.readSignal(line)
  assert.ok(dbm === null || (dbm >= -113 && dbm <= -51))
  answers.readStorageUse(line)
  answers.readOperator(line)
  answers.readSmsc(line)
  readRegistration(line)
}
