import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorMsgParams, noteParams } from '@sdd/contract/messages/outcomes.ts'
import { explainBlock } from '#server/messages/opt-outs/opt-outs.ts'
import { errorMsgFieldsOf, failures, notes, readFailure, readNotes } from './outcomes.ts'

const at = '2026-06-10T08:00:00.000Z'
const device = 'drone-1'
const number = '+34600111222'
const blocked = { company_id: 1, number, text: null, device_uid: null, created_by: 'ana', created_at: at }

const sentences: [text: string, code: keyof typeof errorMsgParams, params: object][] = [
  ['It was discarded by shop before it was handed over.', 'discarded', { by: 'shop' }],
  ['The device drone-1 was unlinked before it was handed over.', 'unlinked_before', { device }],
  ['The device drone-1 was unlinked before it said what became of it.', 'unlinked_after', { device }],
  [`It was not handed over by ${at}.`, 'not_handed_over', { expires_at: at }],
  [
    'drone-1 accepted it and has not said what became of it. It is not sent again; a report would settle it.',
    'no_report',
    { device },
  ],
  [explainBlock(number, blocked), 'blocked', { number, by: 'ana', at }],
  [explainBlock(number, { ...blocked, created_by: null }), 'blocked', { number, by: null, at }],
  [
    explainBlock(number, { ...blocked, text: 'STOP "now"', device_uid: device }),
    'opted_out',
    { number, text: 'STOP "now"', device, at },
  ],
  [`${number} has no recorded consent to get marketing any more.`, 'no_consent', { number }],
  [failures.unknown_outcome.write({}), 'unknown_outcome', {}],
  ['It was cancelled before it went out.', 'cancelled', {}],
  ['It expired on the device before it went out.', 'expired', {}],
  ['The device had no network.', 'no_network', {}],
  ['The modem refused it.', 'modem_error', {}],
  ['The modem did not answer in time.', 'timeout', {}],
  ['The device could not send it (CMS 42).', 'failed', { code: 'CMS 42' }],
  ['The network did not deliver it: absent subscriber', 'undelivered', { reason: 'absent subscriber' }],
  [
    '1 part of it went on air, so it is not sent again. Then: The modem refused it.',
    'partly_sent',
    { parts: 1, why: 'The modem refused it.', why_code: 'modem_error' },
  ],
  [
    '2 parts of it went on air, so it is not sent again. Then: no credit',
    'partly_sent',
    { parts: 2, why: 'no credit', why_code: 'device_said' },
  ],
  ['SIM barred', 'device_said', { text: 'SIM barred' }],
]

test('the sentence of each failure is read back as its code and facts, and a device keeps its own words', () => {
  for (const [text, code, params] of sentences) {
    assert.deepEqual(readFailure(text), { code, params }, text)
    assert.deepEqual(errorMsgParams[code].parse(params), params, text)
  }
  assert.deepEqual(new Set(sentences.map(([, code]) => code)), new Set(Object.keys(errorMsgParams)))
})

test('a message that did not fail has neither a sentence nor a code', () => {
  assert.deepEqual(errorMsgFieldsOf(null), {
    error_msg: null,
    error_msg_code: null,
    error_msg_params: null,
  })
})

test('each line of the notes has its time, its code and its facts', () => {
  const lines: [string, keyof typeof noteParams, object][] = [
    [notes.given.write({ attempt: 1, device }), 'given', { attempt: 1, device }],
    [
      notes.failed.write({ attempt: 1, code: 'no network', device }),
      'failed',
      { attempt: 1, code: 'no network', device },
    ],
    [notes.retry.write({ at }), 'retry', { at }],
    [notes.late.write({ attempt: 1, state: 'sent', device }), 'late', { attempt: 1, state: 'sent', device }],
    [
      notes.discarding.write({ attempt: 2, by: 'ana, the boss', device }),
      'discarding',
      { attempt: 2, by: 'ana, the boss', device },
    ],
    [notes.blocked.write({ attempt: 2, device }), 'blocked', { attempt: 2, device }],
    [notes.unconsented.write({ attempt: 2, device }), 'unconsented', { attempt: 2, device }],
    [notes.ended.write({ error: 'expired' }), 'ended', { error: 'expired' }],
  ]
  const read = readNotes(lines.map(([line]) => `${at} ${line}`).join('\n'))
  assert.deepEqual(
    read,
    lines.map(([, code, params]) => ({ at, code, params })),
  )
  for (const { code, params } of read) assert.deepEqual(noteParams[code].parse(params), params)
  assert.deepEqual(new Set(read.map(({ code }) => code)), new Set(Object.keys(noteParams)))
})
