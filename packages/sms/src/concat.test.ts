import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import vectors from '#vectors/concat-assembly.json' with { type: 'json' }
import { assemble, referenceOf, SAME_MESSAGE_MS, type Part } from './concat.ts'
import { decodePdu } from './pdu.ts'
import type { Deliver } from './pdu-deliver.ts'

function partOf(pdu: string): Part {
  const { number, text, timestamp, concat } = decodePdu(pdu) as Deliver
  return { from: number, text: text!, at: timestamp!, concat: concat! }
}

/** The number of incomplete messages that each case leaves in addition to the whole one. */
const WAITING: Record<string, number> = { 'nodepdu-dup': 1, 'nodepdu-clash': 2, 'two-senders-same-ref': 2 }

for (const { id, pdusInOrderOfArrival, sender, complete, text, note } of vectors.cases) {
  test(`${pdusInOrderOfArrival.length} parts make ${complete ? 'a' : 'no'} message: ${note ?? 'in order'} (${id})`, () => {
    const messages = assemble(pdusInOrderOfArrival.map(partOf))
    const whole = messages.filter((message) => message.text !== null)
    assert.deepEqual(
      whole.map((message) => [message.text, message.parts[0]!.from]),
      complete ? [[text, sender]] : [],
    )
    assert.equal(messages.length - whole.length, WAITING[id] ?? 0)
  })
}

const NOON = Date.parse('2026-10-15T12:00:00Z')
const after = (ms: number) => new Date(NOON + ms).toISOString()

function part(
  n: number,
  text: string,
  more: Partial<Omit<Part, 'concat'>> & { of?: number; ref?: number } = {},
): Part {
  const { of = 2, ref = 7, ...rest } = more
  return { from: '+4791234567', at: after(0), text, concat: { ref, refBits: 8, n, of }, ...rest }
}

const textsOf = (parts: Part[]) => assemble(parts).map(({ text, missing }) => text ?? missing)

test('a reused reference is another message, whichever parts arrive first', () => {
  const old = [part(1, 'old '), part(2, 'parts')]
  const again = [part(1, 'new ', { at: after(1000) }), part(2, 'pieces', { at: after(1000) })]
  assert.deepEqual(textsOf([...old, ...again]), ['old parts', 'new pieces'])
  assert.deepEqual(textsOf([again[1]!, again[0]!, ...old]), ['new pieces', 'old parts'])
})

test('the same words sent again are a second message, but a repeated part is not', () => {
  const words = [part(1, 'a'), part(2, 'b')]
  const repeated = words.map((once) => ({ ...once }))
  const later = words.map((once) => ({ ...once, at: after(60_000) }))
  assert.deepEqual(textsOf([...words, ...repeated]), ['ab'])
  assert.deepEqual(textsOf([...words, ...later]), ['ab', 'ab'])
})

test('if two messages wait for a part, the nearer in time gets it', () => {
  const hour_ms = 3_600_000
  const firsts = [part(1, 'early '), part(1, 'late ', { at: after(5 * hour_ms) })]
  const second = (at_ms: number) => part(2, 'bird', { at: after(at_ms) })
  assert.deepEqual(textsOf([...firsts, second(1000)]), ['early bird', [2]])
  assert.deepEqual(textsOf([...firsts, second(5 * hour_ms)]), [[2], 'late bird'])
  assert.deepEqual(textsOf([...firsts.toReversed(), second(1000)]), [[2], 'early bird'])
})

test('if more than eight messages wait under one reference, the oldest gets no more parts', () => {
  const firsts = Array.from({ length: 9 }, (_, i) => part(1, `${i}`, { at: after(60_000 * i) }))
  const second = part(2, '!')
  const texts = (parts: Part[]) => assemble(parts).flatMap(({ text }) => text ?? [])
  assert.deepEqual(texts([...firsts.slice(0, 8), second]), ['0!'])
  assert.deepEqual(texts([...firsts, second]), ['1!'])
})

test('a part after the time window belongs to another message', () => {
  const late = part(2, 'b', { at: after(SAME_MESSAGE_MS + 1) })
  assert.deepEqual(textsOf([part(1, 'a'), late]), [[2], [1]])
  assert.deepEqual(textsOf([part(1, 'a'), part(2, 'b', { at: after(SAME_MESSAGE_MS) })]), ['ab'])
})

test('another SIM, another width or another count is another message', () => {
  const first = part(1, 'a')
  const wide: Part = { ...part(2, 'b'), concat: { ref: 7, refBits: 16, n: 2, of: 2 } }
  const others = [part(2, 'b', { sim: 'second' }), wide, part(2, 'b', { of: 3 }), part(2, 'b', { ref: 8 })]
  for (const other of others) {
    assert.notEqual(referenceOf(first), referenceOf(other))
    assert.equal(assemble([first, other]).length, 2)
  }
})

test('missing parts are named, and parts keep their extra fields', () => {
  const kept = { ...part(2, 'b', { of: 4 }), id: 'x' }
  assert.deepEqual(assemble([kept]), [{ parts: [kept], missing: [1, 3, 4], text: null }])
})

test('a surrogate pair cut between two parts is joined, and half a pair is replaced', () => {
  assert.deepEqual(textsOf([part(1, 'a\ud83d'), part(2, '\ude00b')]), ['a😀b'])
  assert.deepEqual(textsOf([part(1, 'a\ud83d'), part(2, 'b')]), ['a\ufffdb'])
})

test('an unreadable time does not separate parts', () => {
  assert.deepEqual(textsOf([part(1, 'a', { at: '' }), part(2, 'b')]), ['ab'])
})

test('messages of many senders come out whole in any order and with any repeats', () => {
  const messages = fc.uniqueArray(
    fc.record({
      from: fc.constantFrom('+1', '+2', 'Bank'),
      ref: fc.integer({ min: 0, max: 3 }),
      texts: fc.array(fc.string({ maxLength: 5 }), { minLength: 1, maxLength: 6 }),
    }),
    { selector: ({ from, ref, texts }) => `${from} ${ref} ${texts.length}`, maxLength: 12 },
  )
  const arrivals = messages.chain((sent) => {
    const parts = sent.flatMap(({ from, ref, texts }) =>
      texts.map((text, i) => part(i + 1, text, { from, ref, of: texts.length })),
    )
    const twice = [...parts, ...parts]
    const order = fc.shuffledSubarray(twice, { minLength: twice.length })
    return fc.record({ sent: fc.constant(sent), order })
  })
  fc.assert(
    fc.property(arrivals, ({ sent, order }) => {
      const inOrder = (texts: (string | null)[]) => texts.map(String).toSorted()
      assert.deepEqual(
        inOrder(assemble(order).map(({ text }) => text)),
        inOrder(sent.map((message) => message.texts.join(''))),
      )
    }),
  )
})

test('a flood of first parts under one reference costs no more than as many under different ones', () => {
  const flood = Array.from({ length: 20_000 }, (_, i) => part(1, String(i)))
  const before = process.cpuUsage()
  assert.equal(assemble(flood).length, 20_000)
  // Processor time, which other work on the machine barely affects.
  assert.ok(process.cpuUsage(before).user < 5_000_000)
})
