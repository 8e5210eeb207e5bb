import assert from 'node:assert/strict'
import * as protocol from '@sdd/contract/fleet/device-protocol.ts'
import { PhoneNumber } from '@sdd/contract/core/fields.ts'
import { csvLine, escapeFormula } from '../../../packages/server/src/core/csv.ts'
import { openMetrics } from '../../../packages/server/src/core/metrics.ts'
import { isAnswerable, keptNumber, keptSender } from '../../../packages/server/src/core/phone-number.ts'
import { openTopics } from '../../../packages/server/src/fleet/transport/device-topics.ts'
import { openFeatureMetrics } from '../../../packages/server/src/core/feature-metrics.ts'
import { isStopWord } from '../../../packages/server/src/messages/opt-outs/stop-words.ts'
import type { Target } from '../target.ts'

const topics = [
  protocol.deviceStatus,
  protocol.deviceNetworks,
  protocol.deviceReports,
  protocol.deviceInbox,
  protocol.deviceCommands,
]
const from = { connection: 1, connection_id: 'c', uid: 'a', device_id: 1, company_id: 1 }
const log = { warn() {} }

const payloads = [
  '{"status":"connected","session":"s","agent":"a/1"}',
  '{"wifi":{"ssid":"x","intensity":-60},"mobile":{"sims":[{"slot":0,"phone_number":"+34600111222"}]}}',
  '[{"guid":"g","attempt":2,"state":"failed","at":"2026-01-01T00:00:00.5+02:00","code":"timeout","block":false,"parts":1}]',
  '{"id":"1","from":"+34600111222","text":"hola","at":"2026-01-01T00:00:00Z","sim":1}',
  '{"type":"send","guid":"g","attempt":1,"to":"600","text":"x","expires_at":"2026-01-01T00:00:00.000Z"}',
]

/** A packet from a device: it never causes an error, and its accepted parts match the contract. */
export const payload: Target = {
  name: 'payload',
  package: 'server',
  seeds: topics.flatMap((_, place) => payloads.map((text) => Buffer.from([place, ...Buffer.from(text)]))),
  words: [
    '"at":"',
    '2026-01-01T00:00:00Z',
    '"guid":"',
    '"state":"sent"',
    '[',
    ']',
    '{',
    '}',
    ',',
    '\\u0000',
    'null',
    '1e99',
    '-1',
  ],
  async check(input) {
    const topic = topics[(input[0] ?? 0) % topics.length]!
    const taken: unknown[] = []
    const open = openTopics({ log: log as never, dropped: figures.dropped })
    open.serve(topic, async (_, payloads) => void taken.push(...payloads))
    await open.received(from, topic, input.subarray(1))
    assert.ok(taken.length <= (topic.batch ?? 1))
    for (const one of taken) assert.deepEqual(topic.payload.parse(JSON.parse(JSON.stringify(one))), one)
  },
}
const figures = openFeatureMetrics(openMetrics())

/** A phone number: it reads the same however often it is read again, in any country. */
export const phone: Target = {
  name: 'phone',
  package: 'server',
  seeds: ['+34 600-111.222', '(0049) 30 [123]', '٦٠٠١١١', '600\u2011111', '+', '123456789012345'],
  words: ['+', '(', ')', '[', ']', '.', '-', ' ', '\u2010', '\u00a0', '\u200b', '0', '00'],
  check(input) {
    const text = input.toString()
    const { data } = PhoneNumber.safeParse(text)
    const kept = keptNumber(text, 'ES')
    if (kept === undefined) assert.equal(keptSender(text, 'ES'), text)
    else {
      assert.match(kept, /^(\+[0-9]{7,15}|[0-9]{3,6})$/)
      for (const country of ['ES', 'US', 'IT', 'AD']) assert.equal(keptNumber(kept, country), kept)
      assert.ok(isAnswerable(kept))
    }
    if (data === undefined) return
    assert.match(data, /^(\+[0-9]{6,15}|[0-9]{3,15})$/)
    assert.equal(PhoneNumber.parse(data), data)
    assert.equal(keptNumber(data, 'ES'), kept)
  },
}

/** A line of the exported log: its cells read back unchanged, and none is a formula. */
export const csv: Target = {
  name: 'csv',
  package: 'server',
  seeds: ['a\x1fb', '=1+1\x1f"x"\x1f,\r\n', '@sum\x1f-1\x1f+2\x1f\tx'],
  words: ['"', '""', ',', '\r\n', '=', '+', '-', '@', '\t', '\x1f'],
  check(input) {
    const cells = input.toString().split('\x1f').map(escapeFormula)
    for (const cell of cells) assert.doesNotMatch(cell, /^[=+\-@\t\r\n]/)
    assert.deepEqual(readLine(csvLine(cells)), cells)
  },
}

/** RFC 4180, exactly. */
function readLine(line: string): string[] {
  assert.ok(line.endsWith('\r\n'))
  const cells: string[] = []
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y
  while (cell.lastIndex < line.length) {
    const [, quoted, plain, end] = cell.exec(line) ?? assert.fail('it is not a line of CSV')
    cells.push(quoted?.replaceAll('""', '"') ?? plain!)
    if (end === '\r\n') assert.equal(cell.lastIndex, line.length, 'a line has one end')
  }
  return cells
}

/** Whether an SMS is a stop word: surrounding blanks, case and punctuation make no difference. */
export const stop: Target = {
  name: 'stop',
  package: 'server',
  seeds: ['STOP', ' bája!! ', 'no quiero más', 'ﬆop', '\u0130'],
  words: ['stop', 'baja', ' ', '!', '\u0301', '\n', '\ufdfa', '👍'],
  check(input) {
    const text = input.toString()
    const said = isStopWord(text, ['STOP', 'baja'])
    assert.equal(isStopWord(` ${text} !`, ['stop', 'Baja']), said)
    if (text.length > 0) assert.equal(isStopWord(text, []), false)
  },
}
