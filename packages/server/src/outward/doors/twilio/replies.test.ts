import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readMessages } from './replies.ts'

test('the texts of an answer are those of its messages, directly or in a body', () => {
  for (const [twiml, ...texts] of [
    [
      '<?xml version="1.0"?><Response><Message>a</Message><Message><Body>b</Body></Message></Response>',
      'a',
      'b',
    ],
    ['<Message to="+1">\n a\n b </Message>', 'a\n b'],
    ['<Message action="x"><Media>y</Media><Body lang="es">hola</Body></Message>', 'hola'],
    ['<Message/><Message>a</Message><Message></Message><Message> </Message>', 'a'],
    [
      '<Message>a &lt;b&gt; &amp;amp; &quot;&apos;&#241;&#xF1;&nope;&constructor;</Message>',
      `a <b> &amp; "'ññ&nope;&constructor;`,
    ],
    ['<Message>a<![CDATA[<b> &amp; ]]]>c<!-- d --></Message>', 'a<b> &amp; ]c'],
    ['<Messages>a</Messages><message>b</message><Response/>'],
    ['<Message>1 < 2</Message>', '1 < 2'],
    ['<Message>a</Message><Message>b', 'a'],
    ['plain text'],
    [''],
  ] as const)
    assert.deepEqual(readMessages(twiml), texts, twiml)
})

test('at most ten messages of an answer are read, and empty ones do not count', () => {
  const twiml = Array.from({ length: 40 }, (_, i) => `<Message></Message><Message>${i}</Message>`).join('')
  assert.deepEqual(readMessages(twiml), ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'])
})

test('four times as long an answer takes about four times as long to read, however it is written', () => {
  for (const part of ['<', '<Body', '<Body>', '<![CDATA[', '<![CDATA[>', '<b>', '&amp', ']]>']) {
    requireLinear(part, (length) => `<Message>${fill(part, length)}</Message>`)
  }
  for (const part of ['<', '<Message', '<Message>', '<Message></Message>', '</Message>']) {
    requireLinear(part, (length) => fill(part, length))
  }
})

function fill(part: string, length: number): string {
  return part.repeat(Math.ceil(length / part.length))
}

/** With quadratic work the factor is 16. The clock of the CPU time may tick only every 4 ms. */
function requireLinear(part: string, twimlOf: (length: number) => string): void {
  const [short_us, long_us] = [cpuOf(twimlOf(16_384)), cpuOf(twimlOf(65_536))]
  assert.ok(long_us < 10 * Math.max(short_us, 2_000), `${part}: ${short_us} µs, then ${long_us} µs`)
}

/** The least CPU time of three runs. Other programs and the compilation count little in it. */
function cpuOf(twiml: string): number {
  const runs = Array.from({ length: 3 }, () => {
    const began = process.threadCpuUsage()
    readMessages(twiml)
    const { user, system } = process.threadCpuUsage(began)
    return user + system
  })
  return Math.min(...runs)
}
