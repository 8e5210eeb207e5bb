import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { TypedSms } from '@sdd/contract/fleet/device-protocol.ts'
import { temporaryFolder } from '#test/agents.ts'
import { type Bench, openBench } from '#test/ledgers.ts'
import { openLedgerFile } from './file.ts'
import { openLedger } from './ledger.ts'

const HOUR_MS = 3_600_000

function typed(bench: Bench, fields: Partial<{ id: string; to: string; text: string; at: string }> = {}) {
  return { id: 't1', to: '600111222', text: 'Voy', at: bench.now(), ...fields }
}

test('an SMS that was typed on the device is handed on once, as the contract wants it', () => {
  const bench = openBench()
  const list = [typed(bench), typed(bench, { id: 'i'.repeat(300), to: '', text: 'x'.repeat(20_000) })]
  assert.equal(bench.typed.take(list, bench.now()), 2)
  assert.equal(bench.typed.take(list, bench.now()), 0)
  const rows = bench.outbox.after(0, 10)
  assert.equal(rows.length, 2)
  for (const { kind, payload } of rows) {
    assert.equal(kind, 'sms')
    assert.equal(TypedSms.safeParse(JSON.parse(payload)).error, undefined)
  }
})

test('an SMS that the agent sent is no typed one, in any form of its number and whatever its outcome', () => {
  const bench = openBench()
  bench.sent('g1', [null], { text: 'Hola\n' })
  bench.onAir('g2', { text: 'Adiós' })
  const ours = [typed(bench, { text: 'Hola' }), typed(bench, { id: 't2', to: '+34600111222', text: 'Adiós' })]
  assert.equal(bench.typed.take(ours, bench.now()), 0)
  const others = [
    typed(bench, { id: 't3', text: 'Hola', to: '600999999' }),
    typed(bench, { id: 't4', text: 'hola' }),
  ]
  assert.equal(bench.typed.take(others, bench.now()), 2)
})

test('an SMS with the text of one that the agent sent days ago is a typed one', () => {
  const bench = openBench()
  bench.sent('g1', [null])
  bench.pass(26 * HOUR_MS)
  assert.equal(bench.typed.take([typed(bench, { text: 'Hola' })], bench.now()), 1)
})

test('the list is read from the first look on, and later from a day before the last one with a new SMS', () => {
  const bench = openBench()
  const first = bench.now()
  assert.equal(bench.typed.since(first), first)
  bench.pass(HOUR_MS)
  assert.equal(bench.typed.since(bench.now()), first)
  bench.pass(50 * HOUR_MS)
  const second = bench.now()
  bench.typed.take([typed(bench)], second)
  bench.pass(HOUR_MS)
  assert.equal(Date.parse(bench.typed.since(bench.now())), Date.parse(second) - 24 * HOUR_MS)
})

test('a ledger of an earlier agent is used', (t) => {
  for (const [version, undo] of [
    [1, 'drop table typed_place; alter table command drop column iccid'],
    [2, 'drop table typed_place'],
  ] as const) {
    const path = join(temporaryFolder(t), 'ledger.db')
    const file = openLedgerFile(path)
    file.db.exec(`${undo}; pragma user_version = ${version}`)
    file.close()
    const ledger = openLedger(path)
    const at = '2026-03-01T12:00:00.000Z'
    assert.equal(ledger.device('d1').typed.since(at), at)
    assert.equal(ledger.device('d1').commands.next(), undefined)
    ledger.close()
  }
})
