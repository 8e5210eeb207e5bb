import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lastErrorParams } from '@sdd/contract/outward/callbacks.ts'
import { NOT_LISTED, NOT_PUBLIC } from './addresses.ts'
import { lastErrorFieldsOf, outcomeOf, troubles, unreached } from './outcome.ts'

const reasons: [text: string | null, code: keyof typeof lastErrorParams, params: object][] = [
  [outcomeOf(410).error, 'gone', {}],
  [outcomeOf(302).error, 'redirect', { status: 302 }],
  [unreached({ code: 'ECONNREFUSED' }).error, 'refused', {}],
  [unreached({ code: 'EPIPE' }).error, 'closed', {}],
  [unreached({ code: 'CERT_HAS_EXPIRED' }).error, 'bad_certificate', { reason: 'CERT_HAS_EXPIRED' }],
  [unreached({ code: 'EPROTO' }).error, 'bad_tls', { reason: 'EPROTO' }],
  [unreached({ code: 'HPE_INVALID_CONSTANT' }).error, 'not_http', { reason: 'HPE_INVALID_CONSTANT' }],
  [unreached({ message: 'odd (very)' }).error, 'unreachable', { reason: 'odd (very)' }],
  ['It did not answer within 15 s.', 'late', { secs: 15 }],
  [`shop.example ${NOT_PUBLIC}.`, 'not_public', { host: 'shop.example' }],
  [`shop.example ${NOT_LISTED}.`, 'not_listed', { host: 'shop.example' }],
  [
    'shop.example has no address now (ENOTFOUND).',
    'no_address',
    { host: 'shop.example', reason: 'ENOTFOUND' },
  ],
  ['shop.example is slow.', 'slow_name', { host: 'shop.example' }],
  ['The webhook was removed.', 'webhook_removed', {}],
  [troubles.no_secret.write({}), 'no_secret', {}],
  [troubles.answer_not_sent.write({}), 'answer_not_sent', {}],
  [troubles.not_tried.write({}), 'not_tried', {}],
  ['Something else.', 'other', { text: 'Something else.' }],
]

test('each reason why a callback did not arrive is read back as its code and facts', () => {
  for (const [text, code, params] of reasons) {
    const { last_error_code, last_error_params } = lastErrorFieldsOf(text)
    assert.deepEqual([last_error_code, last_error_params], [code, params], text ?? code)
    assert.deepEqual(lastErrorParams[code].parse(params), params, code)
  }
  assert.deepEqual(new Set(reasons.map(([, code]) => code)), new Set(Object.keys(lastErrorParams)))
  assert.equal(lastErrorFieldsOf(null).last_error_code, null)
})
