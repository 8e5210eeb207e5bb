import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, describe, test } from 'node:test'
import { newDatabase } from '../../../scripts/new-database.ts'
import {
  addThing as add,
  FILE,
  namesOf,
  options,
  type Tables,
  type Things,
  type ThingsTx,
} from '#test/things.ts'
import { openDatabase } from './open.ts'
import { sql } from './sql.ts'
import { total } from './totals.ts'

/** The promises of `write` on both engines: see the README. */

const SUM = total({
  order: 0,
  columns: { name: 'text', total: 'bigint' },
  add: (rows) => `insert into sums (name, total) ${rows}
    on conflict (name) do update set total = sums.total + excluded.total`,
  less: 'delete from sums where name = :name and total <= 0',
})
const ALL_SUMS = sql<{ name: string; total: number }>`select name, total from sums order by name`
const RENAME = sql<{ id: number }, { from: string; to: string }>`
  update things set name = :to where name = :from returning id`

for (const engine of ['sqlite', 'postgres'] as const)
  describe(engine, () => {
    let folder: string
    let url: string | undefined
    let db: Things
    const groups: number[] = []
    const open = () =>
      openDatabase<Tables>({
        ...options,
        url,
        path: join(folder, FILE),
        committed: (_, callers) => groups.push(callers),
      })

    before(async () => {
      folder = mkdtempSync(join(tmpdir(), 'sdd-commit-'))
      url = engine === 'postgres' ? await newDatabase() : undefined
      db = await open()
    })
    after(async () => {
      await db.close()
      rmSync(folder, { recursive: true })
    })
    beforeEach(async () => {
      await db.write(async (tx) => {
        await tx.query('delete from things')
        await tx.query('delete from sums')
      })
      groups.length = 0
    })

    const names = () => namesOf(db.read)

    test('writes called at the same time share a few commits and keep their order', async () => {
      const called = Array.from({ length: 120 }, (_, at) => `shared ${at}`)
      await Promise.all(called.map((name) => db.write(add(name))))
      assert.equal(
        groups.reduce((sum, callers) => sum + callers, 0),
        120,
      )
      assert.ok(groups.length <= 12, `${groups.length} commits`)
      assert.deepEqual(await names(), called)
    })

    test('a write that throws or breaks a constraint is rolled back without affecting the others', async () => {
      const results = await Promise.allSettled([
        db.write(add('before')),
        db.write(async (tx) => {
          await add('half done')(tx)
          throw new Error('changed its mind')
        }),
        db.write(add('between')),
        db.write(async (tx) => {
          await add('also half done')(tx)
          await add('before')(tx)
        }),
        db.write(add('after')),
      ])
      assert.deepEqual(
        results.map(({ status }) => status),
        ['fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled'],
      )
      assert.match(String((results[1] as PromiseRejectedResult).reason), /changed its mind/)
      assert.match(String((results[3] as PromiseRejectedResult).reason), /unique/i)
      assert.deepEqual(await names(), ['before', 'between', 'after'])
    })

    test('a write sees the rows of earlier writes in its group', async () => {
      const [, renamed] = await Promise.all([
        db.write(add('one')),
        db.write((tx) => tx.rows(RENAME, { from: 'one', to: 'two' })),
        db.write(add('one')),
      ])
      assert.equal(renamed.length, 1)
      assert.deepEqual(await names(), ['two', 'one'])
    })

    test('a reader sees nothing of a write before its commit', async () => {
      let seen: string[] = []
      await db.write(async (tx) => {
        await add('unseen')(tx)
        seen = await names()
      })
      assert.deepEqual([seen, await names()], [[], ['unseen']])
    })

    test('rows written by insert, put and update all arrive', async () => {
      await db.write(async (tx) => {
        await tx.insert(
          'things',
          Array.from({ length: 70 }, (_, at) => ({ name: `many ${at}` })),
        )
        const id = await tx.insertRow('things', { name: 'one' })
        await tx.update('things', { id }, { name: 'another' }, { name: 'one' })
        await tx.put('sums', { name: 'put' }, { total: 1 })
        await tx.put('sums', { name: 'put' }, { total: 2 })
      })
      const stored = await names()
      assert.equal(stored.length, 71)
      assert.equal(stored.at(-1), 'another')
      assert.deepEqual(await sums(), { put: 2 })
    })

    test('changes of the same row in one write are made in their order', async () => {
      await db.write(async (tx) => {
        // The last of these ids is the smallest.
        const rows = Array.from({ length: 5 }, (_, at) => ({ id: 5 - at, name: `inserted ${5 - at}` }))
        await tx.insert('things', rows)
        await tx.update('things', { id: 1 }, { name: 'changed' })
        await tx.update('things', { id: 2 }, { name: 'changed and deleted' })
        for (const id of [2, 3, 4]) await tx.delete('things', { id })
        await tx.insert('things', [{ id: 3, name: 'inserted again' }])
        await tx.update('things', { id: 4 }, { name: 'changed too late' })
        await tx.put('sums', { name: 'deleted' }, { total: 1 })
        await tx.delete('sums', { name: 'deleted' })
        await tx.delete('sums', { name: 'kept' })
        await tx.put('sums', { name: 'kept' }, { total: 2 })
      })
      assert.deepEqual(await names(), ['changed', 'inserted again', 'inserted 5'])
      assert.deepEqual(await sums(), { kept: 2 })
    })

    test('a total includes the additions of every answered write in the group', async () => {
      await Promise.all(Array.from({ length: 40 }, () => db.write((tx) => tx.add(SUM, ['a'], 2))))
      assert.deepEqual(await sums(), { a: 80 })
      await db.write((tx) => tx.add(SUM, ['a'], -30))
      assert.deepEqual(await sums(), { a: 50 })
      await db.write((tx) => tx.add(SUM, ['a'], -50))
      assert.deepEqual(await sums(), {})
    })

    test('a write that is rolled back takes its additions with it, before and after it flushed totals', async () => {
      const broken = (name: string, writes: boolean) =>
        db.write(async (tx) => {
          await tx.add(SUM, [name], 100)
          if (writes) await tx.writeTotals()
          await tx.add(SUM, [name], 100)
          throw new Error('changed its mind')
        })
      const results = await Promise.allSettled([
        db.write((tx) => tx.add(SUM, ['a'], 1)),
        broken('a', false),
        db.write((tx) => tx.add(SUM, ['b'], 1)),
        broken('b', true),
        db.write((tx) => tx.add(SUM, ['a'], 1)),
      ])
      assert.equal(results.filter(({ status }) => status === 'rejected').length, 2)
      assert.deepEqual(await sums(), { a: 2, b: 1 })
    })

    test('a write that reads totals sees the additions of earlier writes and its own', async () => {
      const [, seen] = await Promise.all([
        db.write((tx) => tx.add(SUM, ['a'], 3)),
        db.write(async (tx) => {
          await tx.add(SUM, ['b'], 4)
          await tx.writeTotals()
          const first = await sums(tx)
          await tx.add(SUM, ['a'], -1)
          await tx.writeTotals()
          return [first, await sums(tx)]
        }),
        db.write((tx) => tx.add(SUM, ['b'], 1)),
      ])
      assert.deepEqual(seen, [
        { a: 3, b: 4 },
        { a: 2, b: 4 },
      ])
      assert.deepEqual(await sums(), { a: 2, b: 5 })
    })

    test('a write after closing is rejected, and earlier writes are stored', async () => {
      const last = db.write(add('last'))
      const closed = db.close()
      await assert.rejects(
        db.write(async () => 'late'),
        /closed/,
      )
      await Promise.all([last, closed])
      db = await open()
      assert.deepEqual(await names(), ['last'])
    })

    async function sums(tx: ThingsTx = db.read): Promise<Record<string, number>> {
      return Object.fromEntries((await tx.rows(ALL_SUMS)).map(({ name, total }) => [name, total]))
    }
  })
