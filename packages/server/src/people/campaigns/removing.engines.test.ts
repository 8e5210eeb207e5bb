import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Caller } from '#server/core/context.ts'
import type { Database } from '#server/database/open.ts'
import { rowsOf } from '#test/campaign-fleet.ts'
import { testClock } from '#test/clock.ts'
import { eventually } from '#test/device.ts'
import { ALL_MESSAGES } from '#test/message-tables.ts'
import { openWorld, SUPERADMIN } from '#test/model/world.ts'
import { createCampaign, deleteCampaign } from './campaigns.ts'
import { startFeeding } from './feeding.ts'
import { startCampaign } from './starting.ts'
import { stopCampaign } from './stopping.ts'
import { campaignStore, countStore } from './store.ts'
import { uploadRows } from './uploading.ts'

const ADMIN: Caller = { ...SUPERADMIN, company_id: 2 }

test('all messages of a campaign are cancelled if it is removed while the rest is discarded', async (t) => {
  const world = await openWorld(testClock('2026-06-10T08:00:00.000Z'), () => {})
  t.after(() => world.close())
  const { db } = world
  const needs = { ...world.needs, feed() {} }
  for (const uid of ['d1', 'd2', 'd3']) {
    const device_id = await world.link(2, uid)
    const from = { connection_id: uid, connection: 1, uid, device_id, company_id: 2 }
    await world.status(from, { status: 'connected', session: 's1', agent: 'test/1' })
  }
  const { id } = await createCampaign(needs, ADMIN, { name: 'News', text: 'hola', class: 'transactional' })
  await uploadRows(needs, ADMIN, id, { first_row: 1, rows: rowsOf(120), last: true })
  await startCampaign(needs, ADMIN, id, 120)
  const feeding = startFeeding(needs)
  await eventually(async () => (await countStore(db.read).one(id, 'queued')) === 120)
  await feeding.stop()

  let writes = 0
  const write: Database['write'] = async (work) => {
    // After the stop, and one step of discarding.
    if (++writes === 3) await deleteCampaign(needs, ADMIN, id)
    return db.write(work)
  }
  await stopCampaign({ ...needs, db: { ...db, write } }, ADMIN, id).catch(() => {})
  assert.ok(writes >= 3)
  const states = await db.read.query<{ state: string; count: number }>(
    `select state, count(*) as count from ${ALL_MESSAGES} where guid like 'campaign:%' group by state`,
  )
  assert.deepEqual(
    states.map(({ state, count }) => [state, Number(count)]),
    [['cancelled', 120]],
  )
  assert.equal(await campaignStore(db.read, 'all').byId(id), undefined)
})
