import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { KeyCaller } from '#server/core/context.ts'
import { MINUTE, SECOND, testClock } from '#test/clock.ts'
import type { DiskSpace } from '#server/core/disk-space.ts'
import { Refusal } from '#server/core/refusal.ts'
import { openWorld } from '#test/model/world.ts'
import { deliveryStore } from './deliveries.store.ts'
import { STATUS } from './codec/commands.ts'
import { addPart, expireParts } from './parts.ts'
import { partStore } from './parts.store.ts'

const NOW = '2026-06-10T08:00:00.000Z'

/** A database with an API key, and how the key adds a part. */
async function begin(t: TestContext) {
  const clock = testClock(NOW)
  const world = await openWorld(clock, () => {})
  t.after(() => world.close())
  const { db } = world
  const key = { company_id: 2, name: 'shop', key_hash: 'x', hint: 'x', may: '[]', webhook_secret: 'x' }
  const api_key_id = await db.write((tx) => tx.insertRow('api_keys', { ...key, created_at: NOW }))
  const needs = { db, clock }
  const enough: Pick<DiskSpace, 'refuseIfShort'> = world.needs.diskSpace
  const caller = { company_id: 2, api_key_id } as KeyCaller
  return {
    db,
    clock,
    api_key_id,
    add(n: number, of: number, { registered = 0, ref = 7, diskSpace = enough } = {}) {
      const part = { reference: JSON.stringify(['', '+34600111222', 'sar', ref, of]), n, of }
      const piece = { octets: Buffer.from(`part ${n}`), data_coding: 0, part }
      return addPart({ ...needs, diskSpace }, caller, piece, registered)
    },
  }
}

test('each part that asked for it is told as expired if its SMS is not complete after 10 minutes', async (t) => {
  const { db, clock, api_key_id, add } = await begin(t)
  const { guid } = await add(1, 3, { registered: 1 })
  const later = await add(3, 3)
  assert.deepEqual([later.guid, later.parts], [guid, undefined])
  clock.advance(10 * MINUTE + 10 * SECOND)
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
})

test('a key has 10,000 parts of incomplete SMS at most, and one that completes its SMS is still taken', async (t) => {
  const { db, api_key_id, add } = await begin(t)
  await add(1, 2, { ref: 8 })
  const other = { company_id: 2, api_key_id, reference: 'other', data_coding: 0, octets: '', registered: 0 }
  for (let from = 0; from < 9_996; from += 833) {
    const rows = Array.from({ length: 833 }, (_, place) => ({
      ...other,
      guid: `other-${from + place}`,
      n: 1,
      began_at: NOW,
    }))
    await db.write((tx) => tx.insert('smpp_parts', rows))
  }
  for (const n of [1, 2, 3]) await add(n, 5)
  for (const n of [4, 5]) await assert.rejects(add(n, 5), { status: STATUS.queue_full })
  assert.equal((await add(2, 2, { ref: 8 })).parts?.length, 2)
})

test('no part is stored while the space on the disk is short', async (t) => {
  const { add } = await begin(t)
  const refuseIfShort = () => {
    throw new Refusal('disk_full', 'There is no space.')
  }
  await assert.rejects(add(1, 2, { diskSpace: { refuseIfShort } }), { code: 'disk_full' })
})
