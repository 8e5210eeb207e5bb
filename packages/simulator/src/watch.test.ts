import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Report, SendCommand } from '@sdd/contract/fleet/device-protocol.ts'
import type { Expectations } from '#simulator/breaches.ts'
import { openChecks } from '#simulator/checks.ts'
import { openLedgerIndex } from '#simulator/ledger-index.ts'

const NOON = new Date(2026, 5, 15, 12).getTime()

/** One device's checks over an in-memory ledger, with a clock that the test advances. */
function openBench(expectations: Partial<Expectations> = {}) {
  const { apply, nextNumber, ...ledger } = openLedgerIndex()
  let now = NOON
  let checks = openChecks({ ledger, now: () => now })
  let watch = checks.watch('d1', ['+34600111222'])
  const at = () => new Date(now).toISOString()
  checks.expect(expectations)
  watch.connected()
  watch.greeted()

  return {
    after: (secs: number) => void (now += secs * 1_000),
    give(guid: string, fields: Partial<SendCommand> = {}) {
      const command = { type: 'send', guid, attempt: 1, to: '+34600', text: 'Hola', ...fields } as const
      const known = ledger.find('d1', guid, command.attempt)
      watch.send(command, known)
      if (!known) apply({ kind: 'seen', n: nextNumber(), uid: 'd1', at: at(), command })
    },
    report(guid: string, state: Report['state'], fields: Partial<Report> = {}) {
      const report = { guid, attempt: 1, state, at: at(), ...fields }
      apply({ kind: 'report', n: nextNumber(), uid: 'd1', report })
      watch.reported([report])
    },
    acknowledge(guid: string) {
      const items = ledger.outbox('d1').filter(({ report }) => report?.guid === guid)
      watch.acknowledged(items.flatMap(({ report }) => report ?? []))
      apply({ kind: 'acknowledged', uid: 'd1', ns: items.map(({ n }) => n) })
    },
    /** `meanwhile` runs before the server has acknowledged the device's status. */
    reconnect(meanwhile = () => {}) {
      watch.disconnected()
      watch.connected()
      meanwhile()
      watch.greeted()
    },
    restart() {
      checks = openChecks({ ledger, now: () => now })
      checks.expect(expectations)
      watch = checks.watch('d1', ['+34600111222'])
      watch.connected()
      watch.greeted()
    },
    codes: () => checks.breaches().map(({ code }) => code),
  }
}

test('ten unfinished messages are allowed, and an eleventh once one has its outcome', () => {
  const bench = openBench()
  for (let i = 1; i <= 10; i++) bench.give(`g${i}`)
  bench.report('g1', 'sent')
  bench.give('g11')
  assert.deepEqual(bench.codes(), [])
  bench.give('g12')
  assert.deepEqual(bench.codes(), ['too_many_unfinished'])
})

test('a repeated report does not free a second slot', () => {
  const bench = openBench()
  for (let i = 1; i <= 10; i++) bench.give(`g${i}`)
  bench.report('g1', 'sent')
  bench.report('g1', 'sent')
  bench.report('g1', 'delivered')
  bench.give('g11')
  bench.give('g12')
  assert.deepEqual(bench.codes(), ['too_many_unfinished'])
})

test('a command without a report may be repeated after 30 s, and at a reconnect', () => {
  const bench = openBench()
  bench.give('g1')
  bench.after(30)
  bench.give('g1')
  bench.reconnect()
  bench.give('g1')
  assert.deepEqual(bench.codes(), [])
  bench.after(10)
  bench.give('g1')
  assert.deepEqual(bench.codes(), ['resent_too_soon'])
})

test("commands repeated before a reconnect's status is acknowledged are not a breach, however long that takes", () => {
  const bench = openBench()
  bench.reconnect(() => {
    bench.give('g1')
    bench.after(20)
  })
  bench.give('g1')
  assert.deepEqual(bench.codes(), [])
  bench.after(10)
  bench.give('g1')
  assert.deepEqual(bench.codes(), ['resent_too_soon'])
})

