import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { concatElement, concatOf, encodeElements, readElements } from './udh.ts'

test('a concatenation header of either width is read back unchanged', () => {
  const concats = fc.constantFrom<(8 | 16)[]>(8, 16).chain((refBits) =>
    fc.record({
      ref: fc.integer({ min: 0, max: 2 ** refBits - 1 }),
      refBits: fc.constant(refBits),
      n: fc.integer({ min: 1, max: 100 }),
      of: fc.integer({ min: 100, max: 255 }),
    }),
  )
  fc.assert(
    fc.property(concats, (concat) => assert.deepEqual(concatOf([concatElement(concat)]), { ...concat })),
  )
})

test('any elements can be read back from their header', () => {
  const element = fc.record({
    iei: fc.nat(255),
    data: fc.uint8Array({ maxLength: 20 }).map((octets) => Uint8Array.from(octets)),
  })
  fc.assert(
    fc.property(fc.array(element, { minLength: 1, maxLength: 6 }), (elements) => {
      const header = encodeElements(elements)
      assert.equal(header[0], header.length - 1)
      assert.deepEqual(
        readElements(header.subarray(1), 1),
        elements.map((element) => ({ ...element })),
      )
    }),
  )
})
