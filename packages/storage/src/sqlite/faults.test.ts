import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { PassThrough } from 'node:stream'
import { test, type TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { pino } from 'pino'
import { type Down, openThings, type Things } from '#test/things.ts'

/** A new database, and its log lines so far. */
async function begin(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'sdd-faults-'))
  const out = new PassThrough()
  let logged = ''
  out.on('data', (bytes) => (logged += String(bytes)))
  const db = await openThings({ folder, log: pino({ formatters: { level: (level) => ({ level }) } }, out) })
  t.after(async () => {
    await db.close()
    rmSync(folder, { recursive: true })
  })
  const lines = () =>
    logged
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as { level: string; msg: string })
  return { db, folder, file: join(folder, 'things.db'), lines }
}

const add = (db: Things, name: string) => db.write((tx) => tx.insert('things', [{ name }]))

/** Long enough to need its own pages. */
const long = (name: string) => `${name} ${'x'.repeat(20_000)}`

async function names(db: Things): Promise<string[]> {
  const rows = await db.read.query<{ name: string }>('select name from things order by id')
  return rows.map(({ name }) => name.slice(0, 8).trim())
}

/** From here on SQLite returns `SQLITE_FULL`, as on a full disk. */
async function fill(db: Things): Promise<void> {
  await db.write((tx) => tx.query('pragma max_page_count = 1')) // the least value is the current size
}

async function empty(db: Things): Promise<void> {
  await db.write((tx) => tx.query('pragma max_page_count = 1000000'))
}

const FULL = { code: 'disk_full', message: /no room left.*nothing was stored/ }

async function until(fact: () => boolean): Promise<void> {
  while (!fact()) await wait(20)
}

test('a full disk refuses each write whole, is logged once, and writing resumes when there is room', async (t) => {
  const { db, folder, lines } = await begin(t)
  await add(db, 'before')
  await fill(db)
  const together = await Promise.allSettled(['one', 'two', 'three'].map((name) => add(db, long(name))))
  for (const { status, reason } of together as PromiseRejectedResult[]) {
    assert.equal(status, 'rejected')
    assert.equal(reason.code, 'disk_full')
    assert.ok(reason.message.includes(folder))
  }
  await assert.rejects(add(db, long('again')), FULL)
  assert.deepEqual(await names(db), ['before'])
  assert.equal((db.fault() as Down | undefined)?.code, 'disk_full')
  assert.deepEqual(
    lines().map(({ level }) => level),
    ['error'],
  )

  await empty(db)
  await until(() => db.fault() === undefined)
  assert.match(lines().at(-1)!.msg, /written again, after \d+ s/)
  await add(db, long('after'))
  assert.deepEqual(await names(db), ['before', 'after xx'])
})

test('if a full disk fails one caller, the answered writes of all others are kept', async (t) => {
  const { db } = await begin(t)
  await add(db, 'before')
  await fill(db)
  const answered: string[] = []
  const refused: string[] = []
  const put = (n: number) => {
    const name = `${n} `.padEnd(200, 'x')
    return add(db, name).then(
      () => answered.push(name),
      () => refused.push(name),
    )
  }
  for (let n = 0; n < 200; n += 4) await Promise.all([put(n), put(n + 1), put(n + 2), put(n + 3)])
  assert.ok(refused.length > 0 && answered.length > 0, `${refused.length} were refused`)
  const rows = await db.read.query<{ name: string }>('select name from things order by id')
  assert.deepEqual(
    rows.map(({ name }) => name),
    ['before', ...answered],
  )
})

test('a database that became read-only is reported, and can still be read', async (t) => {
  const { db, folder } = await begin(t)
  await db.write((tx) => tx.query('pragma query_only = on'))
  await assert.rejects(add(db, 'refused'), {
    code: 'not_ready',
    message: new RegExp(`${folder} cannot be written .*readonly`),
  })
  assert.equal((db.fault() as Down | undefined)?.code, 'not_ready')
  assert.deepEqual(await names(db), [])
})

/** The offset of the table leaf that contains a text. An index contains the text too. */
function pageOfTable(bytes: Buffer, text: string): number {
  const TABLE_LEAF = 13
  let at = bytes.indexOf(text)
  while (bytes[at & ~4095] !== TABLE_LEAF) at = bytes.indexOf(text, at + 1)
  return at & ~4095
}

test('a damaged page found by a reader ends all writing for good, and the file stays as it is', async (t) => {
  const { db, folder, file, lines } = await begin(t)
  for (let n = 0; n < 40; n++) await add(db, `${n} ${'x'.repeat(900)}`)
  const other = new DatabaseSync(file)
  other.exec('pragma wal_checkpoint(truncate)')
  other.close()
  const bytes = readFileSync(file)
  // In the middle of the table: the writes below do not touch this page.
  const page = pageOfTable(bytes, '20 xxx')
  bytes.fill(0xa5, page, page + 200)
  writeFileSync(file, bytes)

  t.mock.timers.enable({ apis: ['setTimeout'] })
  const damaged = { code: 'not_ready', message: new RegExp(`${folder} is damaged .*restore a backup`) }
  const waiting = db.write(async (tx) => {
    // Found during a write, before its commit.
    await assert.rejects(names(db), damaged)
    await tx.insert('things', [{ name: 'half' }])
  })
  await assert.rejects(waiting, damaged)
  await assert.rejects(add(db, 'later'), damaged)
  assert.match(db.fault()!.message, damaged.message)
  t.mock.timers.tick(60_000)
  await assert.rejects(add(db, 'much later'), damaged)
  assert.deepEqual(readFileSync(file), bytes)
  assert.deepEqual(readFileSync(`${file}-wal`).length, 0)
  assert.deepEqual(
    lines().map(({ level, msg }) => [level, damaged.message.test(msg)]),
    [['error', true]],
  )
})

test("an error that is not the disk's is passed on unchanged", async (t) => {
  const { db } = await begin(t)
  await add(db, 'twice')
  await assert.rejects(add(db, 'twice'), { errcode: 2067 })
  await assert.rejects(db.read.query('select nonsense'), { errcode: 1 })
  assert.equal(db.fault(), undefined)
})