test('a command whose report is acknowledged is never repeated, not even after a restart of the device', () => {
  const bench = openBench()
  bench.give('g1')
  bench.acknowledge('g1')
  bench.after(60)
  bench.restart()
  bench.give('g1')
  assert.deepEqual(bench.codes(), ['resent_after_report'])
})

test('a command may cross the PUBACK of its report', () => {
  const bench = openBench()
  bench.give('g1')
  bench.after(30)
  bench.acknowledge('g1')
  bench.give('g1')
  assert.deepEqual(bench.codes(), [])
})

test('a second attempt may follow 10 s after a temporary failure, a third one 60 s after that', () => {
  const bench = openBench()
  bench.give('g1')
  bench.report('g1', 'failed', { code: 'no_network', block: false })
  bench.after(10)
  bench.give('g1', { attempt: 2 })
  bench.report('g1', 'failed', { attempt: 2, code: 'timeout' })
  bench.after(60)
  bench.give('g1', { attempt: 3 })
  assert.deepEqual(bench.codes(), [])
})

test('a third attempt 10 s after the second is too soon', () => {
  const bench = openBench()
  bench.give('g1')
  bench.report('g1', 'failed', { code: 'no_network' })
  bench.after(10)
  bench.give('g1', { attempt: 2 })
  bench.report('g1', 'failed', { attempt: 2, code: 'no_network' })
  bench.after(10)
  bench.give('g1', { attempt: 3 })
  assert.deepEqual(bench.codes(), ['retried_too_soon'])
})

test('a failure that is blocked, of another kind, or with parts on air, must not be retried', () => {
  const partly = { code: 'no_network', parts: 1 }
  for (const failure of [{ code: 'no_network', block: true }, { code: 'cancelled' }, partly, {}]) {
    const bench = openBench()
    bench.give('g1')
    bench.report('g1', 'failed', failure)
    bench.after(600)
    bench.give('g1', { attempt: 2 })
    assert.deepEqual(bench.codes(), ['retry_not_allowed'])
  }
})

test('the daily limit counts parts, returns parts that never went on air, and resets each day', () => {
  const bench = openBench({ max_sms_dayly: 3 })
  bench.give('g1', { text: 'a'.repeat(161) })
  bench.report('g1', 'failed', { code: 'no_network', parts: 0 })
  bench.give('g2', { text: 'a'.repeat(161) })
  bench.report('g2', 'failed', { code: 'unknown_outcome' })
  bench.give('g3')
  assert.deepEqual(bench.codes(), [])
  bench.after(13 * 3_600)
  for (const guid of ['g4', 'g5', 'g6']) bench.give(guid)
  assert.deepEqual(bench.codes(), [])
  bench.give('g7')
  assert.deepEqual(bench.codes(), ['over_daily_limit'])
})

test('the daily limit and the limit of ten count commands from before a restart', () => {
  const bench = openBench({ max_sms_dayly: 11 })
  for (let i = 1; i <= 10; i++) bench.give(`g${i}`)
  bench.restart()
  bench.after(60)
  bench.give('g11')
  assert.deepEqual(bench.codes(), ['too_many_unfinished'])
  bench.report('g10', 'sent')
  bench.report('g11', 'sent')
  bench.give('g12')
  assert.deepEqual(bench.codes(), ['too_many_unfinished', 'over_daily_limit'])
})

test('commands keep their minimum interval', () => {
  const bench = openBench({ spoof_time_secs: 10 })
  bench.give('g1')
  bench.after(10)
  bench.give('g2')
  assert.deepEqual(bench.codes(), [])
  bench.after(8)
  bench.give('g3')
  assert.deepEqual(bench.codes(), ['too_close'])
})

test('commands repeated after a reconnect need no interval, because they were handed over before', () => {
  const bench = openBench({ spoof_time_secs: 10 })
  bench.give('g1')
  bench.reconnect()
  for (const guid of ['g2', 'g3', 'g4']) bench.give(guid)
  bench.after(10)
  bench.give('g5')
  assert.deepEqual(bench.codes(), [])
  bench.after(1)
  bench.give('g6')
  assert.deepEqual(bench.codes(), ['too_close'])
})
