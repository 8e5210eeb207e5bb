import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { connect, patientSettingsOf } from '@sdd/storage/postgres/connection.ts'
import { handleOver, transact } from '@sdd/storage/postgres/tx.ts'
import type { Engine } from '@sdd/storage/sql.ts'
import { addTextFunctions } from '@sdd/storage/sqlite/text-functions.ts'
import { sqliteTx } from '@sdd/storage/sqlite/tx.ts'
import { DATABASE_FILE } from '#server/database/files.ts'
import { openDatabase } from '#server/database/open.ts'
import type { Schema } from '#server/database/schema.ts'
import { databaseOf } from './engine.ts'
import { fillHotData } from './hot-data.ts'
import { NOW } from './hot-rows.ts'
import type { HotRows, HotStatement } from './hot-statement.ts'
import { HOT_STATEMENTS, readHotRows } from './hot-statements.ts'
import { openPostgresPlans, openSqlitePlans, type Plan, type Plans } from './plans.ts'
import { queueHeads } from '#server/dispatch/lanes/store.ts'

/** Enough for PostgreSQL to prefer indexes. It reads a smaller table as a whole. */
const SCALE = { ended: 20_000, in_flight: 2_000, waiting: 1_000, devices: 1_000, companies: 5 }
/** The most rows that a statement reads of a table: those of a page, and of other companies that lie between. */
const MOST_ROWS = 300

const url = await databaseOf('hot statements')
const { engine, rows, reading, writing } = url === undefined ? await onSqlite() : await onPostgres(url)
const tiny = await reading.tiny()

for (const [path, statements] of Object.entries(HOT_STATEMENTS))
  test(`${path}: each statement uses the indexes that it is meant to`, async () => {
    const faults: string[] = []
    for (const statement of statements) faults.push(...(await faultsOf(statement)))
    assert.deepEqual(faults, [])
  })

test('a statement without its index is detected', async () => {
  const found = await faultsOf({
    name: 'of a device',
    writing: true,
    async run(tx, { devices }) {
      await tx.query('drop index queue_by_device')
      await queueHeads(tx, 1, NOW).ofDevice(devices[0]!, 30)
    },
    uses: ['queue_by_device', 'messages_pkey'],
  })
  assert.match(found.join('\n'), /uses messages_pkey, queue_expiring, not messages_pkey, queue_by_device$/)
})

test('a statement that reads a whole table is detected', async () => {
  const found = await faultsOf({
    name: 'of everything',
    writing: false,
    run: (tx) =>
      tx.query(`select count(*) as count from outcomes where detail = :detail`, { detail: 'none' }),
    uses: [],
  })
  assert.match(found.join('\n'), /^of everything: reads all of outcomes/)
})

async function faultsOf(statement: HotStatement): Promise<string[]> {
  const plans = await (statement.writing ? writing : reading).of((tx) => statement.run(tx, rows))
  return faultsIn(statement, plans).map((fault) => `${statement.name}: ${fault}`)
}

function faultsIn({ uses, whole = [], reads = MOST_ROWS }: HotStatement, plans: readonly Plan[]): string[] {
  const steps = plans.flatMap((plan) => plan.steps).filter(({ table }) => !tiny.has(table))
  const all = steps.flatMap((step) => (step.whole ? [step.index ?? step.table] : []))
  const most = Math.max(0, ...steps.map((step) => step.rows ?? 0))
  const [used, meant] = [
    steps.flatMap(({ index }) => index ?? []),
    'sqlite' in uses ? uses[engine] : uses,
  ].map((names) => [...new Set(names)].sort().join(', ')) as [string, string]
  const faults = [
    ...all.filter((name) => !whole.includes(name)).map((name) => `reads all of ${name}`),
    ...(most > reads ? [`reads ${most} rows of a table`] : []),
    ...(used === meant ? [] : [`uses ${used || 'nothing'}, not ${meant}`]),
  ]
  return faults.length === 0 ? [] : [[...new Set(faults)].join('; ')]
}

type Opened = { engine: Engine; rows: HotRows; reading: Plans; writing: Plans }

async function onSqlite(): Promise<Opened> {
  const folder = mkdtempSync(join(tmpdir(), 'sdd-hot-'))
  await (await openDatabase({ folder })).close()
  const connection = new DatabaseSync(join(folder, DATABASE_FILE))
  addTextFunctions(connection)
  const tx = sqliteTx<Schema>(connection)
  connection.exec('begin')
  const data = await fillHotData(tx, SCALE)
  connection.exec('commit')
  const plans = openSqlitePlans(connection)
  after(async () => {
    await plans.close()
    rmSync(folder, { recursive: true })
  })
  return { engine: 'sqlite', rows: await readHotRows(tx, data), reading: plans, writing: plans }
}

async function onPostgres(url: string): Promise<Opened> {
  const session = await connect(patientSettingsOf(url))
  const tx = handleOver<Schema>(session)
  const data = await transact(session, tx, (tx) => fillHotData(tx, SCALE))
  const rows = await readHotRows(tx, data)
  await session.close()
  const reading = await openPostgresPlans(url, { writing: false })
  const writing = await openPostgresPlans(url, { writing: true })
  after(() => Promise.all([reading.close(), writing.close()]))
  return { engine: 'postgres', rows, reading, writing }
}
