import assert from 'node:assert/strict'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { listBackups, makeBackup, removeOldBackups } from './backup.ts'
import { restoreBackup } from './restore.ts'
import { FILE, migrations, openThings } from '#test/things.ts'

const now = new Date('2026-06-01T10:00:00.000Z')

function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'sdd-backup-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A data folder with a database. */
async function dataFolder(t: TestContext): Promise<string> {
  const folder = temporaryFolder(t)
  await (await openThings({ folder })).close()
  return folder
}

test('a backup without room on the disk is refused with the size it needs, and leaves nothing', async (t) => {
  const folder = await dataFolder(t)
  const to = join(folder, 'backups')
  const backUp = (free: number, spare_bytes?: number) =>
    makeBackup({
      path: join(folder, FILE),
      to,
      now,
      freeBytes: () => free,
      ...(spare_bytes && { spare: { bytes: spare_bytes, setting: 'KEEP_MB' } }),
    })
  assert.throws(() => backUp(1_000), {
    message: `${to} has no room: 1 MB are needed, and its disk has 1 MB free`,
  })
  assert.throws(
    () => backUp(256e6, 256e6),
    /1 MB are needed, and its disk has 256 MB free, of which KEEP_MB keeps 256 MB$/,
  )
  assert.deepEqual(readdirSync(to), [])
  assert.equal(backUp(258e6, 256e6).path, join(to, '20260601T100000Z.db'))
})

test('only its owner can read a backup, from the first byte and with any umask', async (t) => {
  const folder = await dataFolder(t)
  const to = join(folder, 'backups')
  const modes: number[] = []
  const before = process.umask(0)
  t.after(() => process.umask(before))
  const { path } = makeBackup({
    path: join(folder, FILE),
    to,
    now,
    // Called just before the copy begins.
    freeBytes: () => {
      const partial = statSync(join(to, '20260601T100000Z.db.partial'))
      modes.push(partial.mode & 0o777, partial.size)
      return 1e9
    },
  })
  assert.deepEqual([...modes, statSync(path).mode & 0o777], [0o600, 0, 0o600])
})

test('backing up a folder without a database is refused, and creates nothing', (t) => {
  const folder = temporaryFolder(t)
  assert.throws(
    () => makeBackup({ path: join(folder, FILE), to: join(folder, 'backups'), now }),
    /nothing to back up/,
  )
  assert.deepEqual(readdirSync(folder), [])
})

const NOBODY = 65_534

/** Runs `work` while no mode allows anything on `path`, as a user whom modes bind: root is not. */
function whileClosed<T>(path: string, work: () => T): T {
  const { mode } = statSync(path)
  const isRoot = process.geteuid!() === 0
  chmodSync(path, 0)
  if (isRoot) process.seteuid!(NOBODY)
  try {
    return work()
  } finally {
    if (isRoot) process.seteuid!(0)
    chmodSync(path, mode)
  }
}

test('a backup that this user cannot read is refused with the remedy, also in a closed folder', async (t) => {
  const folder = temporaryFolder(t)
  chmodSync(folder, 0o755)
  const closed = join(folder, 'closed')
  mkdirSync(closed)
  const from = join(closed, 'some.db')
  writeFileSync(from, '')
  const restore = () =>
    restoreBackup({ from, path: join(folder, 'data', FILE), migrations, restored: async () => {} })
  const why = /some\.db cannot be read by \S+, the user of this program: copy it into DATA_DIR/
  for (const path of [closed, from]) await assert.rejects(whileClosed(path, restore), why)
  rmSync(from)
  await assert.rejects(restore, /some\.db does not exist/)
  assert.deepEqual(readdirSync(folder), ['closed'])
})

test('a database that this user cannot read, and a closed folder for a backup, are named', async (t) => {
  const folder = await dataFolder(t)
  chmodSync(folder, 0o755)
  const closed = join(folder, 'closed')
  mkdirSync(closed)
  const path = join(folder, FILE)
  const backUp = (to: string) => makeBackup({ path, to, now })
  assert.throws(
    () => whileClosed(path, () => backUp(closed)),
    /things\.db cannot be read by \S+, the user of this program: run it as the user of the server/,
  )
  chmodSync(path, 0o644)
  assert.throws(
    () => whileClosed(closed, () => backUp(join(closed, 'copies'))),
    /copies cannot be written by \S+, the user of this program \(EACCES\); name a folder that can/,
  )
  assert.deepEqual(readdirSync(closed), [])
})

test('a partial file of a killed backup is removed after a day, but not before', async (t) => {
  const folder = await dataFolder(t)
  const to = join(folder, 'backups')
  mkdirSync(to)
  for (const [name, age_secs] of [
    ['20260530T100000Z.db.partial', 90_000],
    ['20260601T095900Z.db.partial', 60],
  ] as const) {
    writeFileSync(join(to, name), 'half')
    const at = now.getTime() / 1_000 - age_secs
    utimesSync(join(to, name), at, at)
  }
  makeBackup({ path: join(folder, FILE), to, now })
  assert.deepEqual(readdirSync(to).sort(), ['20260601T095900Z.db.partial', '20260601T100000Z.db'])
})

test('the requested number of backups is kept, and every copy made before a migration', (t) => {
  const folder = temporaryFolder(t)
  for (const day of ['01', '02', '03', '04']) writeFileSync(join(folder, `202606${day}T100000Z.db`), '')
  writeFileSync(join(folder, '20260101T100000Z-before-0002-tasks.db'), '')
  writeFileSync(join(folder, 'notes.txt'), '')
  const made = join(folder, '20260604T100000Z.db')
  assert.equal(removeOldBackups(folder, 2, made).length, 2)
  assert.deepEqual(readdirSync(folder).sort(), [
    '20260101T100000Z-before-0002-tasks.db',
    '20260603T100000Z.db',
    '20260604T100000Z.db',
    'notes.txt',
  ])
})

test('a new backup is kept even if the clock was set back and others look newer', (t) => {
  const folder = temporaryFolder(t)
  for (const day of ['02', '03', '04']) writeFileSync(join(folder, `202606${day}T100000Z.db`), '')
  const made = join(folder, '20260601T100000Z.db')
  writeFileSync(made, '')
  removeOldBackups(folder, 2, made)
  assert.deepEqual(listBackups(folder), [join(folder, '20260604T100000Z.db'), made])
})
