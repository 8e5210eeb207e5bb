import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createCompany } from '#server/accounts/companies/companies.ts'
import { instant } from '#server/core/clock.ts'
import { openDatabase } from '#server/database/open.ts'
import { listDevices } from '#server/fleet/devices/devices.ts'
import { noteLastSeen } from '#server/fleet/presence/last-seen.ts'
import { MINUTE, testClock } from './clock.ts'
import { databaseOf, forgetDatabase } from './engine.ts'

const START = '2026-06-10T08:00:00.000Z'
const LONG_AGO = '2026-06-01T08:00:00.000Z'

test('other servers show when a device last reported here, and their own devices stay unchanged', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sdd-last-seen-'))
  const db = await openDatabase({ folder, url: await databaseOf(folder) })
  t.after(async () => {
    await db.close()
    await forgetDatabase(folder)
    rmSync(folder, { recursive: true })
  })
  const clock = testClock(START)
  const known = ['new', 'moved', 'gone', ...Array.from({ length: 400 }, (_, n) => `drone-${n}`)]
  /** A device that is at another server by now, which noted it a minute ago. */
  const A_MINUTE_AGO = instant(clock.now() - MINUTE)
  await db.write(async (tx) => {
    const company_id = await createCompany(tx, 'Shop', START)
    const common = { company_id, secret_hash: '', created_at: START, enabled: 1, enabled_at: START } as const
    const rows = known.map((uid) => {
      const last_seen_at = uid === 'moved' ? A_MINUTE_AGO : uid === 'new' ? null : LONG_AGO
      const standing = { status: 'connected', status_at: START, last_seen_at, max_sms_dayly: 1 } as const
      return { ...common, ...standing, uid }
    })
    await tx.insert('devices', rows)
    await tx.query('insert into capacity (device_id) select id from devices')
  })
  const here = {
    seen: () => known,
    // One of them has just left.
    lastSeen: (uid: string) => (uid === 'gone' ? undefined : Date.now() - 5 * MINUTE),
  }
  const elsewhere = { lastSeen: (): number | undefined => undefined }
  const shownBy = async (broker: Pick<typeof here, 'lastSeen'>) => {
    const devices = await listDevices({ db, clock, broker }, 'all')
    return new Map(devices.map(({ uid, last_seen_at }) => [uid, last_seen_at]))
  }
  const isFiveMinutesAgo = (at: string | null | undefined) => {
    const ago_ms = clock.now() - Date.parse(at!)
    assert.ok(ago_ms >= 5 * MINUTE && ago_ms < 6 * MINUTE, String(at))
  }

  isFiveMinutesAgo((await shownBy(here)).get('drone-0'))
  assert.equal((await shownBy(here)).get('moved'), A_MINUTE_AGO)
  assert.equal((await shownBy(elsewhere)).get('drone-0'), LONG_AGO)
  await noteLastSeen({ db, clock, broker: here })
  const shown = await shownBy(elsewhere)
  assert.deepEqual([shown.get('moved'), shown.get('gone')], [A_MINUTE_AGO, LONG_AGO])
  for (const uid of known) if (uid !== 'moved' && uid !== 'gone') isFiveMinutesAgo(shown.get(uid))
})
