import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { pino } from 'pino'
import { systemClock } from '#server/core/clock.ts'
import { Refusal } from '#server/core/refusal.ts'
import { type Database, openDatabase } from '#server/database/open.ts'
import { startPendingDisconnects } from './pending-disconnects.ts'

const FROM = { connection_id: 'c1', connection: 1, device_id: 1, company_id: 1, uid: 'drone' }

test('a device that leaves during a write failure is shown as disconnected once writes work again', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sdd-endings-'))
  const real = await openDatabase({ folder })
  await real.write(async (tx) => {
    await tx.insertRow('companies', { id: 1, name: 'one', created_at: '' })
    const device = { uid: 'drone', company_id: 1, secret_hash: '', created_at: '', enabled: 1 } as const
    const connected = {
      status: 'connected',
      status_at: '',
      connection: 1,
      replica: 'here',
      session: 's1',
    } as const
    await tx.insertRow('devices', { ...device, ...connected, enabled_at: '', max_sms_dayly: 1 })
    await tx.insert('capacity', [{ device_id: 1 }])
  })
  let full = true
  const db: Database = {
    ...real,
    write: (work) => (full ? Promise.reject(new Refusal('disk_full', 'No room.')) : real.write(work)),
  }
  const announced: unknown[] = []
  const live = {
    changed() {},
    deviceStatus: (...said: unknown[]) => void announced.push(said),
    stop() {},
  }
  const endings = startPendingDisconnects({
    db,
    live,
    clock: systemClock('UTC'),
    log: pino({ level: 'silent' }),
  })
  t.after(async () => {
    await endings.stop()
    await real.close()
    rmSync(folder, { recursive: true })
  })
  const status = async () =>
    (await real.read.query<{ status: string }>('select status from devices'))[0]!.status

  await endings.note(FROM)
  assert.deepEqual([await status(), announced], ['connected', []])
  full = false
  while (announced.length === 0) await wait(20)
  assert.deepEqual(announced, [[1, 'drone', 'disconnected', 1]])
  assert.equal(await status(), 'disconnected')
})
