import assert from 'node:assert/strict'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { ensureCompany } from '#server/accounts/companies/companies.ts'
import { makeBackup } from '@sdd/storage/sqlite/backup.ts'
import { migrations } from './migrations.ts'
import { openDatabase } from './open.ts'
import { restoreBackup } from './restore.ts'
import type { Tx } from './schema.ts'

const now = new Date('2026-06-01T10:00:00.000Z')

/** A backup of a database with one company, and an empty folder to restore it into. */
async function begin(t: TestContext) {
  const home = mkdtempSync(join(tmpdir(), 'sdd-restore-'))
  t.after(() => rmSync(home, { recursive: true }))
  const source = join(home, 'source')
  const db = await openDatabase({ folder: source })
  await db.write((tx) => ensureCompany(tx, 1, now.toISOString()))
  for (let n = 0; n < 40; n++)
    await db.write((tx) => tx.insert('companies', [{ name: `${n} ${'x'.repeat(900)}`, created_at: '' }]))
  await db.close()
  const { path } = makeBackup({ path: join(source, 'sms-drone-dash.db'), to: join(home, 'backups'), now })
  const folder = join(home, 'target')
  mkdirSync(folder)
  return { home, source, path, folder }
}

/** Asserts that the restore is refused with this message and leaves only the lock. */
async function refused(
  needs: { path: string; folder: string; freeBytes?: () => number },
  why: RegExp,
): Promise<void> {
  const there = () => readdirSync(needs.folder).filter((name) => !name.startsWith('server.lock'))
  const before = there()
  await assert.rejects(restoreBackup({ ...needs, now }), why)
  assert.deepEqual(there(), before)
}

test('a restore refuses a file that is not a complete backup', async (t) => {
  const { home, source, path, folder } = await begin(t)
  await refused({ path: join(home, 'none.db'), folder }, /none\.db does not exist/)
  await refused({ path: home, folder }, /is no file; name one backup/)
  const other = join(home, 'other.db')
  writeFileSync(other, new Uint8Array(8_192))
  await refused({ path: other, folder }, /other\.db is no backup of this program/)
  writeFileSync(other, 'not a database at all '.repeat(1_000))
  await refused({ path: other, folder }, /other\.db is no backup of this program .*not a database/)
  rmSync(other)
  new DatabaseSync(other).exec('create table something (id integer)')
  await refused({ path: other, folder }, /other\.db is no backup of this program .*schema_migrations/)

  const bytes = readFileSync(path)
  writeFileSync(other, bytes.subarray(0, bytes.length - 8_192))
  await refused({ path: other, folder }, /other\.db is (damaged|no backup)/)
  const page = bytes.lastIndexOf('20 xxx') & ~4095
  bytes.fill(0xa5, page, page + 200)
  writeFileSync(other, bytes)
  await refused({ path: other, folder }, /other\.db is (damaged|no backup)/)

  copyFileSync(path, other)
  const newer = new DatabaseSync(other)
  newer.exec(`insert into schema_migrations values ('9999-later', '')`)
  newer.close()
  await refused({ path: other, folder }, /made by a newer version of this program \(it knows 9999-later\)/)

  const server = new DatabaseSync(join(source, 'sms-drone-dash.db'))
  server.exec(`update companies set name = 'not in the file yet' where id = 1`)
  await refused({ path: join(source, 'sms-drone-dash.db'), folder }, /is no backup but the file of a server/)
  server.close()
  const { waiting, companies } = await restoreBackup({ path, folder, now })
  assert.deepEqual({ waiting, companies }, { waiting: 0, companies: 1 })
})

test('a restore does not touch a folder that has a database, is in use or has too little space', async (t) => {
  const { source, path, folder } = await begin(t)
  await refused({ path, folder: source }, /sms-drone-dash\.db exists: restore into an empty folder/)
  for (const name of ['installation.json', 'sms-drone-dash.db-wal']) {
    writeFileSync(join(folder, name), '')
    await refused({ path, folder }, new RegExp(`${name} exists: restore into an empty folder`))
    rmSync(join(folder, name))
  }
  await refused({ path, folder, freeBytes: () => 1_000 }, /target has no room: 1 MB are needed/)
  const db = await openDatabase({ folder })
  await refused({ path, folder }, /DATA_DIR: .*target is in use by another server/)
  await db.close()
})

test('a restore into a read-only folder is refused with the reason', async (t) => {
  const { home, path } = await begin(t)
  const file = join(home, 'taken')
  writeFileSync(file, '')
  await assert.rejects(
    restoreBackup({ path, folder: file, now }),
    /^ConfigError: DATA_DIR: .*cannot be written/,
  )
})

test('a restored backup of an older version is migrated and held back', async (t) => {
  const { path, folder } = await begin(t)
  const later = {
    name: '9998-later',
    up: (tx: Tx) => tx.query('alter table settings add column later text').then(() => {}),
  }
  const { companies } = await restoreBackup({ path, folder, now, migrations: [...migrations, later] })
  assert.equal(companies, 1)
  const restored = new DatabaseSync(join(folder, 'sms-drone-dash.db'), { readOnly: true })
  t.after(() => restored.close())
  assert.deepEqual(
    restored
      .prepare('select send_enabled, later from settings')
      .all()
      .map((row) => ({ ...row })),
    [{ send_enabled: 0, later: null }],
  )
  assert.equal(restored.prepare('select name from schema_migrations').all().length, migrations.length + 1)
})
