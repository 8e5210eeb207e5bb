import assert from 'node:assert/strict'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { openThings } from '#test/things.ts'
import { readIntact } from './wal.ts'

/** A data folder as a killed server leaves it: rows 0 to 19, each its own commit in the write-ahead log. */
async function killed(t: TestContext) {
  const home = mkdtempSync(join(tmpdir(), 'sdd-wal-'))
  const source = mkdtempSync(join(home, 'source-'))
  const folder = mkdtempSync(join(home, 'folder-'))
  const db = await openThings({ folder: source })
  t.after(() => rmSync(home, { recursive: true }))
  const keep = new DatabaseSync(join(source, 'things.db'))
  keep.exec('pragma wal_checkpoint(truncate)')
  for (let n = 0; n < 20; n++) await db.write((tx) => tx.insert('things', [{ name: `${n}` }]))
  for (const name of ['things.db', 'things.db-wal', 'installation.json'])
    copyFileSync(join(source, name), join(folder, name))
  keep.close()
  await db.close()
  return { folder, wal: join(folder, 'things.db-wal') }
}

async function rows(folder: string): Promise<number> {
  const db = await openThings({ folder })
  const { length } = await db.read.query<{ id: number }>('select id from things')
  await db.close()
  return length
}

function flip(path: string, at: number): void {
  const bytes = readFileSync(path)
  bytes[at]! ^= 0x10
  writeFileSync(path, bytes)
}

test('the log of a killed server is read whole', async (t) => {
  const { folder, wal } = await killed(t)
  assert.deepEqual(readIntact(wal), { bytes: readFileSync(wal).length, lost: 0 })
  assert.equal(await rows(folder), 20)
})

test('a log cut anywhere in its last transaction is what a crash leaves, and is accepted', async (t) => {
  const { folder, wal } = await killed(t)
  truncateSync(wal, readFileSync(wal).length - 1_000)
  assert.equal(readIntact(wal)?.lost, 0)
  assert.equal(await rows(folder), 19)
})

test('damage in the middle of a log is reported, and nothing behind it is silently discarded', async (t) => {
  const { folder, wal } = await killed(t)
  flip(wal, Math.floor(readFileSync(wal).length / 2))
  const before = readFileSync(wal)
  const { bytes, lost } = readIntact(wal)!
  assert.ok(lost > 5 && lost < 15, `${lost} lost`)
  await assert.rejects(openThings({ folder }), {
    name: 'Unusable',
    message: new RegExp(`^${wal} is damaged.* ${lost} writes.*truncate -s ${bytes} ${wal}`),
  })
  assert.deepEqual(readFileSync(wal), before)
  truncateSync(wal, bytes)
  assert.equal(await rows(folder), 20 - lost - 1, 'the one that may have been torn off is gone as well')
})

test('a damaged header of a log is reported', async (t) => {
  const { folder, wal } = await killed(t)
  flip(wal, 17)
  await assert.rejects(openThings({ folder }), { message: /is damaged.*truncate -s 0 / })
  truncateSync(wal, 0)
  assert.equal(await rows(folder), 0)
})

test('older frames after the newest ones are not damage', async (t) => {
  const { folder, wal } = await killed(t)
  const long = readFileSync(wal)
  assert.equal(await rows(folder), 20) // closing empties the log
  const db = await openThings({ folder })
  await db.write((tx) => tx.insert('things', [{ name: 'new' }]))
  const short = readFileSync(wal)
  const files = ['things.db', 'installation.json'].map((name) => readFileSync(join(folder, name)))
  await db.close()
  const other = mkdtempSync(join(folder, 'other-'))
  writeFileSync(join(other, 'things.db'), files[0]!)
  writeFileSync(join(other, 'installation.json'), files[1]!)
  writeFileSync(join(other, 'things.db-wal'), Buffer.concat([short, long.subarray(short.length)]))
  assert.deepEqual(readIntact(join(other, 'things.db-wal')), { bytes: short.length, lost: 0 })
  assert.equal(await rows(other), 21)
})

test('a log without a commit counts as no log', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sdd-wal-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'wal')
  assert.equal(readIntact(path), undefined)
  for (const content of [Buffer.alloc(0), Buffer.alloc(32), Buffer.alloc(4_152)]) {
    writeFileSync(path, content)
    assert.equal(readIntact(path), undefined)
  }
})
