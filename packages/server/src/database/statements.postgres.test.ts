import assert from 'node:assert/strict'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { before, test } from 'node:test'
import { declaredStatements, type Place, type Statement } from '@sdd/storage/sql.ts'
import { addTextFunctions } from '@sdd/storage/sqlite/text-functions.ts'
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
  addTextFunctions(connection)
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
  const late = modules.flatMap((path) =>
    declaredLate(readFileSync(join(SRC, path), 'utf8')).map((line) => `${path}: ${line}`),
  )
  assert.deepEqual(late, [])
})

test('a statement that is declared later is detected, and one by a function that is called at once is not', () => {
  const early = ['const A = sql<Row>`a`', 'export const B = {\n  one: sqliteSql`b`,\n  two: sql`b`,\n}']
  const factory = 'const made = (table: string) => sql<Row>`from ${table}`'
  const functionFactory = 'function made(table: string) {\n  return sql`from ${table}`\n}'
  const called = `const C = { one: made('one') }`
  const lateCall = `function later() {\n  return made('later')\n}`
  assert.deepEqual(declaredLate([...early, factory, called].join('\n\n')), [])
  assert.deepEqual(declaredLate([functionFactory, `// made`, called].join('\n\n')), [])
  for (const late of [
    [factory],
    [functionFactory],
    [factory, called, lateCall],
    [factory, `const D = { later: () => made('later') }`],
    [`export ${factory}`, called],
    ['const E = { later: () => sql`e` }'],
    ['const F = {\n  later() {\n    return sql`f`\n  },\n}'],
  ])
    assert.equal(declaredLate(late.join('\n\n')).length, 1, late.join('\n'))
})

/**
 * The declarations of a module that contain statements that may be made after it is loaded: in functions, unless only
 * constants of the module call them.
 */
function declaredLate(source: string): string[] {
  const declarations = source
    .replace(/\/\*[^]*?\*\/|\/\/.*/g, '')
    .split(/^(?=(?:export )?(?:async )?(?:const|function|type|import)\b)/m)
  const isFunction = (text: string) =>
    /^(export )?(async )?function|^(export )?const \w+ = (async )?\([^]*?\) =>/.test(text)
  return declarations
    .filter((text) => {
      if (!/\b(sql|sqliteSql|postgresSql)(<[^`]*>)?`/.test(text)) return false
      if (!isFunction(text)) return /(=>|return)\s+(sql|sqliteSql|postgresSql)\b/.test(text)
      const [, name] = /(?:const|function) (\w+)/.exec(text)!
      const users = declarations.filter((other) => other !== text && new RegExp(`\\b${name}\\(`).test(other))
      return (
        text.startsWith('export') ||
        users.length === 0 ||
        users.some((user) => /^(?!(export )?const)|=>/.test(user))
      )
    })
    .map((text) => text.split('\n')[0]!)
}

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
