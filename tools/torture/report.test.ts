import assert from 'node:assert/strict'
import { test } from 'node:test'
import { reportOf } from './report.ts'

const OUTCOME = {
  seed: '7',
  secs: 12.3,
  kills: 3,
  at: {
    anywhere: 1,
    inserting: 0,
    stored: 2,
    claiming: 0,
    published: 0,
    acknowledged: 0,
    reporting: 0,
    checkpoint: 0,
    callback: 0,
  },
  ready_ms: [900, 700, 2_000],
  tasks: 8,
  sms: 2,
  acknowledged: 9,
  ends: { delivered: 9 },
  on_air: 9,
  reports: 27,
  callbacks: { heard: 16, repeated: 1 },
  devices: { lives: 2, crashes: 4, connections: 9, on_air: 9, connected: 0 },
  observed: { entries: 9, looks: 40 },
  kept: undefined,
  faults: [],
}

test('a report lists the actions of the run, and says that no fault was found', () => {
  const text = reportOf(OUTCOME).join('\n')
  assert.match(text, /seed +7, 12 s/)
  assert.match(text, /kills +3: 1 at random moments\n +2 after the insert, before the answer\nserving/)
  assert.match(text, /p50 900 ms, max 2000 ms \(3 starts\)/)
  assert.match(text, /Nothing was lost, nothing was sent twice/)
})

test('each kind of finding is shown, however frequent another one is', () => {
  const lost = Array.from({ length: 9 }, (_, n) => `shop-${n}: it was acknowledged, and is not in the log`)
  const faults = [...lost, 'shop-3: it was on air 2 times']
  const lines = reportOf({ ...OUTCOME, faults, kept: '/tmp/x' })
  assert.equal(lines.filter((line) => line.startsWith('FAULT: ')).length, 6)
  assert.ok(lines.includes('… and 4 more like these'))
  assert.ok(lines.includes('FAULT: shop-3: it was on air 2 times'))
  assert.equal(lines.at(-1), '10 faults were found. Everything is kept in /tmp/x')
})
