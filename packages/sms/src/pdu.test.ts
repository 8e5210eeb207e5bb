import assert from 'node:assert/strict'
import { test } from 'node:test'
import delivers from '#vectors/pdu-deliver.json' with { type: 'json' }
import malformed from '#vectors/malformed-pdu.json' with { type: 'json' }
import reports from '#vectors/pdu-status-report.json' with { type: 'json' }
import submits from '#vectors/pdu-submit.json' with { type: 'json' }
import { deliveryStatus } from './delivery-status.ts'
import { DecodingError, hexOf } from './octets.ts'
import { decodePdu, type Pdu } from './pdu.ts'
import type { Deliver } from './pdu-deliver.ts'
import type { UserData } from './user-data.ts'

type Fields = Record<string, unknown>

/** The decoded PDU in the notation of the vectors. */
function inTheirWords(pdu: Pdu): Fields {
  const { type, smsc, number, typeOfAddress: toa } = pdu
  const common = { type, smsc, number, toa }
  switch (pdu.type) {
    case 'deliver': {
      const { pid, timestamp } = pdu
      return { ...common, pid, timestamp, mms: !pdu.moreWaiting, ...userDataInTheirWords(pdu) }
    }
    case 'status-report': {
      const { reference, timestamp, discharge, status } = pdu
      const statusClass = {
        delivered: 'delivered',
        trying: 'pending',
        undelivered: 'failed',
        unknown: 'unknown',
      }
      return { ...common, mr: reference, timestamp, discharge, status, statusClass: statusClass[pdu.state] }
    }
    case 'submit': {
      const { reference: mr, reportRequested: srr, rejectDuplicates: rd, pid } = pdu
      const validity =
        pdu.validity?.format === 'absolute' ? { format: 'absolute', at: pdu.validity.until } : pdu.validity
      return { ...common, mr, srr, rd, pid, validity, ...userDataInTheirWords(pdu) }
    }
  }
}

function userDataInTheirWords({
  dcs,
  encoding,
  class: cls,
  udh,
  concat,
  ports,
  text,
  data,
}: UserData): Fields {
  return {
    dcs,
    encoding,
    class: cls,
    udhi: udh.length > 0,
    ...(udh.length > 0 && { udh: udh.map(({ iei, data }) => ({ iei, data: hexOf(data) })) }),
    ...(concat && {
      concat: { refBits: concat.refBits, ref: concat.ref, total: concat.of, seq: concat.n },
    }),
    ...(ports && { ports: { dst: ports.destination, src: ports.source } }),
    ...(text !== null && { text }),
    ...(data !== null && { data: hexOf(data) }),
  }
}

/** The vectors also have the octet of a relative validity, and call a reserved status delivered. */
function comparable({ validity, statusClass, ...rest }: Fields): Fields {
  const { octet: _, ...told } = (validity ?? {}) as Fields
  return {
    ...rest,
    ...(validity !== undefined && { validity: validity && told }),
    ...(typeof statusClass === 'string' && { statusClass: statusClass.replace('-reserved', '') }),
  }
}

const whole = [...delivers.cases, ...submits.cases].map((vector) => ({ ...vector, smscPart: true }))
for (const { id, pdu, atLength, smscPart, expect } of [...whole, ...reports.cases]) {
  test(`a ${expect.type} of ${expect.number} is read field by field (${id})`, () => {
    const expected = comparable({ smsc: null, ...expect })
    assert.deepEqual(inTheirWords(decodePdu(pdu, { smscPart })), expected)
    assert.deepEqual(inTheirWords(decodePdu(pdu, { atLength })), expected)
    assert.deepEqual(inTheirWords(decodePdu(pdu.toLowerCase(), { smscPart, atLength: 3 })), expected)
    const smscOctets = smscPart ? 1 + Number.parseInt(pdu.slice(0, 2), 16) : 0
    assert.equal(pdu.length / 2 - smscOctets, atLength)
  })
}

/** Strange but complete PDUs, and how they are read. All others must be refused. */
const READABLE: Record<string, (pdu: Deliver) => void> = {
  // Half a surrogate pair in a single message: the other half never comes.
  'own-11': ({ text }) => assert.equal(text, '\ufffd'),
  // Compressed text is kept as received.
  'own-12': ({ text, data }) => assert.deepEqual([text, hexOf(data!)], [null, 'D83D']),
  'own-14': ({ text }) => assert.equal(text, ''),
  'own-15': ({ text, data }) => assert.deepEqual([text, hexOf(data!)], [null, '00000000']),
  // The right-to-left override stays; log and CSV writers escape it.
  'own-18': ({ text }) => assert.equal(text, '\u202eexe'),
}

