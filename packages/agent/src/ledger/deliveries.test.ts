import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Bench, openBench } from '#test/ledgers.ts'

function deliver(bench: Bench, reference: string, fields: object = {}): string {
  const report = { reference, to: '+34600111222', state: 'delivered', at: bench.now(), ...fields } as const
  return bench.deliveries.take(report, bench.now())
}

/** The final states of the messages after `sent`. */
function ends(bench: Bench): string[] {
  return bench.outgoing().filter((line) => line.endsWith('delivered'))
}

test('a message is delivered when all its parts are, in any order', () => {
  const bench = openBench()
  bench.sent('g1', ['11', '12', '13'])
  for (const reference of ['13', '11']) assert.equal(deliver(bench, reference), 'matched')
  assert.deepEqual(ends(bench), [])
  deliver(bench, '12')
  assert.deepEqual(ends(bench), ['g1 delivered'])
})

test('a repeated report changes nothing', () => {
  const bench = openBench()
  bench.sent('g1', ['11', '12'])
  deliver(bench, '11')
  assert.equal(deliver(bench, '11'), 'repeated')
  assert.deepEqual(ends(bench), [])
})

test("one undelivered part makes the message undelivered, with the network's reason", () => {
  const bench = openBench()
  bench.sent('g1', ['11', '12'])
  deliver(bench, '11')
  deliver(bench, '12', { state: 'undelivered', code: '69', detail: 'The validity period is over' })
  deliver(bench, '12')
  const { state, code, detail } = bench.reports().at(-1)!
  assert.deepEqual(
    { state, code, detail },
    { state: 'undelivered', code: '69', detail: 'The validity period is over' },
  )
  assert.deepEqual(ends(bench), ['g1 undelivered'])
})

test('a report that the network is still trying is not final', () => {
  const bench = openBench()
  bench.sent('g1', ['11'])
  assert.equal(deliver(bench, '11', { state: 'trying' }), 'not an end')
  deliver(bench, '11')
  assert.deepEqual(ends(bench), ['g1 delivered'])
})

test('references start over: the number identifies the message', () => {
  const bench = openBench()
  bench.sent('g1', ['11'], { to: '+34600111222' })
  bench.sent('g2', ['11'], { to: '+34600333444' })
  deliver(bench, '11', { to: '600111222' })
  assert.deepEqual(ends(bench), ['g1 delivered'])
})

test('if two messages to one number have the same reference, the report belongs to the newer', () => {
  const bench = openBench()
  bench.sent('g1', ['11'])
  bench.pass(86_400_000)
  bench.sent('g2', ['11'])
  deliver(bench, '11')
  assert.deepEqual(ends(bench), ['g2 delivered'])
})

test('a garbled number does not matter if the reference is unique', () => {
  const bench = openBench()
  bench.sent('g1', ['11'])
  deliver(bench, '11', { to: '+3460011122#' })
  assert.deepEqual(ends(bench), ['g1 delivered'])
})

test('a garbled number with a reference of two messages matches none', () => {
  const bench = openBench()
  bench.sent('g1', ['11'], { to: '+34600111222' })
  bench.sent('g2', ['11'], { to: '+34600333444' })
  assert.equal(deliver(bench, '11', { to: '999' }), 'unmatched')
  assert.deepEqual(ends(bench), [])
})

test('a report about a message of two weeks ago matches none', () => {
  const bench = openBench()
  bench.sent('g1', ['11'])
  bench.pass(14 * 86_400_000)
  assert.equal(deliver(bench, '11'), 'unmatched')
})

test('without a reference, a report is matched by its number if only one message is possible', () => {
  const bench = openBench()
  bench.sent('g1', [null, null])
  bench.sent('g2', [null], { to: '+34600333444' })
  deliver(bench, '77', { to: '34600111222' })
  assert.deepEqual(ends(bench), [])
  deliver(bench, '78', { to: '34600111222' })
  assert.deepEqual(ends(bench), ['g1 delivered'])
})

test('by number only, no report is matched if two messages are possible', () => {
  const bench = openBench()
  bench.sent('g1', [null])
  bench.sent('g2', [null])
  assert.equal(deliver(bench, '77'), 'unmatched')
  assert.deepEqual(ends(bench), [])
})

test('a message with a reference is never matched by number only', () => {
  const bench = openBench()
  bench.sent('g1', ['11'])
  assert.equal(deliver(bench, '12'), 'unmatched')
  assert.deepEqual(ends(bench), [])
})

test('a report settles a message whose outcome was unknown', () => {
  const bench = openBench()
  const entry = bench.onAir('g1')
  const detail = '+CMS ERROR: 500'
  bench.commands.end(
    entry,
    { state: 'failed', code: 'unknown_outcome', detail, block: false, parts: 0 },
    bench.now(),
  )
  deliver(bench, '11')
  assert.deepEqual(ends(bench), ['g1 delivered'])
})

test('a long message in doubt is delivered only when every part of it is', () => {
  const bench = openBench()
  const entry = bench.onAir('g1', { text: 'x'.repeat(300) })
  bench.commands.partSent(entry, { n: 1, of: 2, reference: '11' }, bench.now())
  bench.commands.recover(bench.now())
  deliver(bench, '11')
  assert.deepEqual(ends(bench), [])
  deliver(bench, '12')
  assert.deepEqual(ends(bench), ['g1 delivered'])
})

test('a report does not change a message that certainly failed', () => {
  const bench = openBench()
  const entry = bench.onAir('g1')
  bench.commands.partSent(entry, { n: 1, of: 1, reference: '11' }, bench.now())
  bench.commands.end(
    entry,
    { state: 'failed', code: 'barred', detail: '', block: true, parts: 0 },
    bench.now(),
  )
  deliver(bench, '11')
  assert.deepEqual(ends(bench), [])
})

test("a report that arrives before the modem's answer counts once the answer is there", () => {
  const bench = openBench()
  const entry = bench.onAir('g1')
  assert.equal(deliver(bench, '11'), 'unmatched')
  bench.commands.partSent(entry, { n: 1, of: 1, reference: '11' }, bench.now())
  assert.deepEqual(ends(bench), [])
  bench.commands.end(entry, { state: 'sent', parts: 1 }, bench.now())
  assert.deepEqual(bench.outgoing(), ['g1 accepted', 'g1 sent', 'g1 delivered'])
})

test('a report of another message does not count for one that gets the same reference much later', () => {
  const bench = openBench()
  deliver(bench, '11')
  bench.pass(3_600_000)
  bench.sent('g1', ['11'])
  assert.deepEqual(ends(bench), [])
})

test('an unreadable time is replaced by our own', () => {
  const bench = openBench()
  bench.sent('g1', ['11'])
  deliver(bench, '11', { at: '00-00-00 junk' })
  assert.equal(bench.reports().at(-1)?.at, bench.now())
})
