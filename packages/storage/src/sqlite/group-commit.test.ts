import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { openFaults } from './faults.ts'
import { openGroupCommit } from './group-commit.ts'
import { Down, openThings, type Tables, type Things, thingsInMemory } from '#test/things.ts'
import { sqliteTx } from './tx.ts'

let folder: string
let db: Things
const groups: number[] = []

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sdd-group-'))
  db = await openThings({ folder, committed: (_, callers) => groups.push(callers) })
})
after(async () => {
  await db.close()
  rmSync(folder, { recursive: true })
})

async function names(): Promise<string[]> {
  const rows = await db.read.query<{ name: string }>('select name from things order by id')
  return rows.map((row) => row.name)
}

test('writes before a write that throws are run again and stored once', async () => {
  const runs: string[] = []
  const add = (name: string) =>
    db.write(async (tx) => {
      runs.push(name)
      if (name === 'broken') throw new Error('no')
      await tx.insert('things', [{ name }])
      return name
    })
  const results = await Promise.allSettled(['one', 'two', 'broken', 'three'].map(add))
  assert.deepEqual(
    results.map((result) => (result.status === 'fulfilled' ? result.value : 'rejected')),
    ['one', 'two', 'rejected', 'three'],
  )
  // On a slow machine the first ones may already be committed, and then they are not run again.
  assert.match(runs.join(' '), /^one two broken (one )?(two )?(broken )?three$/)
  const stored = await names()
  for (const name of ['one', 'two', 'three']) assert.equal(stored.filter((other) => other === name).length, 1)
})

test('a write that the disk did not keep is not answered, and nothing is written after it', async () => {
  const connection = thingsInMemory()
  const said: string[] = []
  const log = { error: (what: string) => said.push(what), info() {} }
  const faults = openFaults({
    folder: '/some/disk',
    log: log as never,
    probe: async () => {},
    unavailable: (why) => new Down(why),
  })
  let broken = false
  const sync = async () => {
    if (broken) throw Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' })
  }
  const group = openGroupCommit({
    connection,
    makeTx: () => sqliteTx<Tables>(connection),
    faults,
    sync,
    committed() {},
  })
  const add = (name: string) => group.write((tx) => tx.insert('things', [{ name }]))
  await add('kept')
  broken = true
  await assert.rejects(add('lost'), /The disk of \/some\/disk did not keep what was written \(EIO/)
  broken = false
  await assert.rejects(add('later'), /did not keep/)
  assert.equal(said.length, 1)
  assert.deepEqual(
    connection
      .prepare('select name from things')
      .all()
      .map(({ name }) => name),
    ['kept', 'lost'],
  )
  faults.stop()
  await group.close()
})

test('the thread is free while the disk syncs a commit, and later writes share the next one', async () => {
  const connection = thingsInMemory()
  const faults = openFaults({
    folder: '/some/disk',
    log: undefined,
    probe: async () => {},
    unavailable: (why) => new Down(why),
  })
  const shared: number[] = []
  const kept = Promise.withResolvers<void>()
  const syncing = Promise.withResolvers<void>()
  const committed = (_: number, callers: number) => void shared.push(callers)
  const group = openGroupCommit({
    connection,
    makeTx: () => sqliteTx<Tables>(connection),
    faults,
    sync() {
      syncing.resolve()
      return kept.promise
    },
    committed,
  })
  const add = (name: string) => group.write((tx) => tx.insert('things', [{ name }]))
  let answered = false
  const first = add('first').then(() => (answered = true))
  await syncing.promise
  await new Promise(setImmediate)
  assert.equal(answered, false)
  const others = [add('second'), add('third'), add('fourth')]
  kept.resolve()
  await Promise.all([first, ...others])
  assert.deepEqual(shared, [1, 3])
  faults.stop()
  await group.close()
})

test('writes that keep arriving share a commit, turn after turn', async () => {
  const connection = thingsInMemory()
  const shared: number[] = []
  const faults = openFaults({
    folder: '/some/disk',
    log: undefined,
    probe: async () => {},
    unavailable: (why) => new Down(why),
  })
  const group = openGroupCommit({
    connection,
    makeTx: () => sqliteTx<Tables>(connection),
    faults,
    sync: async () => {},
    committed: (_, callers) => shared.push(callers),
    gather_ms: 60_000,
  })
  let callers = 1
  const others: Promise<void>[] = []
  const coming = (async () => {
    for (let turn = 0; turn < 5; turn++) {
      await new Promise(setImmediate)
      if (turn % 2 === 0) callers++
      else others.push(group.write(async () => {}))
    }
  })()
  const first = group.write(async () => {}, { callers: () => callers })
  await coming
  await Promise.all([first, ...others])
  assert.deepEqual(shared, [3])
  await wait(1)
  await group.write(async () => {})
  assert.deepEqual(shared, [3, 1])
  await group.close()
})

test('changes made between commits are synced before the next commit, whose writes do not wait for that', async () => {
  const connection = thingsInMemory()
  const faults = openFaults({
    folder: '/some/disk',
    log: undefined,
    probe: async () => {},
    unavailable: (why) => new Down(why),
  })
  const synced = Promise.withResolvers<void>()
  const sync = async () => {}
  const group = openGroupCommit({
    connection,
    makeTx: () => sqliteTx<Tables>(connection),
    faults,
    sync,
    pendingSync: () => synced.promise,
    committed() {},
  })
  const worked = Promise.withResolvers<void>()
  const written = group.write(async (tx) => {
    await tx.insert('things', [{ name: 'next' }])
    worked.resolve()
  })
  await worked.promise
  await new Promise(setImmediate)
  assert.equal(connection.isTransaction, true)
  synced.resolve()
  await written
  assert.equal(connection.isTransaction, false)
  faults.stop()
  await group.close()
})

test('work between commits that blocked no writer says so', async () => {
  const { held_up } = await db.writeInWorker!([`select 1`, `select 2`])
  assert.equal(held_up, false)
})

test('work between commits has the database while no write runs, and the event loop stays free', async () => {
  let turns = 0
  const turning = setInterval(() => turns++, 1)
  const before = db.write(async () => {})
  const written = db.writeInWorker!([
    `insert into things (name) values ('borrowed')`,
    `with recursive up (n) as (select 1 union all select n + 1 from up where n < 300000) select max(n) as n from up`,
  ])
  await Promise.resolve()
  // A write called later sees its changes.
  const after = db.write((tx) => tx.query(`select name from things where name = 'borrowed'`))
  assert.deepEqual(await written, { rows: [{ n: 300_000 }], held_up: true })
  assert.equal((await after).length, 1)
  await before
  clearInterval(turning)
  assert.ok(turns > 0)
})
