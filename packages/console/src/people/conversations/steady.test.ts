import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Conversation } from '@sdd/contract/people/conversations.ts'
import { freshIn, steadyRows } from './steady.ts'

const row = (number: string, minute: number) =>
  ({
    company_id: 1,
    number,
    last_at: `2026-11-24T12:${String(minute).padStart(2, '0')}:00.000Z`,
  }) as Conversation
const numbers = ({ rows }: { rows: readonly Conversation[] }) => rows.map(({ number }) => number)

const loaded = [row('a', 30), row('b', 20), row('c', 10)]
const shown = steadyRows(undefined, loaded, { held: false, open: undefined })

test('a held list keeps its order, counts newer conversations, and takes older ones of the next page', () => {
  const later = [row('d', 50), row('c', 40), ...loaded.slice(0, 2), row('e', 5)].map((one) => ({ ...one }))
  const held = steadyRows(shown, later, { held: true, open: undefined })
  assert.deepEqual(numbers(held), ['a', 'b', 'c', 'e'])
  assert.equal(held.rows[2]!.last_at, row('c', 40).last_at)
  assert.equal(freshIn(later, held), 2)
  const free = steadyRows(held, later, { held: false, open: undefined })
  assert.deepEqual(numbers(free), ['d', 'c', 'a', 'b', 'e'])
  assert.equal(freshIn(later, free), 0)
})

test('the open row keeps its place, even if it no longer passes the filter', () => {
  const moved = [row('b', 50), row('a', 30), row('c', 10)]
  assert.deepEqual(numbers(steadyRows(shown, moved, { held: false, open: '1 b' })), ['a', 'b', 'c'])
  const without = [row('a', 30), row('c', 10)]
  assert.deepEqual(numbers(steadyRows(shown, without, { held: false, open: '1 b' })), ['a', 'b', 'c'])
})
