import assert from 'node:assert/strict'
import { test } from 'node:test'
import { options } from '#test/things.ts'
import { newDatabase } from '../../../../scripts/new-database.ts'
import { connect, patientSettingsOf } from './connection.ts'
import { openPostgres, prepare } from './open.ts'

const open = (url: string) => openPostgres(url, options)

async function ask(url: string, text: string): Promise<unknown[]> {
  const session = await connect(patientSettingsOf(url))
  try {
    return (await session.send(text)).rows
  } finally {
    await session.close()
  }
}

test('if several servers start on an empty database, one makes the tables', async () => {
  const url = await newDatabase()
  await Promise.all([prepare(url, options), prepare(url, options), prepare(url, options)])
  const rows = await ask(url, 'select name, count(*) as times from schema_migrations group by name')
  assert.equal(rows.length, 1)
  assert.ok((rows as { times: number }[]).every(({ times }) => times === 1))
})

const unusable: [string, (url: string) => string, RegExp][] = [
  ['that nobody serves', () => 'postgres://me:a-secret@127.0.0.1:9/sdd', /ECONNREFUSED/],
  ['of a name that is none', () => 'postgres://me:a-secret@no-such-host.invalid/sdd', /no-such-host/],
  ['that does not exist', (url) => url.replace('/test_', '/no_such_'), /does not exist/],
]
for (const [which, of, why] of unusable) {
  test(`a database ${which} ends the start, and the message has no password`, async () => {
    const error = await open(of(await newDatabase())).then(
      () => assert.fail('it was opened'),
      (error: Error) => error,
    )
    assert.equal(error.name, 'Unusable')
    assert.match(error.message, why)
    assert.doesNotMatch(error.message, /a-secret/)
  })
}

test('a database with an encoding other than UTF-8 is refused', async () => {
  const url = await newDatabase()
  const name = `${new URL(url).pathname.slice(1)}_ascii`
  await ask(
    url,
    `create database ${name} encoding 'SQL_ASCII' template template0 locale_provider libc locale 'C'`,
  )
  await assert.rejects(open(url.replace(/\/test_\w+/, `/${name}`)), {
    name: 'Unusable',
    message: /encoding SQL_ASCII.*UTF8/,
  })
})

test('a database of a newer version is refused', async () => {
  const url = await newDatabase()
  await prepare(url, options)
  await ask(url, `insert into schema_migrations values ('9999-later', '')`)
  await assert.rejects(open(url), { name: 'Unusable', message: /newer version/ })
})

test('idle sessions that were cut are replaced without an error', async (t) => {
  const url = await newDatabase()
  const db = await open(url)
  t.after(() => db.close())
  const read = () => db.read.query<{ id: number }>('select id from things')
  await Promise.all([read(), read(), read()])
  await ask(
    url,
    'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()',
  )
  await Promise.all([read(), read(), read()])
  await db.write((tx) => tx.insert('things', [{ name: 'new' }]))
  assert.equal((await read()).length, 1)
  assert.equal(db.fault(), undefined)
})
