import assert from 'node:assert/strict'
import test from 'node:test'
import {
  boundValues,
  compiledFor,
  isIn,
  limit,
  locked,
  lockedOrSkipped,
  perEngine,
  plannedEachTime,
  type Place,
  shared,
  sql,
  type Statement,
  tuples,
  when,
} from './sql.ts'

const SQLITE: Place = { engine: 'sqlite', writing: false }
const POSTGRES: Place = { engine: 'postgres', writing: false }
const WRITING: Place = { engine: 'postgres', writing: true }

/** The text and the values that an engine receives. */
function asked(statement: Statement<unknown, never>, place: Place, values: Record<string, unknown> = {}) {
  const compiled = compiledFor(statement as Statement, place, values)
  return [compiled.text, ...boundValues(compiled, place.engine, values)]
}

test('a named value becomes a placeholder, the same one each time it is used', () => {
  const statement = sql<never, { key: string; id: number }>`
    select 1 where a = :key or b = :key and id <> :id`
  const values = { key: 'k', id: 7 }
  assert.deepEqual(asked(statement, SQLITE, values), [
    '\n    select 1 where a = ?1 or b = ?1 and id <> ?2',
    'k',
    7,
  ])
  assert.deepEqual(asked(statement, POSTGRES, values), [
    '\n    select 1 where a = $1 or b = $1 and id <> $2',
    'k',
    7,
  ])
})

test('quoted text and casts contain no named values', () => {
  const statement = sql`select 'a :b ''c :d', '1'::int`
  assert.deepEqual(asked(statement, POSTGRES), [`select 'a :b ''c :d', '1'::int`])
})

test('a condition is part of the text if its value is given', () => {
  const statement = sql`select 1 where true ${when('id')`and id = :id`} ${when('flagged')`and flag = 1`}`
  const text = (values: Record<string, unknown>) => asked(statement, SQLITE, values)
  assert.deepEqual(text({}), ['select 1 where true  '])
  assert.deepEqual(text({ id: 3 }), ['select 1 where true and id = ?1 ', 3])
  assert.deepEqual(text({ flagged: true }), ['select 1 where true  and flag = 1'])
  assert.deepEqual(text({ id: null, flagged: true }), ['select 1 where true and id = ?1 and flag = 1', null])
})

test('a missing value is an error that names it', () => {
  assert.throws(() => asked(sql`select :id`, SQLITE), /No value is given for :id in: select \?1/)
})

test('a list is one value of any length', () => {
  const statement = sql<never, { ids: number[] }>`select 1 where ${isIn('id', 'ids')}`
  assert.deepEqual(asked(statement, SQLITE, { ids: [1, 2] }), [
    'select 1 where id in (select value from json_each(?1))',
    '[1,2]',
  ])
  assert.deepEqual(asked(statement, POSTGRES, { ids: [1, 2] }), ['select 1 where id = any($1)', [1, 2]])
})

test('a list of tuples is one value on SQLite, and one value per column on PostgreSQL', () => {
  const statement = sql`select 1 where (a, b) in (${tuples('keys', ['bigint', 'text'])})`
  const keys = [
    [1, 'x'],
    [2, 'y'],
  ]
  assert.deepEqual(asked(statement, SQLITE, { keys }), [
    'select 1 where (a, b) in (select value ->> 0, value ->> 1 from json_each(?1))',
    '[[1,"x"],[2,"y"]]',
  ])
  assert.deepEqual(asked(statement, POSTGRES, { keys }), [
    'select 1 where (a, b) in (select * from unnest(cast($1 as bigint[]), cast($2 as text[])))',
    [1, 2],
    ['x', 'y'],
  ])
})

test('rows are locked only if other servers may write', () => {
  const statement = sql`select 1 ${locked('a')}|${lockedOrSkipped('b')}|${shared('c')}`
  assert.deepEqual(asked(statement, SQLITE), ['select 1 ||'])
  assert.deepEqual(asked(statement, POSTGRES), ['select 1 ||'])
  assert.deepEqual(asked(statement, WRITING), [
    'select 1 for no key update of a|for no key update of b skip locked|for share of c',
  ])
})

test('each engine gets its own text, and a limit that it plans once', () => {
  const statement = sql<
    never,
    { limit: number }
  >`select ${perEngine({ sqlite: 'a', postgres: 'b' })} ${limit()}`
  assert.deepEqual(asked(statement, SQLITE, { limit: 5 }), ['select a limit ?1 + 0', 5])
  assert.deepEqual(asked(statement, POSTGRES, { limit: 5 }), ['select b limit $1', 5])
})

test('a statement that is planned each time says so on PostgreSQL', () => {
  const statement = sql<never, { a: number }>`select :a ${plannedEachTime()}`
  assert.equal(statement.compile(POSTGRES, 0).plannedEachTime, true)
  assert.equal(statement.compile(SQLITE, 0).plannedEachTime, false)
})

test('a statement that returns no rows is recognized', () => {
  const silent = (statement: Statement<unknown, never>) => statement.compile(SQLITE, 0).silent
  assert.equal(silent(sql`update a set b = 1`), true)
  assert.equal(silent(sql`with c as (select 1) update a set b = 1`), true)
  const change = 'update a set b = 1 returning c'
  assert.equal(silent(sql`with d as (${change}) insert into a select e(c) from d where b not in (1)`), true)
  assert.equal(silent(sql`with d as (${change}) select c from d for update`), false)
  assert.equal(silent(sql`insert into a values (1) returning id`), false)
  assert.equal(silent(sql`select 1`), false)
})
