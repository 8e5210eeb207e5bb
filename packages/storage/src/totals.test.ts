import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, test } from 'node:test'
import { openThings, type Things, type ThingsTx } from '#test/things.ts'
import { total } from './totals.ts'

const SUM = total({
  order: 0,
  columns: { name: 'text', total: 'bigint' },
  add: (rows) => `insert into sums (name, total) ${rows}
    on conflict (name) do update set total = sums.total + excluded.total`,
  less: 'delete from sums where name = :name and total <= 0',
})

let folder: string
let db: Things
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sdd-totals-'))
  db = await openThings({ folder })
})
after(async () => {
  await db.close()
  rmSync(folder, { recursive: true })
})
beforeEach(() => db.write((tx) => tx.query('delete from sums')))

const add = (tx: ThingsTx, name: string, more: number) => tx.add(SUM, [name], more)

async function sums(tx: ThingsTx = db.read): Promise<Record<string, number>> {
  const rows = await tx.query<{ name: string; total: number }>('select name, total from sums order by name')
  return Object.fromEntries(rows.map(({ name, total }) => [name, total]))
}

test('what works add to a row is in it once each of them is answered', async () => {
  await Promise.all(Array.from({ length: 40 }, () => db.write((tx) => add(tx, 'a', 2))))
  assert.deepEqual(await sums(), { a: 80 })
  await db.write((tx) => add(tx, 'a', -30))
  assert.deepEqual(await sums(), { a: 50 })
  await db.write((tx) => add(tx, 'a', -50))
  assert.deepEqual(await sums(), {})
})

test('a work that is undone takes along what it added, before and after it wrote sums', async () => {
  const broken = (lane: string, writes: boolean) =>
    db.write(async (tx) => {
      await add(tx, lane, 100)
      if (writes) await tx.writeTotals()
      await add(tx, lane, 100)
      throw new Error('changed its mind')
    })
  const results = await Promise.allSettled([
    db.write((tx) => add(tx, 'a', 1)),
    broken('a', false),
    db.write((tx) => add(tx, 'b', 1)),
    broken('b', true),
    db.write((tx) => add(tx, 'a', 1)),
  ])
  assert.equal(results.filter(({ status }) => status === 'rejected').length, 2)
  assert.deepEqual(await sums(), { a: 2, b: 1 })
})

test('a work that reads such rows reads what those before it and it itself have added', async () => {
  const [, seen] = await Promise.all([
    db.write((tx) => add(tx, 'a', 3)),
    db.write(async (tx) => {
      await add(tx, 'b', 4)
      await tx.writeTotals()
      const all = await sums(tx)
      await add(tx, 'a', -1)
      await tx.writeTotals()
      return [all, await sums(tx)]
    }),
    db.write((tx) => add(tx, 'b', 1)),
  ])
  assert.deepEqual(seen, [
    { a: 3, b: 4 },
    { a: 2, b: 4 },
  ])
  assert.deepEqual(await sums(), { a: 2, b: 5 })
})
