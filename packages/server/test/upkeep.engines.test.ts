import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, type TestContext, test } from 'node:test'
import { pino } from 'pino'
import { createCompany } from '#server/accounts/companies/companies.ts'
import { instant, systemClock } from '#server/core/clock.ts'
import type { Scope } from '#server/core/context.ts'
import type { Loop } from '#server/core/loop.ts'
import { type Database, openDatabase } from '#server/database/open.ts'
import { eventually } from './device.ts'
import { databaseOf } from './engine.ts'
import { readDashboard } from '#server/insight/dashboard/dashboard.ts'
import { forgetOld, startUpkeep, takeSample } from '#server/insight/dashboard/upkeep.ts'

const NOW = Date.parse('2026-06-10T08:20:00.000Z')
const DAY = 86_400_000
const clock = { ...systemClock('Europe/Madrid'), now: () => NOW }
let folder: string
let db: Database

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sdd-upkeep-'))
  db = await openDatabase({ folder, url: await databaseOf(folder) })
})
after(async () => {
  await db.close()
  rmSync(folder, { recursive: true })
})

let companies = 0
let company_id: number
beforeEach(async () => {
  company_id = await db.write((tx) => createCompany(tx, `company ${++companies}`, instant(NOW)))
})

function addDevice(uid: string, standing: { status: 'connected' | 'disconnected'; unlinked_at?: string }) {
  const since = { created_at: '', enabled_at: '', status_at: '' }
  const device = { company_id, uid, secret_hash: '', enabled: 1 as const, max_sms_dayly: 1, ...since }
  return db.write((tx) => tx.insert('devices', [{ ...device, ...standing }]))
}

test('a sample has the linked devices of each company, including companies without any, once for each time', async () => {
  await addDevice('there', { status: 'connected' })
  await addDevice('away', { status: 'disconnected' })
  await addDevice('unlinked', { status: 'connected', unlinked_at: instant(NOW) })
  const other = await db.write((tx) => createCompany(tx, 'empty', instant(NOW)))
  await takeSample(db, NOW - 300_000)
  await addDevice('late', { status: 'connected' })
  await takeSample(db, NOW - 300_000)
  await takeSample(db, NOW)
  const [first, second] = [instant(NOW - 300_000), instant(NOW)]
  assert.deepEqual(await samplesOf({ company_id }), [`${first} 1/2`, `${second} 2/3`])
  assert.deepEqual(await samplesOf({ company_id: other }), [`${first} 0/0`, `${second} 0/0`])
  assert.deepEqual(await samplesOf('all'), [`${first} 1/2`, `${second} 2/3`])
})

/** A server's upkeep, 200 ms before the full five minutes. The server has been running for `up_ms`. */
function beginUpkeep(t: TestContext, leads: (now_ms: number) => boolean, up_ms = 60_000): Loop {
  const began_ms = Date.now()
  let earlier_ms = up_ms
  const now = () => NOW - 5 * 60_000 - 200 - earlier_ms + Date.now() - began_ms
  const replica = { leads: () => leads(now()) }
  const upkeep = startUpkeep({ db, clock: { ...clock, now }, log: pino({ level: 'silent' }), replica })
  earlier_ms = 0
  t.after(() => upkeep.stop())
  return upkeep
}

test('samples are taken on the full five minutes, and not when the server starts', async (t) => {
  beginUpkeep(t, () => true)
  await eventually(async () => (await samplesOf({ company_id })).length > 0)
  assert.deepEqual(await samplesOf({ company_id }), [`${instant(NOW - 5 * 60_000)} 0/0`])
})

test('no sample is taken in the first minute after the start, while devices come back', async (t) => {
  let asked = 0
  const asks = (now_ms: number) => {
    if (now_ms >= NOW - 5 * 60_000) asked++
    return true
  }
  const upkeep = beginUpkeep(t, asks, 59_000)
  await eventually(() => asked > 0)
  await upkeep.stop()
  assert.deepEqual(await samplesOf({ company_id }), [])
})

test('of several servers, only the leader takes samples', async (t) => {
  let asked = 0
  const upkeep = beginUpkeep(t, (now_ms) => {
    if (now_ms >= NOW - 5 * 60_000) asked++
    return false
  })
  await eventually(() => asked > 0)
  await upkeep.stop() // after the run that asked
  assert.deepEqual(await samplesOf({ company_id }), [])
})

test('the dashboard shows a day’s samples, and they are removed after eight days', async () => {
  for (const age of [8 * DAY + 1, 8 * DAY, DAY + 1, DAY, 0]) await takeSample(db, NOW - age)
  assert.deepEqual(await samplesOf({ company_id }), [`${instant(NOW - DAY)} 0/0`, `${instant(NOW)} 0/0`])
  await forgetAll()
  const kept = await db.read.query<{ at: string }>(
    'select at from presence_samples where company_id = :company_id',
    { company_id },
  )
  assert.deepEqual(
    kept.map(({ at }) => at),
    [8 * DAY, DAY + 1, DAY, 0].map((age) => instant(NOW - age)),
  )
})

test('counters are removed after eight days in small steps, except those still shown', async () => {
  const counter = (period: string, key: string) =>
    ({ figure: 'sent', company_id, period, key, count: 1, last_at: instant(NOW) }) as const
  const old = Array.from({ length: 1_200 }, (_, key) => counter('2026-06-01', String(key)))
  const shown = ['2026-06-03T09', '2026-06-09', '2026-06-10', '2026-06-10T08'].map((p) => counter(p, 'x'))
  await db.write((tx) => tx.insert('counters', [...old, ...shown]))
  assert.deepEqual([await forgetOld({ db, clock }), await left()], [true, 704])
  await forgetAll()
  assert.equal(await left(), shown.length)
})

async function samplesOf(scope: Scope): Promise<string[]> {
  const { connected } = await readDashboard({ db, clock }, scope)
  return connected.map((sample) => `${sample.at} ${sample.connected}/${sample.total}`)
}

async function left(): Promise<number> {
  const rows = await db.read.query('select key from counters where company_id = :company_id', { company_id })
  return rows.length
}

async function forgetAll(): Promise<void> {
  while (await forgetOld({ db, clock }));
}
