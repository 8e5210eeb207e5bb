import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { newDatabase } from '../../../../scripts/new-database.ts'
import { type Connection, connect, patientSettingsOf } from './connection.ts'

let session: Connection

before(async () => {
  session = await connect(patientSettingsOf(await newDatabase()))
  await session.send('create table things (id bigint primary key, name text, weight numeric, parts int4[])')
})
beforeEach(() => session.send('truncate things'))
after(() => session.close())

const INSERT = 'insert into things (id, name) values ($1, $2)'
const NAMES = 'select name from things order by id'

function add(id: number, name: string) {
  return session.send(INSERT, [id, name], 'add')
}

test('statements that are sent together are answered in order, each with its own rows', async () => {
  const [added, all, none] = await Promise.all([
    add(1, 'one'),
    session.send(`${NAMES} limit $1`, [5]),
    session.send('select id from things where id = $1', [7], 'by id'),
  ])
  assert.deepEqual([added.command, added.rows], ['INSERT 0 1', []])
  assert.deepEqual(all.rows, [{ name: 'one' }])
  assert.deepEqual(none.rows, [])
})

test('outside a transaction they are stored together or not at all, and the rest is rejected with the error', async () => {
  const results = await Promise.allSettled([add(1, 'one'), add(2, 'two'), add(1, 'again'), add(3, 'three')])
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'rejected', 'rejected'],
  )
  const [, , again, rest] = results as PromiseRejectedResult[]
  assert.equal(again!.reason.code, '23505')
  assert.equal(rest!.reason, again!.reason)
  assert.deepEqual((await session.send(NAMES)).rows, [])
})

test('a statement that was skipped after a failure is prepared when it is sent again', async () => {
  const divide = () => session.send('select 1 / $1::int4 as share', [0], 'divide')
  const count = () => session.send('select count(*) as count from things', [], 'count')
  const [divided, counted] = await Promise.allSettled([divide(), count()])
  assert.deepEqual([divided.status, counted.status], ['rejected', 'rejected'])
  assert.deepEqual((await count()).rows, [{ count: 0 }])
  await assert.rejects(divide(), { code: '22012' })
  assert.deepEqual((await session.send('select 1 / $1::int4 as share', [1], 'divide')).rows, [{ share: 1 }])
})

test('a text that is sent as it is keeps its place among prepared statements', async () => {
  await Promise.all([
    add(1, 'one'),
    session.send(`update things set name = 'two'; insert into things (id, name) values (2, 'three')`),
    session.send(`update things set name = name || $1`, ['!'], 'shout'),
  ])
  assert.deepEqual((await session.send(NAMES)).rows, [{ name: 'two!' }, { name: 'three!' }])
})

test('values come back as they went, whether their statement is prepared for the first time or not', async () => {
  const texts = ['a "b" \\c', '', 'ñ, {}', null]
  const text = `select $1::text[] as texts, $2::int4[] as numbers, $3::bytea as bytes, $4::bigint as large,
    $5::numeric as exact, $6::bool as flag, $7::text as absent, $8::jsonb as json`
  const values = [texts, [1, 2], Buffer.from([0, 255]), 2 ** 53 - 1, 1.5, true, null, { of: [1] }]
  for (const name of ['values', 'values', undefined]) {
    const { rows } = await session.send(text, values, name)
    assert.deepEqual(rows, [
      {
        texts,
        numbers: [1, 2],
        bytes: Buffer.from([0, 255]),
        large: 2 ** 53 - 1,
        exact: 1.5,
        flag: true,
        absent: null,
        json: { of: [1] },
      },
    ])
  }
})

test('statements that wait for an answer are rejected when the session ends', async () => {
  const own = await connect(patientSettingsOf(await newDatabase()))
  const [{ pid }] = (await own.send('select pg_backend_pid() as pid')).rows as [{ pid: number }]
  const waiting = Promise.allSettled([
    own.send('select pg_sleep($1)', [60], 'sleep'),
    own.send('select $1 as one', [1], 'one'),
  ])
  await session.send('select pg_terminate_backend($1)', [pid])
  for (const result of await waiting) {
    assert.equal(result.status, 'rejected')
    assert.equal(result.reason.code, '57P01')
  }
})
