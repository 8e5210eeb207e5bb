import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { InboxSms } from '@sdd/contract/fleet/device-protocol.ts'
import { type Bench, openBench } from '#test/ledgers.ts'
import { openLedgerFile } from './file.ts'
import { PARTS_WITHIN_MS } from './inbox.ts'
import { ledgerIn } from './ledger.ts'

function part(bench: Bench, n: number, of: number, fields: object = {}): boolean {
  const text = `[${n}]`
  const concat = { ref: 5, refBits: 8, n, of } as const
  const sms = { id: `part-${n}`, from: '+34600111222', text, at: bench.now(), sim: '1', concat, ...fields }
  return bench.inbox.receivePart(sms, bench.now())
}

const sms = { id: 's1', from: '+34600111222', text: 'Sí', at: '2026-03-01T11:00:00+01:00' }

test('an SMS that is read again is handed on once', () => {
  const { inbox, now, outgoing } = openBench()
  assert.equal(inbox.receive(sms, now()), true)
  assert.equal(inbox.receive(sms, now()), false)
  assert.deepEqual(outgoing(), ['sms Sí'])
})

test('an SMS that an earlier version handed on under another id is not handed on again', () => {
  const { inbox, typed, now, outgoing } = openBench()
  const written = { to: '600111222', text: 'Voy', at: now() }
  inbox.receive(sms, now())
  typed.take([{ ...written, id: 't1' }], now())
  for (let times = 0; times < 2; times++) {
    assert.equal(inbox.receive({ ...sms, id: 's2', former_id: 's1' }, now()), false)
    assert.equal(typed.take([{ ...written, id: 't2', former_id: 't1' }], now()), 0)
  }
  assert.equal(inbox.receive({ ...sms, id: 's3', former_id: 's4' }, now()), true)
  assert.equal(typed.take([{ ...written, id: 't3', former_id: 't4' }], now()), 1)
  assert.deepEqual(outgoing(), ['sms Sí', 'sms Voy', 'sms Sí', 'sms Voy'])
})

test('an SMS without a time of its own is a repeat for an hour, and later another SMS', () => {
  const bench = openBench()
  const timeless = { ...sms, timeless: true } as const
  const receive = () => bench.inbox.receive({ ...timeless, at: bench.now() }, bench.now())
  assert.equal(receive(), true)
  bench.pass(3_599_999)
  assert.equal(receive(), false)
  bench.pass(1)
  assert.equal(receive(), true)
  bench.pass(3_599_999)
  assert.equal(receive(), false)
  bench.pass(60 * 86_400_000)
  assert.equal(receive(), true)
  const handed_on = bench.outbox.after(0, 10).map(({ payload }) => JSON.parse(payload) as InboxSms)
  assert.equal(new Set(handed_on.map(({ id }) => id)).size, 3)
  for (const each of handed_on) assert.deepEqual(Object.keys(each).toSorted(), ['at', 'from', 'id', 'text'])
})

test('a long SMS whose parts have no time of their own is received again two months later', () => {
  const bench = openBench()
  const receive = () => [1, 2].map((n) => part(bench, n, 2, { timeless: true }))
  assert.deepEqual(receive(), [false, true])
  assert.deepEqual(receive(), [false, false])
  bench.pass(60 * 86_400_000)
  assert.deepEqual(receive(), [false, true])
  const ids = bench.outbox.after(0, 10).map(({ payload }) => (JSON.parse(payload) as InboxSms).id)
  assert.deepEqual([ids.length, new Set(ids).size], [2, 2])
})

test('the parts of a long SMS are joined in order, in whatever order they arrive', () => {
  const bench = openBench()
  assert.deepEqual(
    [3, 1].map((n) => part(bench, n, 3)),
    [false, false],
  )
  assert.equal(part(bench, 1, 3), false)
  assert.equal(part(bench, 2, 3), true)
  assert.deepEqual(bench.outgoing(), ['sms [1][2][3]'])
  assert.equal(part(bench, 2, 3), false)
  assert.equal(bench.outgoing().length, 1)
})

test('parts of different messages are kept apart: by sender, reference, its width, count and SIM', () => {
  const bench = openBench()
  part(bench, 1, 2)
  const others = [
    { from: '+34600999999' },
    { concat: { ref: 6, refBits: 8, n: 2, of: 2 } },
    { concat: { ref: 5, refBits: 16, n: 2, of: 2 } },
    { concat: { ref: 5, refBits: 8, n: 2, of: 3 } },
    { sim: '2' },
  ]
  for (const [i, other] of others.entries())
    assert.equal(part(bench, 2, 2, { id: `other-${i}`, ...other }), false)
  assert.equal(part(bench, 2, 2), true)
  assert.deepEqual(bench.outgoing(), ['sms [1][2]'])
})

