import assert from 'node:assert/strict'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { before, test } from 'node:test'
import { declaredStatements, type Place, type Statement } from '@sdd/storage/sql.ts'
import { newDatabase } from '#test/engine.ts'
import { DATABASE_FILE } from './files.ts'
import { openDatabase } from './open.ts'
import { connect, patientSettingsOf } from '@sdd/storage/postgres/connection.ts'

const SRC = join(import.meta.dirname, '..')

/** The modules that declare statements, or sums that a statement writes. */
const modules = globSync('**/*.ts', { cwd: SRC, exclude: ['**/*.test.ts'] }).filter((path) =>
  /from '@sdd\/storage\/(sql|totals)\.ts'/.test(readFileSync(join(SRC, path), 'utf8')),
)
before(async () => {
  for (const path of modules) await import(join(SRC, path))
})

test('SQLite prepares every statement', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sdd-statements-'))
  t.after(() => rmSync(folder, { recursive: true }))
  await (await openDatabase({ folder })).close()
  const connection = new DatabaseSync(join(folder, DATABASE_FILE))
  t.after(() => connection.close())
  await assertPrepared([{ engine: 'sqlite', writing: false }], (text) => connection.prepare(text))
})

test('PostgreSQL prepares every statement, for reading and for writing', async (t) => {
  const url = await newDatabase()
  await (await openDatabase({ url, folder: '' })).close()
  const session = await connect(patientSettingsOf(url))
  t.after(() => session.close())
  const places = [true, false].map((writing): Place => ({ engine: 'postgres', writing }))
  await assertPrepared(places, (text) => session.send(`prepare one as ${text}; deallocate one`))
})

test('a statement with a wrong column is detected', () => {
  const connection = new DatabaseSync(':memory:')
  connection.exec('create table users (id integer)')
  assert.throws(() => connection.prepare('select id, nmae from users'), /no such column: nmae/)
})

test('every statement is declared when its module is loaded, so that none is missed', () => {
  const made = modules.flatMap((path) => {
    const tags =
      readFileSync(join(SRC, path), 'utf8').match(/^.*\b(sql|sqliteSql|postgresSql)(<[^`]*>)?`/gm) ?? []
    return tags.filter((line) => !/^(export )?const \w+ = \w+/.test(line)).map((line) => `${path}: ${line}`)
  })
  assert.deepEqual(made, [])
})

/** With none of its conditions, with each one, and with all. */
async function assertPrepared(places: readonly Place[], prepare: (text: string) => unknown): Promise<void> {
  const faults: string[] = []
  for (const statement of declaredStatements())
    for (const text of new Set(
      places
        .filter(({ engine }) => statement.engines.includes(engine))
        .flatMap((place) => textsOf(statement, place)),
    ))
      try {
        await prepare(text)
      } catch (error) {
        faults.push(`${(error as Error).message} in: ${text}`)
      }
  assert.deepEqual(faults, [])
}

function textsOf(statement: Statement, place: Place): string[] {
  const all = (1 << statement.optional.length) - 1
  const masks = [0, all, ...statement.optional.map((_, bit) => 1 << bit)]
  return masks.map((mask) => statement.compile(place, mask).text)
}
