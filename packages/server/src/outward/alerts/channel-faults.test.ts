import assert from 'node:assert/strict'
import { test } from 'node:test'
import { channelFaultParams, type ChannelFaultCode } from '@sdd/contract/outward/alert-channels.ts'
import { failures } from '#server/messages/outcomes/outcomes.ts'
import { channelFaultFieldsOf, channelFaults } from './channel-faults.ts'

const number = '+34600111222'
const { sms_ended, sms_only_ended, denied, not_allowed, ...plain } = channelFaults
const nothing = { why: null, why_code: null, why_params: null }

const sentences: [text: string, code: ChannelFaultCode, params: object][] = [
  [plain.no_smtp.write({}), 'no_smtp', {}],
  [plain.late.write({ secs: 15 }), 'late', { secs: 15 }],
  [plain.refused.write({}), 'refused', {}],
  [plain.no_device.write({}), 'no_device', {}],
  [plain.sms_late.write({ secs: 15 }), 'sms_late', { secs: 15 }],
  [plain.sms_removed.write({}), 'sms_removed', {}],
  [sms_only_ended.write({ state: 'uncertain' }), 'sms_ended', { state: 'uncertain', ...nothing }],
  [
    sms_ended.write({ state: 'failed', why: failures.no_network.write({}) }),
    'sms_ended',
    { state: 'failed', why: 'The device had no network.', why_code: 'no_network', why_params: {} },
  ],
  [
    sms_ended.write({ state: 'failed', why: 'SIM barred' }),
    'sms_ended',
    { state: 'failed', why: 'SIM barred', why_code: 'device_said', why_params: { text: 'SIM barred' } },
  ],
  [denied.write({ number, prefix: '+34' }), 'destination_refused', { number, prefix: '+34' }],
  [not_allowed.write({ number }), 'destination_refused', { number, prefix: null }],
  [plain.not_needed.write({}), 'not_needed', {}],
  [plain.not_named.write({}), 'not_named', {}],
]

test('a sentence of this server about a channel is read back as its code and facts', () => {
  for (const [detail, detail_code, detail_params] of sentences) {
    assert.deepEqual(channelFaultFieldsOf(detail), { detail, detail_code, detail_params }, detail)
    assert.deepEqual(channelFaultParams[detail_code].parse(detail_params), detail_params, detail)
  }
})

test('the words of the other side have no code', () => {
  for (const detail of [
    null,
    '552 the mailbox is full',
    '401 {"description":"bad"}',
    'failed: not now',
    '500',
  ])
    assert.deepEqual(channelFaultFieldsOf(detail), { detail })
})
