import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CallFault } from '@sdd/contract/core/client.ts'
import { fieldErrors, rowsOf, faultText } from '#console/core/api.ts'
import { text } from '#console/core/text.ts'

const rows = [{ id: 1 }, { id: 2 }]

test('a list is read bare, under its own name, or under data', () => {
  for (const body of [rows, { devices: rows }, { data: rows }])
    assert.deepEqual(rowsOf(body, 'devices'), rows)
})

test('list items that are not objects are left out', () => {
  assert.deepEqual(rowsOf([{ id: 1 }, null, 'x', 3], 'devices'), [{ id: 1 }])
})

test('a body without a list is a fault, not an empty list', () => {
  for (const body of [undefined, null, {}, { users: rows }, 'rows']) {
    assert.throws(() => rowsOf(body, 'devices'), CallFault)
  }
})

test("a fault shows the server's detail, if it has one", () => {
  assert.equal(
    faultText(new CallFault('', { status: 409, body: { detail: 'It is off.' } }), 'No'),
    'It is off.',
  )
  assert.equal(faultText(new CallFault('Conflict', { status: 409 }), 'No'), 'No')
  assert.equal(faultText(new CallFault('', {}), 'No'), text.noReply)
  assert.equal(faultText(new CallFault('', { status: 403, body: { code: 'proof_required' } }), 'No'), '')
})

test('only fields with a sentence count as refused', () => {
  const body = { fields: { name: 'is missing', age: 3 } }
  assert.deepEqual(fieldErrors(new CallFault('', { status: 422, body })), { name: 'is missing' })
  assert.deepEqual(fieldErrors(new Error('x')), {})
})
