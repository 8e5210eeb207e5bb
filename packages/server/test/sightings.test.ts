import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createCompany } from '#server/companies/companies.ts'
import { instant } from '#server/core/clock.ts'
import { openDatabase } from '#server/database/open.ts'
import { listDevices } from '#server/devices/devices.ts'
import { noteSightings } from '#server/devices/sightings.ts'
import { MINUTE, testClock } from './clock.ts'
import { databaseOf, forgetDatabase } from './engine.ts'

const START = '2026-06-10T08:00:00.000Z'
const LONG_AGO = '2026-06-01T08:00:00.000Z'

test('other servers show when a device last said anything here, and what is theirs stays', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sdd-sightings-'))
  const db = await openDatabase({ folder, url: await databaseOf(folder) })
  t.after(async () => {
    await db.close()
    await forgetDatabase(folder)
    rmSync(folder, { recursive: true })
  })
  const clock = testClock(START)
  const known = ['here', 'moved', 'left', ...Array.from({ length: 400 }, (_, n) => `drone-${n}`)]
  const ids = await db.write(async (tx) => {
    const company_id = await createCompany(tx, 'Shop', START)
    const common = { company_id, secret_hash: '', created_at: START, enabled: 1, enabled_at: START } as const
    const standing = { max_sms_dayly: 1, status_at: START, last_seen_at: LONG_AGO }
    const rows = known.map((uid) => {
      const left = uid === 'left'
      const status = left ? ('disconnected' as const) : ('connected' as const)
      return { ...common, ...standing, uid, status, connection: uid === 'moved' ? 2 : 1 }
    })
    return tx.insertInto('devices').values(rows).returning('id').execute()
  })
  const broker = {
    *devices() {
      for (const [n, uid] of known.entries())
        yield { connection_id: uid, uid, company_id: 1, device_id: ids[n]!.id, connection: 1 }
    },
    // One of them has not said its status yet, or has just gone.
    lastSeen: (uid: string) => (uid === 'drone-1' ? undefined : Date.now() - 5 * MINUTE),
  }
  await noteSightings({ db, clock, broker })

  const elsewhere = { db, clock, broker: { lastSeen: () => undefined } }
  const seen = await listDevices(elsewhere, 'all')
  const kept = seen.filter(({ last_seen_at }) => last_seen_at === LONG_AGO).map(({ uid }) => uid)
  assert.deepEqual(kept.sort(), ['drone-1', 'left', 'moved'])
  const rest = seen.filter(({ last_seen_at }) => last_seen_at !== LONG_AGO)
  const five_ms = Date.parse(START) - 5 * MINUTE
  for (const { uid, last_seen_at } of rest)
    assert.ok(Math.abs(Date.parse(last_seen_at!) - five_ms) < MINUTE, `${uid}: ${last_seen_at}`)
  assert.ok(rest.length > 400 - 2 && instant(five_ms) < START)
})
