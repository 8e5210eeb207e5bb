import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Bench, openBench } from '#test/ledgers.ts'

function deliver(bench: Bench, reference: string, fields: object = {}): string {
  const report = { reference, to: '+34600111222', state: 'delivered', at: bench.now(), ...fields } as const
  return bench.deliveries.take(report, bench.now())
}

function endInDoubt(bench: Bench, guid: string, to = '+34600111222'): void {
  const detail = '+CMS ERROR: 500'
  const outcome = { state: 'failed', code: 'unknown_outcome', detail, block: false, parts: 0 } as const
  bench.commands.end(bench.onAir(guid, { to }), outcome, bench.now())
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

test('a report to a number whose message has no reference does not settle one to another number', () => {
  const bench = openBench()
  bench.sent('a', ['5'], { to: '+34600222222' })
  endInDoubt(bench, 'b', '+34600444444')
  assert.equal(deliver(bench, '5', { to: '+34600444444' }), 'matched')
  assert.deepEqual(ends(bench), ['b delivered'])
  deliver(bench, '5', { to: '+34600222222' })
  assert.deepEqual(ends(bench), ['b delivered', 'a delivered'])
})

test('a garbled number with a reference of two messages matches none', () => {
  const bench = openBench()
  bench.sent('g1', ['11'], { to: '+34600111222' })
  bench.sent('g2', ['11'], { to: '+34600333444' })
  assert.equal(deliver(bench, '11', { to: '999' }), 'unmatched')
  assert.deepEqual(ends(bench), [])
})

test('a repeated report does not count for a message to another number that had the same reference', () => {
  const bench = openBench()
  bench.sent('old', ['5'], { to: '+34600111222' })
  bench.pass(86_400_000)
  bench.sent('new', ['5'], { to: '+34600333444' })
  const report = { to: '+34600333444', at: bench.now() }
  assert.equal(deliver(bench, '5', report), 'matched')
  bench.pass(60_000)
  assert.equal(deliver(bench, '5', report), 'repeated')
  // Some reports have no time of their own, so the time of the repeat differs.
  assert.equal(deliver(bench, '5', { to: '+34600333444' }), 'repeated')
  assert.equal(deliver(bench, '5', { to: null }), 'repeated')
  assert.deepEqual(ends(bench), ['new delivered'])
  assert.equal(deliver(bench, '5'), 'matched')
  assert.deepEqual(ends(bench), ['new delivered', 'old delivered'])
})

test('a repeated report does not count for an older message to the same number with the same reference', () => {
  const bench = openBench()
  bench.sent('old', ['5'])
  bench.pass(86_400_000)
  bench.sent('new', ['5'])
  const report = { at: bench.now() }
  assert.equal(deliver(bench, '5', report), 'matched')
  bench.pass(60_000)
  assert.equal(deliver(bench, '5', report), 'repeated')
  assert.deepEqual(ends(bench), ['new delivered'])
  assert.equal(deliver(bench, '5'), 'matched')
  assert.deepEqual(ends(bench), ['new delivered', 'old delivered'])
})

test('a repeated report does not settle a message to the same number whose outcome is unknown', () => {
  const bench = openBench()
  bench.sent('a', ['5'])
  bench.sent('nameless', [null])
  const [first, second] = [{ at: bench.now() }, { at: '2026-03-01T12:00:09.000Z' }]
  deliver(bench, '5', first)
  deliver(bench, '6', second)
  assert.deepEqual(ends(bench), ['a delivered', 'nameless delivered'])
  endInDoubt(bench, 'b')
  bench.pass(60_000)
  assert.equal(deliver(bench, '5', first), 'repeated')
  assert.equal(deliver(bench, '6', second), 'repeated')
  assert.deepEqual(ends(bench), ['a delivered', 'nameless delivered'])
  assert.equal(deliver(bench, '7'), 'matched')
  assert.deepEqual(ends(bench).at(-1), 'b delivered')
})

test("a phone app's report of a known message never counts for another one, even if its time differs", () => {
  const bench = openBench()
  bench.sent('a', ['sdd-a'])
  endInDoubt(bench, 'b')
  assert.equal(deliver(bench, 'sdd-a', { unique: true }), 'matched')
  bench.pass(60_000)
  assert.equal(deliver(bench, 'sdd-a', { unique: true }), 'repeated')
  assert.deepEqual(ends(bench), ['a delivered'])
})

test('parts of one message that share a reference are delivered by reports that are alike', () => {
  const bench = openBench()
  bench.sent('g1', ['0', '0'])
  assert.deepEqual(
    [deliver(bench, '0'), deliver(bench, '0'), deliver(bench, '0')],
    ['matched', 'matched', 'repeated'],
  )
  assert.deepEqual(ends(bench), ['g1 delivered'])
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
  endInDoubt(bench, 'g1')
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
