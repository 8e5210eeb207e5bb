import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAX_PAYLOAD_BYTES } from '@sdd/contract/fleet/device-protocol.ts'
import { openAnswers } from './answers.ts'

function openConnection() {
  const said: unknown[] = []
  const pubacks: PromiseWithResolvers<void>[] = []
  return {
    said,
    pubacks,
    publish(topic: string, payload: string) {
      said.push([topic, (JSON.parse(payload) as { order: number }).order])
      pubacks.push(Promise.withResolvers<void>())
      return pubacks.at(-1)!.promise
    },
  }
}

test('an answer that lost its connection is published at the next one, and never again after its PUBACK', async () => {
  const answers = openAnswers('d1')
  const [first, second, third] = [openConnection(), openConnection(), openConnection()]
  answers.give({ order: 1, ok: true })
  answers.opened(first)
  answers.give({ order: 2, ok: true })
  first.pubacks[0]!.resolve()
  first.pubacks[1]!.reject(new Error('the connection has ended'))
  await Promise.allSettled(first.pubacks.map(({ promise }) => promise))
  answers.closed()
  answers.give({ order: 3, ok: false })
  answers.opened(second)
  for (const { resolve } of second.pubacks) resolve()
  await Promise.all(second.pubacks.map(({ promise }) => promise))
  answers.opened(third)
  const topic = 'devices/d1/answers'
  assert.deepEqual(
    [first.said, second.said, third.said],
    [
      [
        [topic, 1],
        [topic, 2],
      ],
      [
        [topic, 2],
        [topic, 3],
      ],
      [],
    ],
  )
})

/** The payload that the server gets for this output. */
function payloadFor(output: string): string {
  const payloads: string[] = []
  const answers = openAnswers('d1')
  answers.opened({
    publish(_, payload) {
      payloads.push(payload)
      return Promise.resolve()
    },
  })
  answers.give({ order: 1, ok: true, output, detail: '\0'.repeat(20_000) })
  return payloads[0]!
}

test('an output of more than 16 KiB is cut to its newest lines, and says so', () => {
  const outputOf = (text: string) => (JSON.parse(payloadFor(text)) as { output: string }).output
  const lines = (count: number) =>
    Array.from({ length: count }, (_, i) => `2026-06-10T08:00:00.000Z línea ${i} ${'x'.repeat(90)}`).join(
      '\n',
    )
  for (const whole of ['', 'Saldo: 5', 'x'.repeat(16_384)]) assert.equal(outputOf(whole), whole)
  const [mark, first, ...rest] = outputOf(lines(1_000)).split('\n')
  assert.match(mark!, /^\[cut, it had \d+ bytes\] \[…\]$/)
  assert.match(first!, /^2026-.* línea \d+ x+$/)
  assert.match(rest.at(-1)!, / línea 999 x+$/)
  assert.ok(rest.length > 100)
  for (const long of ['€'.repeat(6_000), `${'€'.repeat(6_000)}\n`, `a\n${'€'.repeat(6_000)}`]) {
    const cut = outputOf(long)
    assert.match(cut, /^\[cut, it had 1800\d bytes\] \[…\]\n€{5000,}\n?$/)
    assert.ok(Buffer.byteLength(cut) <= 16_384)
  }
})

test('an answer always fits into a payload, whatever its characters', () => {
  for (const worst of ['\0', '"', '\u{1b}', '\ud800'])
    assert.ok(Buffer.byteLength(payloadFor(worst.repeat(20_000))) <= MAX_PAYLOAD_BYTES, JSON.stringify(worst))
})

test('an answer that ends every connection is given up after five of them', async () => {
  const answers = openAnswers('d1')
  answers.give({ order: 1, ok: true })
  const said: number[] = []
  for (let n = 0; n < 7; n++) {
    const connection = openConnection()
    answers.opened(connection)
    said.push(connection.said.length)
    for (const { reject } of connection.pubacks) reject(new Error('the server closed the connection'))
    await Promise.allSettled(connection.pubacks.map(({ promise }) => promise))
    answers.closed()
  }
  assert.deepEqual(said, [1, 1, 1, 1, 1, 0, 0])
})
