import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { systemClock } from '#server/core/clock.ts'
import { openDatabase } from '#server/database/open.ts'
import { openBackups, startBackups } from './backups.ts'

const HOUR = 3_600_000

async function begin(t: TestContext, settings: { BACKUP_EVERY_HOURS?: number; LEAST_FREE_MB?: number } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'sdd-schedule-'))
  await (await openDatabase({ folder })).close()
  t.after(() => rmSync(folder, { recursive: true }))
  let now_ms = Date.parse('2026-06-01T10:00:00Z')
  const errors: string[] = []
  const damage: string[] = []
  const clock = { ...systemClock('UTC'), now: () => now_ms }
  const log = { info() {}, error: (line: string) => void errors.push(line) }
  const config = { DATA_DIR: folder, BACKUP_EVERY_HOURS: 24, BACKUPS_KEPT: 2, LEAST_FREE_MB: 0, ...settings }
  const backups = join(folder, 'backups')
  const needs = { clock, log, config, damaged: (what: string) => void damage.push(what) }
  const open = () => openBackups(needs, new AbortController().signal)
  let look = open()
  return {
    backups,
    errors,
    damage,
    folder,
    /** Advances the clock by this many hours and checks once. */
    async after(hours: number): Promise<string[]> {
      now_ms += hours * HOUR
      await look()
      return readdirSync(backups).sort()
    },
    async lookWithout(hours: number): Promise<void> {
      now_ms += hours * HOUR
      await look()
    },
    restart: () => void (look = open()),
    /** Starts the loop, whose first backup is due at once. */
    start() {
      const loop = startBackups(needs)
      now_ms += HOUR
      return loop
    },
  }
}

test('a backup is made an hour after the first start, then each day, also over restarts', async (t) => {
  const { backups, after, restart, errors } = await begin(t)
  mkdirSync(backups)
  assert.deepEqual(await after(0.9), [])
  assert.deepEqual(await after(0.1), ['20260601T110000Z.db'])
  restart()
  assert.deepEqual(await after(23.9), ['20260601T110000Z.db'])
  restart()
  assert.deepEqual(await after(0.1), ['20260601T110000Z.db', '20260602T110000Z.db'])
  assert.deepEqual(errors, [])
})

test('the oldest backups are removed, but backups from before a migration are kept', async (t) => {
  const { backups, after } = await begin(t)
  mkdirSync(backups)
  writeFileSync(join(backups, '20260501T100000Z.db'), '')
  writeFileSync(join(backups, '20260502T100000Z.db'), '')
  writeFileSync(join(backups, '20260401T100000Z-before-0002-tasks.db'), '')
  assert.deepEqual(await after(0), [
    '20260401T100000Z-before-0002-tasks.db',
    '20260502T100000Z.db',
    '20260601T100000Z.db',
  ])
  assert.deepEqual((await after(24)).slice(1), ['20260601T100000Z.db', '20260602T100000Z.db'])
})

test('a failed backup is logged and retried an hour later', async (t) => {
  const { backups, lookWithout, after, errors } = await begin(t)
  writeFileSync(backups, 'a file is in the way')
  await lookWithout(1)
  assert.equal(errors.length, 1)
  assert.match(errors[0]!, /^No backup could be made \(ENOTDIR.*\); the next try is in an hour$/)
  await lookWithout(0.9)
  assert.equal(errors.length, 1, 'not tried again yet')
  await lookWithout(0.1)
  assert.equal(errors.length, 2)
  rmSync(backups)
  assert.deepEqual(await after(1), ['20260601T130000Z.db'])
})

test('a backup that would use up the space reserved for reports is not made', async (t) => {
  const { backups, lookWithout, errors } = await begin(t, { LEAST_FREE_MB: 100_000_000 })
  await lookWithout(1)
  assert.match(errors[0]!, /backups has no room: 1 MB are needed.*LEAST_FREE_MB keeps 100000000 MB/)
  assert.deepEqual(readdirSync(backups), [])
})

test('a clock set back by days does not delay a backup, and a clock that was ahead does not prevent one', async (t) => {
  const { backups, after } = await begin(t)
  mkdirSync(backups)
  writeFileSync(join(backups, '20270101T000000Z.db'), '') // made while the clock was a year ahead
  assert.deepEqual(await after(1), ['20260601T110000Z.db', '20270101T000000Z.db'])
  assert.deepEqual(await after(-72), ['20260529T110000Z.db', '20270101T000000Z.db'])
  assert.deepEqual(await after(1), ['20260529T110000Z.db', '20270101T000000Z.db'])
  assert.deepEqual(await after(23), ['20260530T110000Z.db', '20270101T000000Z.db'])
})

test('0 hours turns backups off', async (t) => {
  const { backups, after } = await begin(t, { BACKUP_EVERY_HOURS: 0 })
  mkdirSync(backups)
  assert.deepEqual(await after(1_000), [])
})

test('the next backup finds a damaged table and reports it', async (t) => {
  const { backups, folder, lookWithout, damage, errors } = await begin(t)
  mkdirSync(backups)
  const path = join(folder, 'sms-drone-dash.db')
  const connection = new DatabaseSync(path)
  const add = connection.prepare(`insert into companies (name, created_at) values (?, '')`)
  for (let n = 0; n < 200; n++) add.run(`${n} ${'x'.repeat(200)}`)
  connection.exec('pragma wal_checkpoint(truncate)')
  connection.close()
  const bytes = readFileSync(path)
  const page = bytes.lastIndexOf('100 xxx') & ~4095
  writeFileSync(path, bytes.fill(0xa5, page, page + 200))
  await lookWithout(1)
  assert.equal(damage.length, 1)
  assert.match(damage[0]!, /malformed|damaged/)
  assert.deepEqual([errors, readdirSync(backups)], [[], []])
})

test('a stop ends a running backup at once, which is no failure and leaves no partial file', async (t) => {
  const { backups, folder, start, after, errors } = await begin(t)
  mkdirSync(backups)
  // While this connection has the file, the copy waits for it.
  const holder = new DatabaseSync(join(folder, 'sms-drone-dash.db'))
  holder.exec('pragma locking_mode = exclusive; begin exclusive')
  const watcher = watch(backups)
  const loop = start()
  await once(watcher, 'change')
  watcher.close()
  assert.deepEqual(readdirSync(backups), ['20260601T110000Z.db.partial'])
  await loop.stop()
  assert.deepEqual([errors, readdirSync(backups)], [[], []])
  holder.close()
  assert.deepEqual(await after(0), ['20260601T110000Z.db'])
})
