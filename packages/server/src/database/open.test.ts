import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, test } from 'node:test'
import { migrate } from '@sdd/storage/migrate.ts'
import { sqliteTx } from '@sdd/storage/sqlite/tx.ts'
import { openDatabase } from './open.ts'

let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'sdd-open-'))))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const file = () => join(folder, 'sms-drone-dash.db')

async function openOnce(): Promise<void> {
  const db = await openDatabase({ folder })
  await db.close()
}

test('the folder is created for its owner only', async () => {
  folder = join(folder, 'deep', 'data')
  await openOnce()
  assert.equal(statSync(folder).mode & 0o777, 0o700)
  assert.equal(statSync(file()).mode & 0o777, 0o600)
})

test('a power cut cannot damage the file: each checkpoint is synced, and the group commit syncs commits', async () => {
  const db = await openDatabase({ folder })
  const [first] = await db.read.query<{ synchronous: number }>('pragma synchronous')
  const [mode] = await db.read.query<{ journal_mode: string }>('pragma journal_mode')
  await db.close()
  assert.deepEqual([first?.synchronous, mode?.journal_mode], [1, 'wal'])
})

test('a second server on the same folder is refused, but a server after a kill -9 is not', async () => {
  const script = `
    import { openDatabase } from ${JSON.stringify(import.meta.resolve('./open.ts'))}
    await openDatabase({ folder: process.argv[1] })
    process.kill(process.pid, 'SIGKILL')`
  const killed = () =>
    execFileSync(process.execPath, ['--input-type=module-typescript', '-e', script, folder])
  assert.throws(killed, { signal: 'SIGKILL' })
  const db = await openDatabase({ folder })
  await assert.rejects(openDatabase({ folder }), { name: 'ConfigError', message: /DATA_DIR.*another server/ })
  await db.close()
})

test('a missing database is reported and not created again', async () => {
  await openOnce()
  rmSync(file())
  await assert.rejects(openDatabase({ folder }), {
    name: 'ConfigError',
    message: /DATA_DIR.*missing.*backup/,
  })
  await assert.rejects(openDatabase({ folder }), /missing/)
})

test('an emptied database is reported and not filled again', async () => {
  await openOnce()
  truncateSync(file())
  await assert.rejects(openDatabase({ folder }), { name: 'ConfigError', message: /DATA_DIR.*empty.*backup/ })
})

test('a file that is not a database is reported', async () => {
  writeFileSync(file(), 'these are not the pages of a database '.repeat(200))
  await assert.rejects(openDatabase({ folder }), { name: 'ConfigError', message: /DATA_DIR.*not a database/ })
})

test('a damaged page is reported', async () => {
  const db = await openDatabase({ folder })
  for (let round = 0; round < 40; round++) {
    await db.write((tx) => tx.insert('companies', [{ name: `${round} ${'x'.repeat(900)}`, created_at: '' }]))
  }
  await db.close()
  const bytes = readFileSync(file())
  const page = bytes.lastIndexOf('39 xxx') & ~4095
  bytes.fill(0xa5, page, page + 200)
  writeFileSync(file(), bytes)
  await assert.rejects(openDatabase({ folder }), {
    name: 'ConfigError',
    message: /DATA_DIR.*(damaged|malformed)/,
  })
})

test('a database of a newer version is reported', async () => {
  const db = await openDatabase({ folder })
  await db.write((tx) => tx.query(`insert into schema_migrations values ('9999-later', '')`))
  await db.close()
  await assert.rejects(openDatabase({ folder }), { name: 'ConfigError', message: /DATA_DIR.*newer version/ })
})

test('a folder that is a file is reported', async () => {
  const path = join(folder, 'taken')
  writeFileSync(path, '')
  await assert.rejects(openDatabase({ folder: path }), {
    name: 'ConfigError',
    message: /DATA_DIR.*cannot be written/,
  })
})

test('a folder that cannot be created is reported', async () => {
  const path = process.platform === 'linux' ? '/proc/sms-drone-dash' : '/dev/null/sms-drone-dash'
  await assert.rejects(openDatabase({ folder: path }), {
    name: 'ConfigError',
    message: /DATA_DIR.*cannot be written/,
  })
})

/** The error of opening the folder in a process without root's rights, since root may do anything. */
function openedByNobody(): string {
  const script = `
    import { openDatabase } from ${JSON.stringify(import.meta.resolve('./open.ts'))}
    if (process.getuid() === 0) process.setuid(65534)
    await openDatabase({ folder: process.argv[1] }).then(() => 'opened', (error) => error.message).then(console.log)`
  const args = ['--input-type=module-typescript', '-e', script, folder]
  return execFileSync(process.execPath, args, { encoding: 'utf8' })
}

test('a read-only folder is reported', async () => {
  await openOnce()
  chmodSync(folder, 0o555)
  assert.match(
    openedByNobody(),
    /^DATA_DIR: .* cannot be written by \S+, .* \(EACCES\); name a folder that can/,
  )
})

test('a read-only database file is reported', async () => {
  await openOnce()
  chmodSync(folder, 0o777)
  chmodSync(join(folder, 'server.lock'), 0o666)
  chmodSync(file(), 0o444)
  const said = openedByNobody()
  assert.match(said, /^DATA_DIR: .*sms-drone-dash.db cannot be written \(EACCES\); make it writable/)
})

test('a marker file left empty by a full disk still proves that there was a database', async () => {
  await openOnce()
  rmSync(file())
  truncateSync(join(folder, 'installation.json'))
  await assert.rejects(openDatabase({ folder }), {
    name: 'ConfigError',
    message: /DATA_DIR.*missing.*backup/,
  })
})

test('a migration killed halfway leaves nothing and runs again', async () => {
  mkdirSync(folder, { recursive: true })
  const connection = new DatabaseSync(file())
  const db = sqliteTx(connection)
  const transact = async (work: (tx: typeof db) => Promise<void>) => {
    connection.exec('begin')
    try {
      await work(db)
      connection.exec('commit')
    } catch (error) {
      connection.exec('rollback')
      throw error
    }
  }
  let killed = true
  const list = [
    { name: '1', up: async () => void (await db.query(`create table kept (id integer)`)) },
    {
      name: '2',
      up: async () => {
        await db.query(`create table half (id integer)`)
        if (killed) throw new Error('killed')
        await db.query(`create table other_half (id integer)`)
      },
    },
  ]
  await assert.rejects(migrate(db, transact, list), /killed/)
  const tables = () =>
    connection
      .prepare("select name from sqlite_master where type = 'table' order by name")
      .all()
      .map((row) => row.name)
  assert.deepEqual(tables(), ['kept', 'schema_migrations'])
  killed = false
  assert.deepEqual(await migrate(db, transact, list), ['2'])
  assert.deepEqual(tables(), ['half', 'kept', 'other_half', 'schema_migrations'])
  connection.close()
})

test('a disk with too little space for a start is reported', async () => {
  await openOnce()
  const script = `
    import { openDatabase } from ${JSON.stringify(import.meta.resolve('./open.ts'))}
    await openDatabase({ folder: process.argv[1] }).then(() => 'opened', (error) => error.message).then(console.log)`
  const node = [process.execPath, '--input-type=module-typescript', '-e', script, folder]
  // No file can grow beyond 8 KiB.
  const said = execFileSync('sh', ['-c', 'ulimit -f 16; exec "$@"', 'sh', ...node], { encoding: 'utf8' })
  assert.match(said, /^DATA_DIR: The database in .* cannot be written \(disk I\/O error\).*Look at the disk/)
})
