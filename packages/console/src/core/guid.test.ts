import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as z from 'zod/mini'
import { newGuid } from './guid.ts'

test('a guid is of version 4 and its variant, and no two are the same', () => {
  const made = Array.from({ length: 500 }, newGuid)
  for (const guid of made) assert.ok(z.uuidv4().safeParse(guid).success, guid)
  assert.equal(new Set(made).size, made.length)
})
