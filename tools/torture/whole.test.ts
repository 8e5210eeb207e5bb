import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { DATABASE_FILE } from '../../packages/server/src/database/files.ts'
import { damageOf } from './whole.ts'

const folder = mkdtempSync(join(tmpdir(), 'sdd-whole-'))
after(() => rmSync(folder, { recursive: true }))

test('a database is intact if some rows are only in its log, and damaged if its pages or references are', () => {
  const path = join(folder, DATABASE_FILE)
  const database = new DatabaseSync(path)
  database.exec(`
    pragma journal_mode = wal;
    create table parents (id integer primary key);
    create table rows (id integer primary key, parent_id references parents (id), text text);
    create index rows_by_text on rows (text);
  `)
  const insert = database.prepare('insert into rows (text) values (?)')
  database.exec('begin')
  for (let n = 0; n < 2_000; n++) insert.run(`${n} `.repeat(20))
  database.exec('commit')
  assert.deepEqual(damageOf(folder), [])

  database.exec('pragma foreign_keys = off; insert into rows (parent_id) values (7)')
  assert.deepEqual(damageOf(folder), ['1 rows refer to missing ones'])

  database.exec('update rows set parent_id = null')
  database.close()
  const bytes = readFileSync(path)
  bytes.fill(0xa5, 5 * 4_096, 6 * 4_096)
  writeFileSync(path, bytes)
  assert.notDeepEqual(damageOf(folder), [])
})
