import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LogEntry } from '@sdd/contract/insight/log.ts'
import { openForward } from './forward.ts'

const AT = '2026-06-01T10:00:00.000Z'
const START = Date.parse(AT)
const NOW = { at: START, ready_at: START }

const entry = (change: Partial<LogEntry>): LogEntry =>
  ({
    guid: 'g',
    message: 'Hi',
    message_to: '600',
    queue_timestamp: AT,
    answer_sent_timestamp: null,
    answer_2_timestamp: null,
    notes: null,
    waiting_for: 'Next in line.',
    ...change,
  }) as LogEntry

function follow(...entries: Partial<LogEntry>[]): string[] {
  const forward = openForward()
  return entries.flatMap((one) => forward.see(entry(one), NOW))
}

test('a message that advances, is uncertain for a while, or is read twice is in order', () => {
  const sent = { state: 'sent', answer_sent_timestamp: AT } as const
  assert.deepEqual(follow({ state: 'queued' }, { state: 'handed' }, { state: 'handed' }, sent), [])
  assert.deepEqual(follow({ state: 'handed' }, { state: 'uncertain' }, { state: 'failed' }, sent), [])
})

test('a state that goes back is a fault, unless the message is retried and its notes say so', () => {
  assert.deepEqual(follow({ state: 'sent' }, { state: 'uncertain' }), [
    'g: it went back from sent to uncertain',
  ])
  const notes = '1: given to d1'
  const again = { notes: `${notes}\n1: no_network on d1\nit is tried again at ${AT}` }
  assert.deepEqual(follow({ state: 'handed', notes }, { state: 'queued', ...again }), [])
  assert.deepEqual(follow({ state: 'handed', ...again }, { state: 'queued', ...again }), [
    'g: it went back from handed to queued',
  ])
  const undelivered = { state: 'failed', answer_2_timestamp: AT } as const
  assert.deepEqual(follow(undelivered, { state: 'sent', answer_2_timestamp: AT }), [
    'g: it went back from failed to sent',
  ])
})

test('fields that are written once neither change nor disappear', () => {
  const sent = { state: 'sent', answer_sent_timestamp: AT, notes: '1: given to d1' } as const
  assert.deepEqual(follow(sent, { ...sent, answer_sent_timestamp: null }), [
    `g: its answer_sent_timestamp changed from ${AT} to null`,
  ])
  assert.deepEqual(follow(sent, { ...sent, notes: '2: given to d2' }), ['g: its notes were rewritten'])
})

test('a waiting message gives a reason, and not a time that is long past', () => {
  assert.deepEqual(follow({ state: 'queued', waiting_for: null }), [
    'g: it is queued, but gives no reason for waiting',
  ])
  const waiting_for = `Pacing: the next slot opens at ${AT}, 2 wait for it.`
  const forward = openForward()
  const see = (after_ms: number, ready_after_ms: number) =>
    forward.see(entry({ state: 'queued', waiting_for }), {
      at: START + after_ms,
      ready_at: START + ready_after_ms,
    })
  assert.deepEqual(see(10_000, 0), [])
  assert.deepEqual(see(60_000, 50_000), [], 'the server was away until a moment ago')
  assert.deepEqual(see(60_000, 0), [`g: it waits past its time: ${waiting_for}`])
})
