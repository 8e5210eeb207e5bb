import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Caller } from '#server/core/context.ts'
import type { Database } from '#server/database/open.ts'
import { guidOf, rowsOf } from '#test/campaign-fleet.ts'
import { MINUTE, testClock } from '#test/clock.ts'
import { eventually } from '#test/device.ts'
import { openWorld, type Published, SUPERADMIN } from '#test/model/world.ts'
import { createCampaign, readCampaign } from './campaigns.ts'
import { startFeeding } from './feeding.ts'
import { minuteOf } from './figures.ts'
import { startCampaign } from './starting.ts'
import { stopCampaign } from './stopping.ts'
import { countStore } from './store.ts'
import { uploadRows } from './uploading.ts'

const ADMIN: Caller = { ...SUPERADMIN, company_id: 2 }

/** A started campaign of two rows, and a connected device. */
async function begin(t: TestContext) {
  const clock = testClock('2026-06-10T08:00:00.000Z')
  const heard: Published[] = []
  const world = await openWorld(clock, (published) => heard.push(published))
  t.after(() => world.close())
  const needs = { ...world.needs, feed() {} }
  const device_id = await world.link(2, 'd1')
  const from = { connection_id: 'd1', connection: 1, uid: 'd1', device_id, company_id: 2 }
  await world.status(from, { status: 'connected', session: 's1', agent: 'test/1' })
  const { id } = await createCampaign(needs, ADMIN, { name: 'News', text: 'hola', class: 'transactional' })
  await uploadRows(needs, ADMIN, id, { first_row: 1, rows: rowsOf(2), last: true })
  await startCampaign(needs, ADMIN, id, 2)
  return {
    clock,
    world,
    heard,
    needs,
    from,
    id,
    /** Ten rounds over this database. */
    async rounds(db: Database) {
      let begun = 0
      const leads = () => ++begun > 0
      const feeding = startFeeding({ ...needs, db, replica: { leads } })
      await eventually(() => begun > 10)
      await feeding.stop()
    },
  }
}

test('a stopped campaign writes nothing while it waits for a device', async (t) => {
  const { world, heard, needs, from, id, clock, rounds } = await begin(t)
  const { db } = world
  await rounds(db)
  await world.settle()
  assert.equal(heard.length, 2)
  const at = new Date(clock.now()).toISOString()
  await world.reports(from, [{ guid: guidOf(id, 1), state: 'accepted', at }])
  const { counts } = await stopCampaign(needs, ADMIN, id)
  assert.deepEqual([counts.handed, counts.queued], [1, 1])
  let writes = 0
  const write: Database['write'] = (work) => {
    writes++
    return db.write(work)
  }
  await rounds({ ...db, write })
  assert.equal(writes, 0)
})

test('a campaign that has run for long is read as fast as a new one', async (t) => {
  const { clock, world, needs, id, rounds } = await begin(t)
  const { db } = world
  const minute = (ago: number) => minuteOf(new Date(clock.now() - ago * MINUTE).toISOString())
  await db.write(async (tx) => {
    for (let ago = 1; ago <= 10_000; ago++) await countStore(tx).add(id, minute(ago), 3)
  })
  clock.advance(10 * MINUTE)
  await db.write(async (tx) => {
    for (let ago = 1; ago <= 5; ago++) await countStore(tx).add(id, minute(ago), 4)
  })
  let most = 0
  const rows: Database['read']['rows'] = async (statement, ...values) => {
    const found = await db.read.rows(statement, ...values)
    most = Math.max(most, found.length)
    return found
  }
  const observed = { ...db, read: { ...db.read, rows } }
  const { rate_per_min } = await readCampaign({ ...needs, db: observed }, ADMIN.scope, id)
  assert.equal(rate_per_min, 4)
  await rounds(observed)
  assert.ok(most > 0 && most <= 20, `${most} rows`)
})
