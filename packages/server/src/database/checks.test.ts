import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { LOOK_THROUGH, lookThrough, refuseDamaged } from './checks.ts'

const PAGE_BYTES = 4096

test('a damaged page of a small file is found before the start', (t) => {
  const path = newDatabase(t)
  withConnection(path, (connection) => refuseDamaged(connection, path))
  damage(path)
  withConnection(path, (connection) => assert.throws(() => refuseDamaged(connection, path), /is damaged/))
})

test('of a large file one is found while the server works, and nothing is found in one that is whole', async (t) => {
  const path = newDatabase(t)
  const looked = () => lookThrough(path, 0).found
  assert.equal(await looked(), undefined)
  damage(path)
  withConnection(path, (connection) => refuseDamaged(connection, path, 0))
  assert.match(String(await looked()), /page|malformed/i)
})

test('a large file is looked through without a lock, which would keep its log from ending', async (t) => {
  const path = newDatabase(t)
  const holding = new DatabaseSync(path)
  t.after(() => holding.close())
  holding.exec('begin exclusive')
  // Who needs a lock waits for it in vain, and could not look.
  assert.equal(await lookThrough(path, 0).found, undefined)
})

test('a large file that cannot be looked through is not taken for one that is whole', async (t) => {
  const path = newDatabase(t)
  const { found } = lookThrough(path, 0)
  rmSync(path)
  await assert.rejects(found, /unable to open database file/)
})

test('who stops looking hears of nothing', async (t) => {
  const { found, stop } = lookThrough(newDatabase(t), 0)
  stop()
  assert.equal(await found, undefined)
})

test('what is whole in the log is no damage, whatever the file has in its place', async (t) => {
  const path = newDatabase(t)
  const writing = new DatabaseSync(path)
  t.after(() => writing.close())
  writing.exec(`pragma journal_mode = wal; pragma wal_autocheckpoint = 0; update rows set text = text || '!'`)
  damage(path)
  assert.equal(await lookThrough(path, 0).found, undefined)
  writing.exec('pragma wal_checkpoint(truncate)')
  damage(path)
  assert.match(String(await lookThrough(path, 0).found), /page|malformed/i)
})

test('looking through a large file ends with the server that began it, however that ended', async (t) => {
  const path = newDatabase(t)
  damage(path)
  const holding = new DatabaseSync(path)
  t.after(() => holding.close())
  // It looks again, and waits for five seconds, in the middle of SQLite.
  holding.exec('begin exclusive')
  const program = spawn(process.execPath, [LOOK_THROUGH, path], { stdio: ['pipe', 'ignore', 'inherit'] })
  const ended = once(program, 'exit')
  const [first] = await childrenOf(program.pid!)
  while (stateOf(first!) !== undefined) await wait(20)
  const [second] = await childrenOf(program.pid!)
  program.stdin.destroy()
  await ended
  for (const until = performance.now() + 4_000; stateOf(second!) !== undefined; await wait(20))
    assert.ok(performance.now() < until, 'it goes on')
})

test('what looks through a large file rests in between', async (t) => {
  const program = spawn(process.execPath, [LOOK_THROUGH, newDatabase(t)], {
    stdio: ['pipe', 'inherit', 'inherit'],
  })
  const ended = once(program, 'exit')
  const [looking] = await childrenOf(program.pid!)
  const states: string[] = []
  for (let state = stateOf(looking!); state !== undefined; state = stateOf(looking!)) {
    states.push(state)
    await wait(5)
  }
  assert.ok(states.includes('T') && states.some((state) => state !== 'T'), states.join(''))
  assert.deepEqual(await ended, [0, null])
})

test('a large file that is no database is refused at once', (t) => {
  const path = newDatabase(t)
  overwrite(path, 0, Buffer.alloc(PAGE_BYTES, 'x'))
  withConnection(path, (connection) =>
    assert.throws(() => refuseDamaged(connection, path, 0), /not a database/),
  )
})

/** Once there are any. */
async function childrenOf(pid: number): Promise<number[]> {
  for (;;) {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').match(/\d+/g)
    if (children) return children.map(Number)
    await wait(5)
  }
}

/** As Linux has it, `T` where it is stopped; undefined once it has ended, even if nobody has heard of that yet (`Z`). */
function stateOf(pid: number): string | undefined {
  try {
    return /\) ([^Z ])/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]
  } catch {
    return undefined
  }
}

function newDatabase(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'sdd-checks-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'some.db')
  withConnection(path, (connection) => {
    connection.exec(
      'create table rows (id integer primary key, text text); create index rows_by_text on rows (text)',
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
