import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openKeptMessages, type SubmittedMessage } from './kept-messages.ts'

const MESSAGE: SubmittedMessage = {
  id: 7,
  company_id: 1,
  guid: 'one',
  message_to: '+34600111222',
  parts: 2,
  priority: 1,
  silent: 0,
  task: 1,
  callback_url: null,
  api_key_id: 3,
  queue_timestamp: '2026-06-10T08:00:00.000Z',
}

test('a message is found by its company and guid until it ends', () => {
  const keptMessages = openKeptMessages()
  keptMessages.keep(MESSAGE)
  assert.deepEqual(keptMessages.of([1, 'one']), MESSAGE)
  assert.equal(keptMessages.of([2, 'one']), undefined)
  keptMessages.drop([1, 'one'])
  assert.equal(keptMessages.of([1, 'one']), undefined)
})

test('nothing is kept of a message but how it was submitted', () => {
  const keptMessages = openKeptMessages()
  keptMessages.keep({ ...MESSAGE, state: 'handed', notes: 'given' } as SubmittedMessage)
  assert.deepEqual(keptMessages.of([1, 'one']), MESSAGE)
})

test('at most 10,000 messages are kept: the latest', () => {
  const keptMessages = openKeptMessages()
  const guids = Array.from({ length: 20_001 }, (_, id) => `guid-${id}`)
  for (const [id, guid] of guids.entries()) keptMessages.keep({ ...MESSAGE, id, guid })
  const kept = guids.filter((guid) => keptMessages.of([1, guid]))
  assert.ok(kept.length >= 5_000 && kept.length <= 10_000, `${kept.length} are kept`)
  assert.deepEqual(kept, guids.slice(-kept.length))
})

test('a message is not kept for more than an hour', () => {
  let now_ms = 0
  const keptMessages = openKeptMessages(() => now_ms)
  keptMessages.keep(MESSAGE)
  now_ms = 3_599_999
  assert.deepEqual(keptMessages.of([1, 'one']), MESSAGE)
  now_ms = 3_600_000
  assert.equal(keptMessages.of([1, 'one']), undefined)
})
