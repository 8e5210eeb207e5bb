import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { openDatabase } from '#server/database/open.ts'
import { newDatabase } from '#test/engine.ts'
import { connect, patientSettingsOf } from './connection.ts'
import { openPostgres, prepare } from './open.ts'
import { tablesOf } from './tables.ts'

const open = (url: string) => openPostgres({ url, committed() {} })

async function ask(url: string, text: string): Promise<unknown[]> {
  const session = await connect(patientSettingsOf(url))
  try {
    return (await session.send(text)).rows
  } finally {
    await session.close()
  }
}

test('of servers that start at once on an empty database, one makes the tables', async () => {
  const url = await newDatabase()
  await Promise.all([prepare(url), prepare(url), prepare(url)])
  const rows = await ask(url, 'select name, count(*) as times from schema_migrations group by name')
  assert.ok(rows.length >= 4)
  assert.ok((rows as { times: number }[]).every(({ times }) => times === 1))
})

/** What needs several servers, or a table that is laid out in parts. */
const OF_POSTGRES = [
  'writers',
  'replicas',
  'callback_claims',
  'broker_sessions',
  'months',
  'schema_migrations',
]
  .map((table) => `'${table}'`)
  .join()

test('both engines have the same tables and columns, and texts that sort by their bytes', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sdd-both-'))
  t.after(() => rmSync(folder, { recursive: true }))
  await (await openDatabase({ folder })).close()
  const file = new DatabaseSync(join(folder, 'sms-drone-dash.db'), { readOnly: true })
  const columns = tablesOf(file).flatMap(({ name, columns }) =>
    columns.map((column) => `${name}.${column.name} ${column.type}`),
  )
  file.close()
  const url = await newDatabase()
  await prepare(url)
  const there = (await ask(
    url,
    `select table_name || '.' || column_name || ' ' || data_type as name, data_type as type,
        collation_name as collation
      from information_schema.columns
        join pg_class on pg_class.oid = table_name::regclass and not relispartition
      where table_schema = 'public' and table_name not like 'message_search%' and table_name not in (${OF_POSTGRES})`,
  )) as { name: string; type: string; collation: string | null }[]
  assert.deepEqual(new Set(there.map(({ name }) => name)), new Set(columns))
  for (const { name, type, collation } of there) if (type === 'text') assert.equal(collation, 'C', name)
})

const unusable: [string, (url: string) => string, RegExp][] = [
  ['that nobody serves', () => 'postgres://me:a-secret@127.0.0.1:9/sdd', /ECONNREFUSED/],
  ['of a name that is none', () => 'postgres://me:a-secret@no-such-host.invalid/sdd', /no-such-host/],
  ['that does not exist', (url) => url.replace('/test_', '/no_such_'), /does not exist/],
]
for (const [which, of, why] of unusable) {
  test(`a database ${which} ends the start, and the line has no password`, async () => {
    const error = await open(of(await newDatabase())).then(
      () => assert.fail('it was opened'),
      (error: Error) => error,
    )
    assert.equal(error.name, 'ConfigError')
    assert.match(error.message, /^DATABASE_URL: /)
    assert.match(error.message, why)
    assert.doesNotMatch(error.message, /a-secret/)
  })
}

test('a database that keeps other characters is refused', async () => {
  const url = await newDatabase()
  const name = `${new URL(url).pathname.slice(1)}_ascii`
  await ask(
    url,
    `create database ${name} encoding 'SQL_ASCII' template template0 locale_provider libc locale 'C'`,
  )
  await assert.rejects(open(url.replace(/\/test_\w+/, `/${name}`)), {
    name: 'ConfigError',
    message: /DATABASE_URL.*encoding SQL_ASCII.*UTF8/,
  })
})

test('a database of a newer version is refused', async () => {
  const url = await newDatabase()
  await prepare(url)
  await ask(url, `insert into schema_migrations values ('9999-later', '')`)
  await assert.rejects(open(url), { name: 'ConfigError', message: /DATABASE_URL.*newer version/ })
})

test('sessions that were cut while nobody used them are replaced, and nobody notices', async (t) => {
  const url = await newDatabase()
  const db = await open(url)
  t.after(() => db.close())
  const read = () => db.read.selectFrom('companies').select('id').execute()
  await Promise.all([read(), read(), read()])
  await ask(
    url,
    'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()',
  )
  await Promise.all([read(), read(), read()])
  await db.write((tx) => tx.insertInto('companies').values({ name: 'new', created_at: '' }).execute())
  assert.equal((await read()).length, 1)
  assert.equal(db.fault(), undefined)
})
