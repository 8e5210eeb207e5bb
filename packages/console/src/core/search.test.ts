import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as z from 'zod/mini'
import { orUndefined, parseSearch, stringifySearch } from '#console/core/search.ts'

test('a parameter that looks like a number or a boolean stays text', () => {
  const params = { search: '+34 600', errors: 'true', guid: '0012', text: 'a&b=ñ' }
  assert.deepEqual(parseSearch(stringifySearch(params)), params)
})

test('parameters without a value do not appear in the address', () => {
  assert.equal(stringifySearch({ search: undefined }), '')
})

test('an invalid parameter counts as absent, and the others are kept', () => {
  const Search = z.object({
    show: orUndefined(z.optional(z.enum(['on']))),
    search: orUndefined(z.optional(z.string())),
  })
  assert.deepEqual(Search.parse({ show: 'sideways', search: 'x' }), { show: undefined, search: 'x' })
})