test('an emoji that is cut between two parts arrives whole, and half of one as U+FFFD', () => {
  const text = 'hello 😀 world'
  const bench = openBench()
  part(bench, 1, 2, { text: text.slice(0, 7) })
  part(bench, 2, 2, { text: text.slice(7) })
  part(bench, 1, 1, { id: 'half', text: 'hi \ud83d' })
  assert.deepEqual(bench.outgoing(), [`sms ${text}`, 'sms hi \ufffd'])
})

test('parts that an older agent stored are still read', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'ledger-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'ledger.db')
  const older = openLedgerFile(path)
  older.db.exec(`
    insert into long_sms (uid, sender, ref, ref_bits, of, kept_at) values ('d1', '+34600111222', 5, 8, 2, '');
    insert into long_sms_part (long_sms, n, id, text, at) values (1, 1, 'a', '"quoted" 😀', '');
    pragma user_version = 3`)
  older.close()
  const file = openLedgerFile(path)
  const { inbox, outbox } = ledgerIn(file).device('d1')
  const at = '2026-03-01T12:00:00.000Z'
  const concat = { ref: 5, refBits: 8, n: 2, of: 2 } as const
  inbox.receivePart({ id: 'b', from: '+34600111222', text: ' end', at, concat }, at)
  assert.match(outbox.after(0, 1)[0]!.payload, /"text":"\\"quoted\\" 😀 end"/)
  file.close()
})

test('a sender that uses the same reference for each message does not lose any', () => {
  const bench = openBench()
  part(bench, 1, 2, { id: 'a1', text: 'A1' })
  part(bench, 1, 2, { id: 'b1', text: 'B1' })
  part(bench, 2, 2, { id: 'a2', text: 'A2' })
  part(bench, 2, 2, { id: 'b2', text: 'B2' })
  assert.deepEqual(bench.outgoing(), ['sms A1A2', 'sms B1B2'])
})

test('missing parts are waited for some hours; then the text names their number', () => {
  const bench = openBench()
  part(bench, 2, 4)
  assert.equal(bench.inbox.giveUpParts(bench.now()), 0)
  bench.pass(PARTS_WITHIN_MS)
  assert.equal(bench.inbox.giveUpParts(bench.now()), 1)
  assert.equal(bench.inbox.giveUpParts(bench.now()), 0)
  assert.deepEqual(bench.outgoing(), ['sms […] [2] […] [3 of 4 parts missing]'])
})

test('a long SMS has one id, even if its parts are read again', () => {
  const [one, other] = [openBench(), openBench()].map((bench) => {
    part(bench, 1, 2)
    part(bench, 2, 2)
    return JSON.parse(bench.outbox.after(0, 1)[0]!.payload) as InboxSms
  })
  assert.equal(one?.id, other?.id)
})

test('a text that is too long for the contract is cut, and says so', () => {
  const bench = openBench()
  bench.inbox.receive({ ...sms, text: 'x'.repeat(10_000) }, bench.now())
  bench.inbox.receive({ ...sms, id: 's2', text: 'x'.repeat(12_345) }, bench.now())
  const [whole, cut] = bench.outbox.after(0, 10).map(({ payload }) => (JSON.parse(payload) as InboxSms).text)
  assert.equal(whole, 'x'.repeat(10_000))
  assert.match(cut!, /^x+ \[…\] \[cut, it had 12345 characters\]$/)
  assert.equal(cut!.length, 10_000)
})

test('unusual input from a modem is changed to fit the contract', () => {
  const bench = openBench()
  const odd = {
    id: 'i'.repeat(300),
    from: '',
    text: '\u0000'.repeat(20_000),
    at: 'never',
    sim: '8'.repeat(99),
  }
  bench.inbox.receive(odd, bench.now())
  bench.inbox.receive({ ...sms, from: 'x'.repeat(99) }, bench.now())
  for (const { payload } of bench.outbox.after(0, 10)) {
    assert.equal(InboxSms.safeParse(JSON.parse(payload)).error, undefined)
    assert.ok(Buffer.byteLength(payload) <= 65_536)
  }
})