for (const { id, pdu, note } of malformed.cases) {
  const reading = READABLE[id]
  if (reading) {
    test(`a strange PDU is read: ${note} (${id})`, () => {
      const read = decodePdu(pdu)
      assert.equal(read.type, 'deliver')
      reading(read as Deliver)
    })
  } else {
    test(`an invalid PDU is refused: ${note} (${id})`, () => {
      assert.throws(
        () => decodePdu(pdu),
        (error) => error instanceof DecodingError && error.octet >= 0 && error.octet <= pdu.length / 2,
      )
    })
  }
}

test('the error names the field and the octet within the whole PDU', () => {
  const refused = (pdu: string, message: RegExp, octet: number) =>
    assert.throws(() => decodePdu(pdu), { name: 'DecodingError', message, octet })
  refused('07916', /^Half an octet at octet 2$/, 2)
  refused('0791x', /^A character that is not a hex digit at octet 2$/, 2)
  refused('00', /^Nothing after the SMSC part at octet 1$/, 1)
  refused('000405912143', /ends within its sender \(3 octets wanted, 2 there\) at octet 4$/, 4)
})

test('an element that is longer than its header is refused', () => {
  const pdu = (userData: string) => `07919730071111F1440B919746121611F1000881117002122223${userData}`
  const message = /header ends within an element at octet/
  assert.throws(() => decodePdu(pdu('08' + '0500050102030041')), { message, octet: 28 })
  assert.throws(() => decodePdu(pdu('0A' + '070003070201' + '24050041')), { message, octet: 33 })
})

test('a header that leaves no room for a septet leaves no text', () => {
  for (const userData of ['0100', '020000']) {
    const pdu = decodePdu(`00440B919746121611F1000081117002122223${userData}`) as Deliver
    assert.deepEqual([pdu.text, pdu.udh], ['', []])
  }
})

test('extra octets after the end, as some modems add them, change nothing', () => {
  for (const { pdu, smscPart } of [...whole, ...reports.cases]) {
    assert.deepEqual(decodePdu(`${pdu}00FF1A`, { smscPart }), decodePdu(pdu, { smscPart }))
  }
})

test('a header length that counts the SMSC part too does not hide it', () => {
  for (const { pdu } of whole) {
    assert.deepEqual(decodePdu(pdu, { atLength: pdu.length / 2 }), decodePdu(pdu))
  }
})

/** An SMS `A` in UCS-2 after the header. */
function behind(header: string): Deliver {
  const headed = `${hexOf(Uint8Array.of(header.length / 2))}${header}0041`
  const length = hexOf(Uint8Array.of(headed.length / 2))
  const pdu = decodePdu(`00440B919746121611F1000881117002122223${length}${headed}`) as Deliver
  assert.equal(pdu.text, 'A')
  return pdu
}

test('of two concatenation headers the last counts, and an invalid one is ignored', () => {
  const concatOf = (header: string) => behind(header).concat
  assert.deepEqual(concatOf('0003070201' + '080412340302'), { ref: 0x1234, refBits: 16, n: 2, of: 3 })
  assert.deepEqual(concatOf('080412340302' + '0003070201'), { ref: 7, refBits: 8, n: 1, of: 2 })
  assert.equal(concatOf('0003070200'), null)
  assert.equal(concatOf('0003070203'), null)
  assert.equal(concatOf('0003070000'), null)
  for (const odd of ['00020702', '000407020100', '0803070201', '08050702010101'])
    assert.equal(concatOf(odd), null)
})

test('ports are read in both widths, and only whole ones', () => {
  const portsOf = (header: string) => behind(header).ports
  assert.deepEqual(portsOf('0402F0E1'), { destination: 0xf0, source: 0xe1 })
  assert.deepEqual(portsOf('05040B8423F0'), { destination: 2948, source: 9200 })
  assert.deepEqual(portsOf('0402F0E1' + '05040B8423F0'), { destination: 2948, source: 9200 })
  for (const odd of ['0401F0', '0404F0E10B84', '05020B84', '0003070201']) assert.equal(portsOf(odd), null)
})

test('a reserved message type is read as a DELIVER, as the standard requires', () => {
  const [vector] = delivers.cases
  const reserved = vector!.pdu.replace(/^(07919730071111F1)04/, '$107')
  assert.deepEqual(inTheirWords(decodePdu(reserved)), vector!.expect)
})

test('every TP-ST has a state and a sentence', () => {
  const states = Array.from({ length: 256 }, (_, status) => deliveryStatus(status))
  const counted = Object.groupBy(states, ({ state }) => state)
  const count = Object.fromEntries(Object.entries(counted).map(([state, of]) => [state, of.length]))
  assert.deepEqual(count, { delivered: 32, trying: 32, undelivered: 64, unknown: 128 })
  assert.equal(new Set(states.map(({ sentence }) => sentence)).size, 256)
  assert.equal(deliveryStatus(0x46).sentence, 'The message expired before it could be delivered')
  assert.match(deliveryStatus(0x30).sentence, /keeps trying \(status 0x30\)/)
})
