import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { connect, patientSettingsOf } from '@sdd/storage/postgres/connection.ts'
import { tablesOf } from '@sdd/storage/sqlite-tables.ts'
import { newDatabase } from '#test/engine.ts'
import { isSearchTable } from './months/months.ts'
import { openDatabase, prepareDatabase } from './open.ts'

/** Tables that only several servers or partitions need. */
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
  const columns = tablesOf(file, isSearchTable).flatMap(({ name, columns }) =>
    columns.map((column) => `${name}.${column.name} ${column.type}`),
  )
  file.close()
  const url = await newDatabase()
  await prepareDatabase(url)
  const there = (await ask(
    url,
    `select table_name || '.' || column_name || ' ' || data_type as name, data_type as type,
        collation_name as collation
      from information_schema.columns
        join pg_class on pg_class.oid = table_name::regclass and not relispartition
      where table_schema = 'public' and table_name not like '%_search%' and table_name not in (${OF_POSTGRES})`,
  )) as { name: string; type: string; collation: string | null }[]
  assert.deepEqual(new Set(there.map(({ name }) => name)), new Set(columns))
  for (const { name, type, collation } of there) if (type === 'text') assert.equal(collation, 'C', name)
})

async function ask(url: string, text: string): Promise<unknown[]> {
  const session = await connect(patientSettingsOf(url))
  try {
    return (await session.send(text)).rows
  } finally {
    await session.close()
  }
}
