import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dayHeading, dayWord } from './days.ts'

/** Half past midnight: an hour ago was yesterday. */
const NOW = new Date(2026, 0, 2, 0, 30)

const local = (...parts: [year: number, month: number, day: number, hour: number, minute: number]) =>
  new Date(...parts).toISOString()

test('a conversation shows the time of today, "ayer", or the day with another year', () => {
  assert.equal(dayWord(local(2026, 0, 2, 0, 5), NOW), '00:05')
  assert.equal(dayWord(local(2026, 0, 1, 23, 59), NOW), 'ayer')
  assert.equal(dayWord(local(2026, 0, 1, 0, 0), NOW), 'ayer')
  assert.equal(dayWord(local(2025, 11, 31, 23, 59), NOW), '31/12/2025')
  assert.equal(dayWord(local(2026, 0, 1, 0, 0), new Date(2026, 5, 10)), '01/01')
})

test('a time of tomorrow, from a clock that is ahead, counts as today', () => {
  assert.equal(dayWord(local(2026, 0, 3, 0, 5), NOW), '00:05')
})

test('a day of messages has a heading with its weekday, or with another year', () => {
  assert.equal(dayHeading(local(2026, 0, 2, 0, 5), NOW), 'hoy, viernes 2')
  assert.equal(dayHeading(local(2026, 0, 1, 12, 0), NOW), 'jueves, 1 de enero')
  assert.equal(dayHeading(local(2025, 11, 31, 12, 0), NOW), '31/12/2025')
})
