import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keptOutput } from './output.ts'

test('an output of 16 KiB is kept whole, and a longer one is cut between characters and says so', () => {
  const whole = 'x'.repeat(16_384)
  assert.equal(keptOutput(whole), whole)
  const cut = keptOutput('€'.repeat(6_000))
  assert.match(cut, /^€+\n\[…\] \[cut, it had 18000 bytes\]$/)
  assert.ok(Buffer.byteLength(cut) <= 16_384)
  assert.equal(keptOutput('a\0b\ud800'), 'a\uFFFDb\uFFFD')
})
