import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBench } from '#test/ledgers.ts'
import { openTime } from '#test/time.ts'
import { takeCommands } from './commands.ts'
import { openDiskRetry } from './disk-retry.ts'

function openCounter(acks: 'puback' | 'command' = 'puback') {
  const bench = openBench()
  const time = openTime()
  const said: string[] = []
  const calls = { kept: 0, networks: 0 }
  const state = { stopping: false }
  const take = takeCommands({
    acks,
    ledger: bench,
    diskRetry: openDiskRetry({ clock: time, say: (line) => said.push(line) }),
    clock: time,
    say: (line) => said.push(line),
    kept: () => calls.kept++,
    order: () => undefined,
    networks: () => calls.networks++,
    stopping: () => state.stopping,
  })
  const order = (command: unknown) =>
    take(Buffer.from(typeof command === 'string' ? command : JSON.stringify(command)))
  return { bench, said, calls, state, order }
}

const SEND = { type: 'send', guid: 'g1', attempt: 1, to: '+34600111222', text: 'Hola' }

test('a command is acknowledged once it is kept', () => {
  const { bench, calls, order } = openCounter()
  assert.equal(order(SEND), true)
  assert.deepEqual([bench.outgoing(), calls.kept], [['g1 accepted'], 1])
})

test('a command that the disk does not take is not acknowledged, and is accepted when it arrives again', () => {
  const { bench, said, order } = openCounter()
  bench.room = 0
  assert.equal(order(SEND), false)
  assert.match(said[0]!, /^The disk takes no more/)
  bench.room = 1e9
  assert.equal(order(SEND), true)
  assert.deepEqual(said.slice(1), ['The disk accepts writes again: continuing'])
})

test('a stopping agent leaves new messages to the server, and still obeys a cancel', () => {
  const { bench, state, order } = openCounter()
  order(SEND)
  state.stopping = true
  assert.equal(order({ ...SEND, guid: 'g2' }), false)
  assert.equal(order({ type: 'cancel', guid: 'g1' }), true)
  assert.deepEqual(bench.outgoing(), ['g1 accepted', 'g1 failed'])
})

test('a snapshot of the networks is published on request', () => {
  const { calls, order } = openCounter()
  assert.equal(order({ type: 'networks' }), true)
  assert.equal(calls.networks, 1)
})

test('if ack commands are agreed, a report leaves the outbox only at its ack command', () => {
  for (const [acks, left] of [
    ['command', []],
    ['puback', ['g1 accepted']],
  ] as const) {
    const { bench, order } = openCounter(acks)
    order(SEND)
    assert.equal(order({ type: 'ack', guid: 'g1', attempt: 1, state: 'accepted' }), true)
    assert.deepEqual(bench.outgoing(), left)
  }
})

test('if ack commands are agreed, a received SMS leaves the outbox only at its ack command', () => {
  for (const [acks, left] of [
    ['command', 0],
    ['puback', 1],
  ] as const) {
    const { bench, order } = openCounter(acks)
    bench.inbox.receive({ id: 's1', from: '1', text: 'x', at: bench.now() }, bench.now())
    assert.equal(order({ type: 'ack_inbox', id: 's0' }), true)
    assert.equal(bench.outgoing().length, 1)
    assert.equal(order({ type: 'ack_inbox', id: 's1' }), true)
    assert.equal(bench.outgoing().length, left)
  }
})

test('a command that no agent understands is acknowledged, because repeating it would not help', () => {
  const { said, calls, order } = openCounter()
  for (const odd of ['', '{', { type: 'dance' }, { ...SEND, guid: 'not a guid' }])
    assert.equal(order(odd), true)
  assert.equal(said.length, 4)
  assert.equal(calls.kept, 0)
})
