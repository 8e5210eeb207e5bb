import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { openFaults } from './sqlite/faults.ts'
import { openBatching } from './batching.ts'
import { openGroupCommit } from './sqlite/group-commit.ts'
import { sqliteTx } from './sqlite/tx.ts'
import { Down, type Tables, thingsInMemory } from '#test/things.ts'

/** Stores names from several callers in shared commits. `sync` stands in for the disk. */
function openNames(t: TestContext, sync: () => Promise<void>) {
  const connection = thingsInMemory()
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
    sync,
    committed() {},
  })
  t.after(async () => {
    faults.stop()
    await group.close()
    connection.close()
  })
  const told: string[][] = []
  const store = openBatching<Tables, string, string>(
    group,
    100,
    async (tx, names) => {
      for (const name of names) await tx.insert('things', [{ name }])
      return names.map((name) => name.toUpperCase())
    },
    (names) => told.push([...names]),
  )
  const stored = () =>
    connection
      .prepare('select name from things order by id')
      .all()
      .map(({ name }) => String(name))
  return { store, told, stored }
}

test('each caller gets its own outcomes after the shared commit, and hears later that they are on disk', async (t) => {
  const disk = Promise.withResolvers<void>()
  const { store, told, stored } = openNames(t, () => disk.promise)
  const [one, two] = await Promise.all([store(['a', 'b']), store(['c'])])
  assert.deepEqual([one.outcomes, two.outcomes], [['A', 'B'], ['C']])
  assert.deepEqual(told, [['a', 'b', 'c']])
  assert.deepEqual(stored(), ['a', 'b', 'c'])
  let durable = false
  void one.durable!.then(() => (durable = true))
  await new Promise(setImmediate)
  assert.equal(durable, false)
  disk.resolve()
  await Promise.all([one.durable, two.durable])
  assert.equal(durable, true)
})

test('if the disk fails, every caller of the shared commit hears it once', async (t) => {
  const disk = Promise.withResolvers<void>()
  const { store, told } = openNames(t, () => disk.promise)
  const gathered = await Promise.all([store(['a']), store(['b'])])
  disk.reject(new Error('EIO'))
  for (const { durable } of gathered) await assert.rejects(durable!, /did not keep what was written \(EIO/)
  assert.equal(told.length, 1)
  await assert.rejects(store(['c']), /did not keep/)
})

test("if one caller fails, the other callers' items are stored", async (t) => {
  const { store, stored } = openNames(t, async () => {})
  await (
    await store(['a'])
  ).durable
  const results = await Promise.allSettled([store(['b']), store(['a']), store(['c'])])
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
  assert.deepEqual(
    stored().toSorted((one, other) => one.localeCompare(other)),
    ['a', 'b', 'c'],
  )
})

test('after a commit of unknown outcome every caller hears so, and nothing is tried again', async () => {
  const notKnown = new Down({ code: 'not_ready', detail: 'It is not known whether this was stored.' })
  let writes = 0
  const db = {
    async write<T>(): Promise<T> {
      writes++
      throw writes === 1 ? notKnown : new Error('nothing was stored')
    },
  }
  const store = openBatching<Tables, string, string>(db, 100, async (_, names) => [...names])
  const results = await Promise.allSettled([store(['a']), store(['b'])])
  assert.deepEqual(
    results.map((result) => result.status === 'rejected' && result.reason),
    [notKnown, notKnown],
  )
  assert.equal(writes, 1)
})
