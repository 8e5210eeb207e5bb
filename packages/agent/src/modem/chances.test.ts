import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Fault } from '#agent/emulator/options.ts'
import { openTestModem } from '#test/modem.ts'

/** Random send faults, many times: the agent's reports match the messages on air. */

const FAULTS: Fault[] = [
  { kind: 'refused_at_once', says: '+CMS ERROR: 302' },
  { kind: 'refused_at_once', says: '+CME ERROR: 14' },
  { kind: 'no_prompt' },
  { kind: 'late_prompt', after_ms: 20_000 },
  { kind: 'late_prompt', after_ms: 40_000 },
  { kind: 'error_at_prompt' },
  { kind: 'answer', says: '+CMS ERROR: 500', on_air: true },
  { kind: 'answer', says: '+CMS ERROR: 500', on_air: false },
  { kind: 'answer', says: '+CMS ERROR: 350', on_air: true, after_ms: 135_000 },
  { kind: 'answer', says: '+CMGS: 9\r\n\r\nOK', on_air: true, after_ms: 200_000 },
  { kind: 'answer', says: '+CMS ERROR: 38', on_air: false },
  { kind: 'answer', says: '+CMS ERROR: 42', on_air: false, after_ms: 200_000 },
  { kind: 'answer', says: '+CMS ERROR: 513', on_air: false },
  { kind: 'answer', says: '+CMS ERROR: 1', on_air: false },
  { kind: 'answer', says: 'ERROR', on_air: true },
  { kind: 'silence', on_air: true },
  { kind: 'silence', on_air: false },
  { kind: 'restart', on_air: true },
  { kind: 'restart', on_air: false },
  { kind: 'restart', on_air: false, at: 'prompt' },
  { kind: 'no_reference' },
  { kind: 'wrong_reference' },
  { kind: 'no_ok' },
  { kind: 'unsolicited', lines: ['+CMTI: "SM",1', 'RING', '^RSSI:3'] },
]

const MESSAGES = 80

for (const seed of ['a', 'b', 'c']) {
  test(`no part goes out twice, and each part reported as sent or not sent really was (seed ${seed})`, async () => {
    const modem = openTestModem({
      seed,
      network: { send_ms: [200, 4_000], report_ms: [500, 5_000] },
      chances: FAULTS.map((fault) => [fault, 0.03] as const),
      dialect: { settle_ms: 100 },
    })
    const seen = { sent: 0, open: 0, failed: 0 }
    for (let i = 0; i < MESSAGES; i++) {
      await modem.ready()
      const text = `${i}: ${'x'.repeat(i % 3 === 0 ? 300 : 20)}`
      const parts = i % 3 === 0 ? 2 : 1
      const outcome = await modem.send(text)
      const { aired } = modem
      const out = new Set(aired.map(({ concat }) => concat?.n ?? 1))
      const says = `${i}: ${JSON.stringify(outcome)}, on air: ${aired.length}`
      assert.equal(aired.length, out.size, `a part went out twice: ${says}`)
      if (outcome.state === 'sent') {
        seen.sent++
        assert.equal(out.size, parts, says)
      } else if (outcome.code === 'unknown_outcome') {
        seen.open++
        assert.ok(out.size === outcome.parts || out.size === outcome.parts + 1, says)
      } else {
        seen.failed++
        assert.equal(out.size, outcome.parts, says)
      }
      modem.aired.length = 0
      modem.emulator.receive({ from: '+34600333444', text: `reply ${i}` })
    }
    await modem.ready()
    await modem.time.pass(5 * 60_000)
    assert.deepEqual(
      [...new Set(modem.received.map(({ text }) => text))],
      Array.from({ length: MESSAGES }, (_, i) => `reply ${i}`),
    )
    assert.equal(new Set(modem.received.map(({ id }) => id)).size, MESSAGES)
    assert.ok(seen.sent > 20 && seen.open > 5 && seen.failed > 1, JSON.stringify(seen))
    await modem.close()
  })
}
