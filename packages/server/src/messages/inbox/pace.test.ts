import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openMetrics } from '#server/core/metrics.ts'
import { openDatabase } from '#server/database/open.ts'
import { openFeatureMetrics } from '#server/core/feature-metrics.ts'
import { testClock } from '#test/clock.ts'
import { openInboxPace } from './pace.ts'

const FROM = { connection_id: 'c', connection: 1, uid: 'd1', device_id: 1, company_id: 1 }

async function startPace(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'sdd-pace-'))
  const db = await openDatabase({ folder })
  t.after(async () => {
    await db.close()
    rmSync(folder, { recursive: true })
  })
  const clock = testClock('2026-06-10T08:00:00Z')
  let ticks = 0
  const live = { changed() {}, deviceStatus() {}, refresh() {}, stop() {} }
  const featureMetrics = openFeatureMetrics(openMetrics())
  const pace = openInboxPace({ db, clock, live, featureMetrics, ticks: () => ticks })
  let count = 0
  return {
    pace,
    pass(ms: number) {
      ticks += ms
      clock.advance(ms)
    },
    /** Stores this many SMS of the device, as this server or another would. */
    async store(times: number) {
      const received_at = new Date(clock.now()).toISOString()
      await db.write(async (tx) => {
        await tx.put('companies', { id: 1 }, { name: '', created_at: '' })
        const device = { company_id: 1, uid: 'd1', secret_hash: '', created_at: '', enabled: 1 } as const
        const status = { max_sms_dayly: 1, enabled_at: '', status: 'connected', status_at: '' } as const
        await tx.put('devices', { id: 1 }, { ...device, ...status })
        for (let n = 0; n < times; n++) {
          const sms = { sms_id: `sms ${++count}`, sms_from: '1', text: '', sms_at: received_at, received_at }
          await tx.insert('inbox', [{ company_id: 1, device_id: 1, ...sms, sim: null, message_id: null }])
        }
      })
    },
    async taken(shared = false, from = FROM) {
      let taken = 0
      while ((await pace.wait(from, shared)) === 0) taken++
      return taken
    },
  }
}

test('a device may send 60 SMS at once, and one more each second', async (t) => {
  const { pace, pass, taken } = await startPace(t)
  assert.equal(await taken(), 60)
  assert.equal(await pace.wait(FROM), 1_000)
  pass(400)
  assert.equal(await pace.wait(FROM), 600)
  pass(600)
  assert.equal(await taken(), 1)
  pass(600_000)
  assert.equal(await taken(), 60)
})

test('the SMS of the last minute count for a new connection, whichever server took them', async (t) => {
  const { pass, store, taken } = await startPace(t)
  await store(50)
  assert.equal(await taken(), 10)
  pass(30_000)
  assert.equal(await taken(), 30)
  assert.equal(await taken(false, { ...FROM, connection: 2 }), 0)
  pass(31_000)
  assert.equal(await taken(false, { ...FROM, connection: 3 }), 31)
})

test('if several servers take SMS of a device, each counts the last minute’s SMS of all of them', async (t) => {
  const { pass, store, taken } = await startPace(t)
  await store(59)
  assert.equal((await taken(true)) > 0, true)
  await store(1)
  assert.equal(await taken(true), 0)
  pass(60_000)
  assert.equal((await taken(true)) > 0, true)
})
