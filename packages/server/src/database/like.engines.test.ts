import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { sql } from '@sdd/storage/sql.ts'
import { databaseOf } from '#test/engine.ts'
import { LIKE, likePart } from './like.ts'
import { type Database, openDatabase } from './open.ts'

const folder = mkdtempSync(join(tmpdir(), 'sdd-like-'))
let db: Database
before(async () => {
  db = await openDatabase({ folder, url: await databaseOf(folder) })
})
after(async () => {
  await db.close()
  rmSync(folder, { recursive: true })
})

const VALUES = ['100 %', '100', 'a_b', 'ab', 'axb', String.raw`c\d`, 'cd', String.raw`c\%d`, '+34600']

const MATCHING = sql<{ value: string }, { value: string; pattern: string }>`
  select cast(:value as text) as value where cast(:value as text) ${LIKE} :pattern escape '\\'`

async function matching(pattern: string): Promise<string[]> {
  const rows = await Promise.all(VALUES.map((value) => db.read.rows(MATCHING, { value, pattern })))
  return rows.flat().map(({ value }) => value)
}

test('wildcards and backslashes in a searched text stand for themselves', async () => {
  for (const [text, expected] of [
    ['%', ['100 %', String.raw`c\%d`]],
    ['_', ['a_b']],
    ['A_B', ['a_b']],
    ['a%b', []],
    ['%%', []],
    ['\\', [String.raw`c\d`, String.raw`c\%d`]],
    [String.raw`\d`, [String.raw`c\d`]],
    [String.raw`\%`, [String.raw`c\%d`]],
    [String.raw`\\`, []],
    [String.raw`' or '1' = '1`, []],
    ['', VALUES],
  ] as const) {
    assert.deepEqual(await matching(likePart(text)), expected, text)
  }
})
