import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CallFault } from '@sdd/contract/core/client.ts'
import { outcomeText } from './messages.ts'
import { numberFault } from './number-fault.ts'
import { send as en } from './text.en.ts'
import { send as es } from './text.es.ts'

const refused = new CallFault('', {
  status: 409,
  body: {
    status: 'The device drone-1 is disabled.',
    code: 'device_disabled',
    params: { device: 'drone-1', since: '2026-11-20T09:30:00.000Z' },
  },
})
const invalid = new CallFault('', {
  status: 422,
  body: {
    status: 'What was sent is not valid.',
    code: 'invalid',
    fields: { telefono_to: 'must be a number' },
    field_codes: { telefono_to: { code: 'number_format', params: {} } },
  },
})

test('without a language, the result of a send is in the words of the server', () => {
  assert.equal(outcomeText({ sent: false, why: refused }), 'The device drone-1 is disabled.')
  assert.equal(outcomeText({ sent: true, status: 'SMS enviado vía MQTT' }), 'SMS enviado vía MQTT')
  assert.equal(outcomeText({ sent: true, status: undefined }), 'SMS enviado correctamente.')
  assert.equal(outcomeText({ sent: false, status: 'Cola llena' }), 'Cola llena')
  const without_text = new CallFault('', { status: 409 })
  assert.equal(outcomeText({ sent: false, why: without_text }), 'Error 409: respuesta ilegible')
})

test('a chosen language says why a message is refused, and which field is wrong', () => {
  assert.match(es.refusal(refused) ?? '', /^El dispositivo drone-1 está deshabilitado desde .+ Habilítelo/)
  assert.match(en.refusal(refused) ?? '', /^The device drone-1 has been disabled since .+ Enable it/)
  assert.match(es.refusal(invalid) ?? '', /^Teléfono: Escriba el número con su prefijo/)
  assert.match(en.refusal(invalid) ?? '', /^Phone: Type the number with its country code/)
})

test('a refusal that did not come from this API has no sentence', () => {
  const foreign = new CallFault('', { status: 502, body: '<html>' })
  for (const { refusal } of [es, en]) assert.equal(refusal(foreign), undefined)
})

test('a typed number is checked by the rule of the server', () => {
  for (const valid of ['', ' ', '600 111 222', '+34 (600) 111-222', '112'])
    assert.equal(numberFault(valid), undefined, valid)
  for (const short of ['1', '+', '+34', '+34600']) assert.equal(numberFault(short), 'incomplete', short)
  for (const wrong of ['hello', '+34x', '1234567890123456', '34+'])
    assert.equal(numberFault(wrong), 'wrong', wrong)
})
