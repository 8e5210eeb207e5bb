import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KeyCaller } from '#server/core/context.ts'
import { MINUTE, testClock } from '#test/clock.ts'
import { openWorld } from '#test/model/world.ts'
import { deliveryStore } from './deliveries.store.ts'
import { addPart, expireParts } from './parts.ts'
import { partStore } from './parts.store.ts'

const NOW = '2026-06-10T08:00:00.000Z'

test('each part that asked for it is told as expired if its SMS is not complete after 10 minutes', async (t) => {
  const clock = testClock(NOW)
  const world = await openWorld(clock, () => {})
  t.after(() => world.close())
  const { db } = world
  const key = { company_id: 2, name: 'shop', key_hash: 'x', hint: 'x', may: '[]', webhook_secret: 'x' }
  const api_key_id = await db.write((tx) => tx.insertRow('api_keys', { ...key, created_at: NOW }))
  const caller = { company_id: 2, api_key_id } as KeyCaller
  const part = (n: number) => ({
    octets: Buffer.from(`part ${n}`),
    data_coding: 0,
    part: { reference: JSON.stringify(['', '+34600111222', 'sar', 7, 3]), n, of: 3 },
  })
  const { guid } = await addPart({ db, clock }, caller, part(1), 1)
  const later = await addPart({ db, clock }, caller, part(3), 0)
  assert.deepEqual([later.guid, later.parts], [guid, undefined])
  clock.advance(11 * MINUTE)
  await expireParts({ db, clock })
  assert.equal(await partStore(db.read, api_key_id).has(guid), true)
  clock.advance(1)
  await expireParts({ db, clock })
  assert.equal(await partStore(db.read, api_key_id).has(guid), false)
  const [receipt, ...none] = await deliveryStore(db.read).due(api_key_id, '2027', 10)
  assert.deepEqual(none, [])
  assert.match(
    Buffer.from(receipt!.body, 'hex').toString('latin1'),
    new RegExp(`id:${guid}.1 .*stat:EXPIRED`),
  )
  // What no program fetches is removed.
  assert.equal(await db.write((tx) => deliveryStore(tx).removeOld('2027', 10)), 1)
})
