import assert from 'node:assert/strict'
import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { makeBackup } from './backup.ts'
import { refuseDamaged } from './checks.ts'

const PAGE_BYTES = 4096

test('a damaged page of a small file is found at the start', (t) => {
  const path = newDatabase(t)
  withConnection(path, (connection) => refuseDamaged(connection, path))
  damage(path)
  withConnection(path, (connection) => assert.throws(() => refuseDamaged(connection, path), /is damaged/))
})

test('a damaged page of a large file does not delay the start, and the next backup finds it', (t) => {
  const path = newDatabase(t)
  const backUp = () => makeBackup({ path, to: join(path, '../backups'), now: new Date() })
  backUp()
  damage(path)
  withConnection(path, (connection) => refuseDamaged(connection, path, 0))
  assert.throws(backUp, { name: 'Damaged', message: /malformed/ })
})

test('a large file that is not a database is refused at once', (t) => {
  const path = newDatabase(t)
  overwrite(path, 0, Buffer.alloc(PAGE_BYTES, 'x'))
  withConnection(path, (connection) =>
    assert.throws(() => refuseDamaged(connection, path, 0), /not a database/),
  )
})

function newDatabase(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'sdd-checks-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'some.db')
  withConnection(path, (connection) => {
    connection.exec(
      'create table schema_migrations (name text); create table rows (id integer primary key, text text); create index rows_by_text on rows (text)',
    )
    const insert = connection.prepare('insert into rows (text) values (?)')
    connection.exec('begin')
    for (let n = 0; n < 2_000; n++) insert.run(`row ${n} ${'x'.repeat(40)}`)
    connection.exec('commit')
  })
  return path
}

function withConnection(path: string, use: (connection: DatabaseSync) => void): void {
  const connection = new DatabaseSync(path)
  try {
    use(connection)
  } finally {
    connection.close()
  }
}

/** A page in the middle, as a bad disk leaves it. */
function damage(path: string): void {
  const page = Math.floor(statSync(path).size / PAGE_BYTES / 2)
  overwrite(path, page * PAGE_BYTES, Buffer.alloc(PAGE_BYTES, 0xa5))
}

function overwrite(path: string, at: number, bytes: Buffer): void {
  const file = openSync(path, 'r+')
  writeSync(file, bytes, 0, bytes.length, at)
  closeSync(file)
}
