import assert from 'node:assert/strict'
import { test } from 'node:test'
import { extended, NOTHING_SELECTED, stepped, toggled, type Selected } from './selection.ts'

const order = ['a', 'b', 'c', 'd', 'e']

function keysOf({ keys }: Selected): string {
  return order.filter((key) => keys.has(key)).join('')
}

test('a row is selected by a press and deselected by the next', () => {
  const one = toggled(NOTHING_SELECTED, 'b')
  assert.equal(keysOf(one), 'b')
  assert.equal(keysOf(toggled(one, 'b')), '')
})

test('a range goes from the last pressed row in either direction, and a further range replaces it', () => {
  const anchor = toggled(toggled(NOTHING_SELECTED, 'a'), 'c')
  const down = extended(anchor, 'e', order)
  assert.equal(keysOf(down), 'acde')
  assert.equal(keysOf(extended(down, 'd', order)), 'acd')
  assert.equal(keysOf(extended(down, 'b', order)), 'abc')
})

test('a range from a deselected row deselects', () => {
  const all = order.reduce(toggled, NOTHING_SELECTED)
  const without = toggled(all, 'b')
  assert.equal(keysOf(extended(without, 'd', order)), 'ae')
})

test('without an anchor among the rows shown, the range begins at the row itself', () => {
  assert.equal(keysOf(extended(NOTHING_SELECTED, 'd', order)), 'd')
  const hidden = toggled(NOTHING_SELECTED, 'a')
  assert.equal(keysOf(extended(hidden, 'd', ['c', 'd'])), 'ad')
})

test('steps grow and shrink a range, and begin another where the focus went meanwhile', () => {
  const down = stepped(stepped(NOTHING_SELECTED, 'a', 'b', order), 'b', 'c', order)
  assert.equal(keysOf(down), 'abc')
  const up = stepped(down, 'c', 'b', order)
  assert.equal(keysOf(up), 'ab')
  assert.equal(keysOf(stepped(up, 'e', 'd', order)), 'abde')
})
