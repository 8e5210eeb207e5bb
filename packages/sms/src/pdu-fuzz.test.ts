import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import delivers from '#vectors/pdu-deliver.json' with { type: 'json' }
import malformed from '#vectors/malformed-pdu.json' with { type: 'json' }
import reports from '#vectors/pdu-status-report.json' with { type: 'json' }
import submits from '#vectors/pdu-submit.json' with { type: 'json' }
import { DecodingError, hexOf } from './octets.ts'
import { decodePdu, type Pdu, type PduHints } from './pdu.ts'

const good = [...delivers.cases, ...submits.cases, ...reports.cases].map(({ pdu }) => pdu)
const hints = fc.record(
  { smscPart: fc.boolean(), atLength: fc.integer({ min: 0, max: 200 }) },
  { requiredKeys: [] },
)
const anyHex = fc.uint8Array({ maxLength: 200 }).map((octets) => octets.toHex())
/** Valid PDUs with some octets changed: they get further than noise. */
const bent = fc
  .tuple(fc.constantFrom(...good), fc.array(fc.tuple(fc.nat(170), fc.nat(255)), { maxLength: 4 }))
  .map(([pdu, changes]) => {
    const octets = Uint8Array.fromHex(pdu)
    for (const [at, octet] of changes) if (at < octets.length) octets[at] = octet
    return hexOf(octets)
  })

/** The decoded PDU, or undefined if it was refused correctly. */
function readOrRefused(pdu: string, hints?: PduHints): Pdu | undefined {
  try {
    return decodePdu(pdu, hints)
  } catch (error) {
    assert.ok(error instanceof DecodingError, String(error))
    assert.ok(error.octet >= 0 && error.octet <= Math.ceil(pdu.length / 2))
    assert.match(error.message, new RegExp(` at octet ${error.octet}$`))
    return undefined
  }
}

test('any octets are either read or refused as a DecodingError', () => {
  fc.assert(
    fc.property(fc.oneof(anyHex, bent), hints, (pdu, hints) => void readOrRefused(pdu, hints)),
    { numRuns: 3000 },
  )
})

test('any text is either read or refused as a DecodingError', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 100 }),
      hints,
      (text, hints) => void readOrRefused(text, hints),
    ),
  )
})

test('decoded fields are within their bounds', () => {
  fc.assert(
    fc.property(bent, (pdu) => {
      const read = readOrRefused(pdu)
      if (!read) return
      assert.ok(read.number.length <= 21)
      if (read.type === 'status-report') return
      assert.equal(read.text === null, read.data !== null)
      assert.ok((read.text?.length ?? 0) <= 255)
      if (read.concat) assert.ok(read.concat.n >= 1 && read.concat.n <= read.concat.of)
      else assert.ok(read.text?.isWellFormed() ?? true)
    }),
    { numRuns: 2000 },
  )
})

test('a valid PDU cut anywhere is refused', () => {
  for (const { pdu, smscPart } of [
    ...delivers.cases.map((vector) => ({ ...vector, smscPart: true })),
    ...submits.cases.map((vector) => ({ ...vector, smscPart: true })),
    ...reports.cases,
  ]) {
    const whole = decodePdu(pdu, { smscPart })
    // Fields after TP-ST of a report are not read, so a report cut there is complete.
    const needed = whole.type === 'status-report' ? octetsToStatus(pdu, smscPart) : pdu.length / 2
    for (let end = 0; end < needed; end++) {
      assert.equal(readOrRefused(pdu.slice(0, 2 * end), { smscPart }), undefined)
      assert.equal(readOrRefused(pdu.slice(0, 2 * end + 1), { smscPart }), undefined)
    }
  }
})

function octetsToStatus(pdu: string, smscPart: boolean): number {
  const octets = Uint8Array.fromHex(pdu)
  const tpdu = smscPart ? 1 + octets[0]! : 0
  return tpdu + 4 + Math.ceil(octets[tpdu + 2]! / 2) + 7 + 7 + 1
}

test('100 kB of anything are read or refused quickly', () => {
  const long = [
    ...good,
    ...malformed.cases.map(({ pdu }) => pdu),
    'FF',
    '00',
    '07',
    ' ',
    'x',
    '😀',
    '0',
  ].flatMap((pdu) => [
    pdu.repeat(Math.ceil(100_000 / pdu.length)),
    `${pdu}${'0'.repeat(100_000)}`,
    `${pdu}${'Z'.repeat(100_000)}`,
  ])
  const before = process.cpuUsage()
  for (const pdu of long) readOrRefused(pdu)
  // Processor time, which other work on the machine barely affects.
  assert.ok(process.cpuUsage(before).user < 10_000_000)
})
