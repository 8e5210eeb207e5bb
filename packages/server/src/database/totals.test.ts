import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, test } from 'node:test'
import { type Database, openDatabase } from './open.ts'
import { TOTALS_ORDER, type Tx } from './schema.ts'
import { addUp, writeTotals } from './totals.ts'
import { total } from '@sdd/storage/totals.ts'

const WAITING = total({
  order: TOTALS_ORDER.lanes,
  columns: { company_id: 'bigint', lane: 'text', waiting: 'bigint' },
  add: (rows) => `insert into lanes (company_id, lane, waiting) ${rows}
    on conflict (company_id, lane) do update set waiting = lanes.waiting + excluded.waiting`,
  less: 'delete from lanes where company_id = :company_id and lane = :lane and waiting <= 0',
})

let folder: string
let db: Database
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sdd-totals-'))
  db = await openDatabase({ folder })
  await db.write((tx) => tx.insertInto('companies').values({ id: 1, name: 'one', created_at: '' }).execute())
})
after(async () => {
  await db.close()
  rmSync(folder, { recursive: true })
})
beforeEach(() => db.write((tx) => tx.deleteFrom('lanes').execute()))

const addTasks = (tx: Tx, lane: string, tasks: number) => addUp(tx, WAITING, [1, lane], tasks)

async function waiting(tx: Tx = db.read): Promise<Record<string, number>> {
  const rows = await tx.selectFrom('lanes').select(['lane', 'waiting']).orderBy('lane').execute()
  return Object.fromEntries(rows.map(({ lane, waiting }) => [lane, waiting]))
}

test('what works add to a row is in it once each of them is answered', async () => {
  await Promise.all(Array.from({ length: 40 }, () => db.write((tx) => addTasks(tx, 'a', 2))))
  assert.deepEqual(await waiting(), { a: 80 })
  await db.write((tx) => addTasks(tx, 'a', -30))
  assert.deepEqual(await waiting(), { a: 50 })
  await db.write((tx) => addTasks(tx, 'a', -50))
  assert.deepEqual(await waiting(), {})
})

test('a work that is undone takes along what it added, before and after it wrote sums', async () => {
  const broken = (lane: string, writes: boolean) =>
    db.write(async (tx) => {
      await addTasks(tx, lane, 100)
      if (writes) await writeTotals(tx)
      await addTasks(tx, lane, 100)
      throw new Error('changed its mind')
    })
  const results = await Promise.allSettled([
    db.write((tx) => addTasks(tx, 'a', 1)),
    broken('a', false),
    db.write((tx) => addTasks(tx, 'b', 1)),
    broken('b', true),
    db.write((tx) => addTasks(tx, 'a', 1)),
  ])
  assert.equal(results.filter(({ status }) => status === 'rejected').length, 2)
  assert.deepEqual(await waiting(), { a: 2, b: 1 })
})

test('a work that reads such rows reads what those before it and it itself have added', async () => {
  const [, seen] = await Promise.all([
    db.write((tx) => addTasks(tx, 'a', 3)),
    db.write(async (tx) => {
      await addTasks(tx, 'b', 4)
      await writeTotals(tx)
      const all = await waiting(tx)
      await addTasks(tx, 'a', -1)
      await writeTotals(tx)
      return [all, await waiting(tx)]
    }),
    db.write((tx) => addTasks(tx, 'b', 1)),
  ])
  assert.deepEqual(seen, [
    { a: 3, b: 4 },
    { a: 2, b: 4 },
  ])
  assert.deepEqual(await waiting(), { a: 2, b: 5 })
})
