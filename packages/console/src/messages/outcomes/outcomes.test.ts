import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  errorMsgParams,
  noteParams,
  type AttemptDetail,
  type ErrorMsgCode,
  type Note,
} from '@sdd/contract/messages/outcomes.ts'
import { outcomes as english } from './text.en.ts'
import { outcomes as spanish } from './text.es.ts'
import { outcomes } from './text.ts'

const at = '2026-06-10T08:00:00.000Z'
const number = '+34600111222'
/** The facts of all codes together. */
const facts = {
  at,
  attempt: 2,
  by: 'ana',
  code: 'no_network',
  device: 'drone-1',
  error: 'expired',
  expires_at: at,
  number,
  parts: 2,
  reason: 'absent subscriber',
  state: 'sent',
  text: 'STOP',
  why: 'In English.',
  why_code: 'modem_error',
}

test('each failure has a sentence in Spanish and in English', () => {
  const cases: [code: string, params: object][] = [
    ...Object.keys(errorMsgParams).map((code): [string, object] => [code, facts]),
    ['blocked', { ...facts, by: null }],
    ['partly_sent', { ...facts, parts: 1, why: 'no credit', why_code: 'device_said' }],
  ]
  for (const [code, params] of cases) {
    const fields = { error_msg: 'In English.', error_msg_code: code, error_msg_params: params }
    const said = [spanish, english].map(({ errorMsg }) => errorMsg(fields as Parameters<typeof errorMsg>[0]))
    assert.ok(code === 'device_said' || said[0] !== said[1], code)
    for (const sentence of said) {
      assert.match(sentence ?? '', /^[^a-z].*[.»”]$|^ana .*\.$|^drone-1 .*\.$/, code)
      assert.doesNotMatch(sentence ?? '', /undefined|null|In English/, code)
    }
  }
})

test('the usual wording is Spanish too; the words of a device and of a server without codes stay', () => {
  const fields = { error: 'timeout', error_msg: 'In English.', error_msg_code: 'timeout' as ErrorMsgCode }
  assert.equal(outcomes.errorMsg(fields), 'El módem no respondió a tiempo.')
  assert.equal(outcomes.failure(fields), 'timeout · El módem no respondió a tiempo.')
  assert.equal(outcomes.errorMsg({ error_msg: 'In English.' }), 'In English.')
  assert.equal(outcomes.errorMsg({ error_msg: '' }), undefined)
})

test('the code of a failure is named, unless its sentence implies it', () => {
  const quoted = {
    error: '38',
    error_msg: 'Fuera de servicio',
    error_msg_code: 'device_said' as ErrorMsgCode,
  }
  const failed = { ...quoted, error_msg_params: { text: 'Fuera de servicio' } }
  assert.equal(outcomes.failure(failed), '38 · Fuera de servicio')
  assert.equal(spanish.failure(failed), 'Código 38 · «Fuera de servicio»')
  const implied = { error: 'timeout', error_msg: 'x', error_msg_code: 'timeout' as ErrorMsgCode }
  assert.equal(spanish.failure(implied), 'El módem no respondió a tiempo.')
  assert.equal(english.failure({ error: 'no_sim' }), 'No SIM')
  for (const { failure } of [outcomes, spanish, english]) assert.equal(failure({ error: null }), undefined)
})

test('each line of the notes has its time and its words', () => {
  const codes = Object.keys(noteParams) as Note['code'][]
  const fields = { notes: 'x', notes_codes: codes.map((code) => ({ at, code, params: facts })) }
  const lines = [spanish, english].map(({ notes }) => notes(fields)!.split('\n'))
  assert.equal(outcomes.notes(fields), 'x')
  for (const [n, code] of codes.entries()) {
    assert.notEqual(lines[0]![n], lines[1]![n])
    for (const one of lines) {
      assert.match(one[n]!, /^2026-06-10T08:00:00\.000Z \p{Lu}/u, code)
      assert.doesNotMatch(one[n]!, /undefined|null|no_network/, code)
    }
  }
  assert.equal(spanish.notes({ notes: 'otra cosa' }), '«otra cosa»')
  assert.equal(english.notes({ notes: null, notes_codes: null }), undefined)
})

test('an attempt is told from its facts, with the words of the device quoted', () => {
  const attempt: AttemptDetail = {
    attempt: 1,
    device: 'drone-1',
    sim: '+34610203040',
    given_at: at,
    accepted_at: at,
    sent_at: null,
    delivered_at: null,
    state: 'failed',
    code: 'no_sim',
    detail: 'SIM out',
  }
  assert.equal(outcomes.attempt('drone-1 · failed', attempt), 'drone-1 · failed')
  assert.equal(
    spanish.attempt('drone-1 · failed', attempt),
    `drone-1 · SIM +34610203040 · aceptado el ${at} · fallido · sin SIM · «SIM out»`,
  )
  assert.equal(
    english.attempt('drone-1 · failed', { ...attempt, state: 'undelivered', delivered_at: at, code: '38' }),
    `drone-1 · SIM +34610203040 · accepted at ${at} · not delivered, reported at ${at} · code 38 · “SIM out”`,
  )
  assert.equal(english.attempt('drone-1 · failed'), '“drone-1 · failed”')
})

test('a code that is named like a property of every object is an unknown code', () => {
  assert.deepEqual(
    [outcomes, spanish, english].map(({ cause }) => cause('constructor')),
    ['constructor', 'Código constructor', 'Code constructor'],
  )
})
