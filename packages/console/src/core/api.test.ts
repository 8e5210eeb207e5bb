import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiFault, rowsOf, textOf } from '#console/core/api.ts'

const rows = [{ id: 1 }, { id: 2 }]

test('a list is read bare, under its own name, or under data', () => {
  for (const body of [rows, { devices: rows }, { data: rows }])
    assert.deepEqual(rowsOf(body, 'devices'), rows)
})

test('what is no object in a list is left out', () => {
  assert.deepEqual(rowsOf([{ id: 1 }, null, 'x', 3], 'devices'), [{ id: 1 }])
})

test('a body that holds no list is a fault, not an empty list', () => {
  for (const body of [undefined, null, {}, { users: rows }, 'rows']) {
    assert.throws(() => rowsOf(body, 'devices'), ApiFault)
  }
})

test('a fault speaks with the detail of the server where there is one', () => {
  assert.equal(new ApiFault(409, 'Conflict', { detail: 'It is off.' }).message, 'It is off.')
  assert.equal(new ApiFault(409, 'Conflict').message, 'Error 409: Conflict')
})

test('only a text that says something counts as a text', () => {
  assert.equal(textOf({ status: '' }, 'status'), undefined)
  assert.equal(textOf({ status: 3 }, 'status'), undefined)
  assert.equal(textOf(null, 'status'), undefined)
})
