import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as z from 'zod/mini'
import { writeReply } from './serialized-reply.ts'

const Page = z.object({
  rows: z.array(z.object({ id: z.int(), name: z.nullable(z.string()) })),
  next: z.nullable(z.string()),
})

test('a serialised reply contains the fields of its schema and nothing else', () => {
  const secret = { id: 1, name: 'ñandú', secret_hash: 'abc' }
  const written = writeReply(Page, { rows: [secret, { id: 2, name: null }], next: null })
  assert.equal(
    Buffer.from(written).toString(),
    '{"rows":[{"id":1,"name":"ñandú"},{"id":2,"name":null}],"next":null}',
  )
})

test('a reply that does not match its schema is not serialised', () => {
  const wrong = { rows: [{ id: '1', name: null }], next: null } as unknown as z.input<typeof Page>
  assert.throws(() => writeReply(Page, wrong), /rows.*id|expected/s)
})

test('a serialised reply can be transferred to another thread', () => {
  const written = writeReply(Page, { rows: [], next: null })
  const moved = structuredClone(written, { transfer: [written.buffer] })
  assert.equal(moved.byteLength, '{"rows":[],"next":null}'.length)
  assert.equal(written.byteLength, 0)
})
