import assert from 'node:assert/strict'
import { test } from 'node:test'
import { messageStateOf, type LogRow } from './log.ts'
import { cursorsBetween, mergeRows, rangeOf } from './use-log-pages.ts'

const row = (id: number, rest: Partial<LogRow> = {}) => ({ id, guid: `g${id}`, ...rest }) as LogRow

const pages = {
  pages: [
    { rows: [row(6), row(5)], next: 'a' },
    { rows: [row(4), row(3)], next: 'b' },
    { rows: [row(2), row(1)], next: undefined },
  ],
  pageParams: [undefined, 'a', 'b'],
}

test('only the pages on screen are loaded again', () => {
  assert.deepEqual(cursorsBetween(pages, { first: 0, last: 1 }), [undefined])
  assert.deepEqual(cursorsBetween(pages, { first: 2, last: 4 }), ['a', 'b'])
  assert.deepEqual(cursorsBetween(pages, { first: 3, last: 3 }), ['a'])
})

test('a changed row replaces the old one; every other row and page stays the same object', () => {
  const heard = new Map([
    [4, row(4, { notes: 'sent' })],
    [6, row(6)],
  ])
  const next = mergeRows(pages, heard)
  assert.equal(next.pages[1]?.rows[0]?.notes, 'sent')
  assert.equal(next.pages[1]?.rows[1], pages.pages[1]?.rows[1])
  assert.equal(next.pages[0], pages.pages[0])
  assert.equal(mergeRows(pages, new Map([[6, row(6)]])), pages)
})

test('the newest and oldest of 200,000 loaded rows are known', () => {
  const ids = new Set(Array.from({ length: 200_000 }, (_, n) => 300_000 - n))
  assert.deepEqual(rangeOf(ids), { oldest: 100_001, newest: 300_000 })
})

test('if the server does not send the state, it is derived from the timestamps', () => {
  const at = '2026-01-01T00:00:00.000Z'
  const cases: [Partial<LogRow>, string][] = [
    [{}, 'queued'],
    [{ handed_timestamp: at }, 'handed'],
    [{ handed_timestamp: at, answer_sent_timestamp: at }, 'sent'],
    [{ answer_sent_timestamp: at, answer_2: 'ok' }, 'delivered'],
    [{ answer_2: 'ok', answer_3: 'hi' }, 'replied'],
    [{ answer_2: 'no', error: '38' }, 'failed'],
    [{ error: '38', state: 'expired' }, 'expired'],
  ]
  for (const [fields, state] of cases) assert.equal(messageStateOf(fields), state)
})
