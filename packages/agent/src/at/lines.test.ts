import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { LONGEST_LINE_BYTES, splitLines } from './lines.ts'

test('CR, LF, CR LF and CR CR LF all end a line, and blank lines are skipped', () => {
  assert.deepEqual(split('a\rb\nc\r\nd\r\r\ne\r\n\r\n\r\n  \r\nf\r'), ['a', 'b', 'c', 'd', 'e', 'f'])
  assert.deepEqual(split(Buffer.from('\r\n\xa0\r\n\xa0g\xa0 \r\n', 'latin1')), ['g'])
})

test('a prompt is recognised without a line end, with and without its space', () => {
  assert.deepEqual(split('\r\n> '), ['<prompt>'])
  assert.deepEqual(split('\r\n>'), ['<prompt>'])
  assert.deepEqual(split('> \r\nERROR\r\n'), ['<prompt>', 'ERROR'])
})

test('the echo of a PDU behind the prompt is a separate line, without its Ctrl-Z', () => {
  assert.deepEqual(split('\r\n> 0011000B\x1a\r\n+CMGS: 7\r\n'), ['<prompt>', '0011000B', '+CMGS: 7'])
})

test('a ">" inside a line is not a prompt', () => {
  assert.deepEqual(split('+COPS: 0,0,"a > b"\r\n'), ['+COPS: 0,0,"a > b"'])
})

test('half a line is held back until its end arrives', () => {
  assert.deepEqual(split('\r\n+CMGS: 21'), [])
})

test('100 kB without a line end are dropped once, and the line after them is read', () => {
  const noise = 'x'.repeat(100_000)
  assert.deepEqual(split(`${noise}\r\nOK\r\n`), ['<overflow>', 'OK'])
  assert.deepEqual(split(`${'x'.repeat(LONGEST_LINE_BYTES)}\r\n`), ['x'.repeat(LONGEST_LINE_BYTES)])
})

test('binary noise is read as some line or none, and does not harm the next line', () => {
  const bytes = fc.uint8Array({ maxLength: 2_000 })
  fc.assert(
    fc.property(bytes, (noise) => {
      const seen = split(Buffer.concat([noise, Buffer.from('\r\nOK\r\n')]))
      assert.equal(seen.at(-1), 'OK')
    }),
  )
})

test('it makes no difference how the bytes are split into chunks', () => {
  const text = 'AT+CSQ\r\r\n+CSQ: 17,99\r\n\r\nOK\r\n\r\n> \r\nERROR\r\n'
  const cuts = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 50, maxLength: 50 })
  fc.assert(fc.property(cuts, (sizes) => assert.deepEqual(split(text, sizes), split(text))))
})

function split(input: string | Uint8Array, sizes: number[] = []): string[] {
  const seen: string[] = []
  const take = splitLines({
    line: (text) => seen.push(text),
    prompt: () => seen.push('<prompt>'),
    overflow: () => seen.push('<overflow>'),
  })
  const bytes = Buffer.from(input)
  let at = 0
  for (const size of sizes) take(bytes.subarray(at, (at += size)))
  take(bytes.subarray(at))
  return seen
}
