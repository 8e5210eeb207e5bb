import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import alphabet from '#vectors/gsm7-alphabet.json' with { type: 'json' }
import segments from '#vectors/segments.json' with { type: 'json' }
import { encodeGsm7, isGsm7 } from './gsm7.ts'
import { measureText, splitText } from './segments.ts'

const limits = { gsm7: { alone: 160, concatenated: 153 }, ucs2: { alone: 70, concatenated: 67 } }
const gsm7Chars = alphabet.cases.filter((c) => c.septets !== null).map((c) => c.char)
const gsm7Text = fc.string({ unit: fc.constantFrom(...gsm7Chars), maxLength: 700 })
// Many extension characters and pairs, so that some are at segment boundaries.
const euros = fc.string({ unit: fc.constantFrom('€', 'a'), minLength: 60, maxLength: 700 })
const emoji = fc.string({ unit: fc.constantFrom('😀', 'ж', '€'), minLength: 30, maxLength: 400 })
const torn = fc.string({ unit: fc.constantFrom('\ud83d', '\ude00', 'a'), minLength: 60, maxLength: 300 })
const anyText = fc.oneof(gsm7Text, euros, emoji, torn, fc.string({ unit: 'binary', maxLength: 400 }))

function unitsOf(text: string, encoding: string): number {
  return encoding === 'gsm7' ? encodeGsm7(text).length : text.length
}

// Cases with a 16-bit reference are skipped: the product writes 8-bit ones.
for (const vector of segments.cases.filter((c) => c.refBits !== 16)) {
  const { id, segments, repeat } = vector
  // The vector of the empty text does not define its encoding; here it is the one with the most room.
  const encoding = vector.encoding ?? 'gsm7'
  const text = vector.text ?? repeat!.char.repeat(repeat!.times)

  test(`${segments} ${encoding} segments for ${JSON.stringify(text.slice(0, 30))} (${id})`, () => {
    const measure = measureText(text)
    const parts = splitText(text)
    assert.equal(measure.encoding, encoding)
    assert.equal(measure.segments, segments)
    assert.equal(measure.units, vector.units ?? repeat!.times)
    assert.equal(parts.length, segments)
    if (vector.segmentUnits) {
      assert.deepEqual(
        parts.map((part) => unitsOf(part, encoding)),
        vector.segmentUnits,
      )
      assert.equal(measure.units_left, measure.units_per_segment - vector.segmentUnits.at(-1)!)
    }
    if (vector.perSegment) {
      const { single, concat8 } = vector.perSegment
      assert.equal(measure.units_per_segment, segments > 1 ? concat8 : single)
    }
  })
}

test('an empty text needs no segment and leaves room for 160', () => {
  const nothing = { encoding: 'gsm7', segments: 0, units: 0, units_per_segment: 160, units_left: 160 }
  assert.deepEqual(measureText(''), nothing)
  assert.deepEqual(splitText(''), [])
})

test('a text of more than 255 segments is measured, but splitting it is refused', () => {
  const text = 'A'.repeat(255 * 153 + 1)
  assert.equal(measureText(text).segments, 256)
  assert.throws(() => splitText(text), /more than 255/)
})

test('the joined parts are the text, and their number matches the measure', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const parts = splitText(text)
      assert.equal(parts.join(''), text)
      assert.equal(measureText(text).segments, parts.length)
    }),
  )
})

test('every part fits its segment, and the measure knows the room left in the last', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const { encoding, units, units_per_segment, units_left } = measureText(text)
      const parts = splitText(text)
      const sizes = parts.map((part) => unitsOf(part, encoding))
      assert.equal(
        units_per_segment,
        parts.length > 1 ? limits[encoding].concatenated : limits[encoding].alone,
      )
      assert.ok(sizes.every((size) => size > 0 && size <= units_per_segment))
      assert.equal(units_left, units_per_segment - (sizes.at(-1) ?? 0))
      assert.equal(
        sizes.reduce((sum, size) => sum + size, 0),
        units,
      )
    }),
  )
})

test('a part is never shorter than it must be', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const { encoding, units_per_segment } = measureText(text)
      const parts = splitText(text)
      for (const [i, next] of parts.slice(1).entries()) {
        const [first] = encoding === 'gsm7' ? next : [String.fromCodePoint(next.codePointAt(0)!)]
        assert.ok(unitsOf(parts[i]! + first, encoding) > units_per_segment)
      }
    }),
  )
})

test('no surrogate pair is cut', () => {
  fc.assert(
    fc.property(emoji, (text) => {
      assert.ok(splitText(text).every((part) => part.isWellFormed()))
    }),
  )
})

test('the encoding is GSM-7 exactly if its alphabet has every character', () => {
  fc.assert(
    fc.property(anyText, (text) => assert.equal(measureText(text).encoding, isGsm7(text) ? 'gsm7' : 'ucs2')),
  )
})

test('a million characters are measured in one pass', () => {
  const text = '€a'.repeat(500_000)
  const started = process.cpuUsage()
  assert.equal(measureText(text).units, 1_500_000)
  assert.ok(process.cpuUsage(started).user < 3_000_000)
})
