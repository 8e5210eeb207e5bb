import assert from 'node:assert/strict'
import { test } from 'node:test'
import { UserChange } from '@sdd/contract/accounts/users.ts'
import { fieldParams } from '@sdd/contract/core/error-params.ts'
import type { Schema } from '@sdd/contract/core/route.ts'
import { LogFilter } from '@sdd/contract/insight/log.ts'
import { NewSms } from '@sdd/contract/messages/messages.ts'
import { NewWebhook } from '@sdd/contract/outward/callbacks.ts'
import { NewTask, SubmittedTasks } from '@sdd/contract/tasks/tasks.ts'
import { parse } from './request.ts'

/** The code of each wrong field, with its facts. */
function codesOf(schema: Schema, value: unknown): Record<string, string> {
  const { faults = {} } = parse(schema, value)
  return Object.fromEntries(
    Object.entries(faults).map(([name, { code, params }]) => {
      assert.deepEqual(fieldParams[code].parse(params), params, name)
      return [name, Object.keys(params).length === 0 ? code : `${code} ${JSON.stringify(params)}`]
    }),
  )
}

const ana = { name: 'ana', email: 'ana@example.com', role: 'user' }
const sms = { device_uid: 'd', telefono_to: '600111222', mensaje_sms: 'hello' }
const task = { to_number: '600111222', text: 'hello' }

test('a missing field and an empty text are required', () => {
  assert.deepEqual(codesOf(UserChange, { ...ana, name: ' ', email: undefined }), {
    name: 'required',
    email: 'required',
  })
  assert.deepEqual(codesOf(NewSms, { ...sms, mensaje_sms: '' }), { mensaje_sms: 'required' })
  assert.deepEqual(codesOf(NewSms, undefined), { body: 'required' })
})

test('a text or list says how short or long it may be', () => {
  assert.deepEqual(codesOf(UserChange, { ...ana, password: 'short', name: 'a'.repeat(101) }), {
    password: 'too_short {"min":10}',
    name: 'too_long {"max":100}',
  })
  assert.deepEqual(codesOf(NewWebhook, { url: 'https://a.example', types: [] }), {
    types: 'too_short {"min":1}',
  })
  assert.deepEqual(codesOf(SubmittedTasks, { tasks: Array.from({ length: 1_001 }, () => task) }), {
    tasks: 'too_long {"max":1000}',
  })
})

test('a number says both of its bounds, also one that a query writes in decimal', () => {
  assert.deepEqual(codesOf(UserChange, { ...ana, companyId: 0 }), {
    companyId: 'out_of_range {"min":1,"max":2147483647}',
  })
  assert.deepEqual(codesOf(LogFilter, { limit: '1001' }), { limit: 'out_of_range {"min":1,"max":1000}' })
  assert.deepEqual(codesOf(LogFilter, { limit: 'ten' }), { limit: 'bad_format' })
})

test('one of a few values names them all', () => {
  assert.deepEqual(codesOf(UserChange, { ...ana, role: 'king' }), {
    role: 'not_one_of {"values":["user","admin","superadmin"]}',
  })
})

test('a number and an e-mail have a format of their own; any other has not', () => {
  assert.deepEqual(codesOf(NewSms, { ...sms, telefono_to: 'abc' }), { telefono_to: 'number_format' })
  assert.deepEqual(codesOf(NewTask, { ...task, from_number: '1' }), { from_number: 'number_format' })
  assert.deepEqual(codesOf(UserChange, { ...ana, email: 'ana' }), { email: 'email_format' })
  assert.deepEqual(codesOf(NewTask, { ...task, guid: 'a b', expires_at: 'tomorrow', silent: 'no' }), {
    guid: 'bad_format',
    expires_at: 'bad_format',
    silent: 'bad_format',
  })
})

test('a field that the API does not know is named', () => {
  assert.deepEqual(codesOf(NewTask, { ...task, tel: '1' }), { tel: 'unknown_field' })
})
