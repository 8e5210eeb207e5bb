import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { messagesByGuids } from '#server/messages/messages/reported.store.ts'
import { openKeptMessages } from '#server/messages/messages/kept-messages.ts'
import { eventually } from '#test/device.ts'
import { manyEnded } from '#test/message-tables.ts'
import { type Begun, START, turn, withCompanies } from '#test/months.ts'
import { analyzeYoung } from './analyzing.ts'

test('a month’s tables are analyzed as soon as they have rows, and again while they are small and grow', async (t) => {
  const begun = await withCompanies(t)
  await store(begun, 100)
  for (const table of TABLES) await eventually(async () => (await counted(begun, table)) === 100, 20_000)
  await store(begun, 1_000)
  for (const table of TABLES) await eventually(async () => (await counted(begun, table)) === 1_100, 20_000)
  await store(begun, 1_000)
  assert.deepEqual(await analyzeYoung(begun.db), [])
})

test('a statement that was planned for an empty month finds a guid by its index once there are messages', async (t) => {
  const begun = await withCompanies(t)
  const { db } = begun
  await turn(begun, '2026-07-01T00:00:00.000Z')
  await db.write((tx) => messagesByGuids(tx, [[1, 'one']], openKeptMessages()))
  await store(begun, 500)
  // The count of rows is visible before the commit of the analysis, the statistics are not.
  for (const table of ['messages_1', 'outcomes_1'])
    await eventually(async () => (await statisticsOf(begun, table)) > 0, 20_000)
  const plan = await db.write(async (tx) => {
    const [prepared] = await tx.query<{ name: string }>(`select name from pg_prepared_statements
      where statement like '%messages cross join outcomes%(messages.company_id, guid) in %recent_messages()%'`)
    const lines = await tx.query<object>(`explain execute ${prepared!.name}(array[1], array['one'])`)
    return lines.map((line) => Object.values(line).join()).join('\n')
  })
  assert.deepEqual(plan.match(/messages_1_\w+/g), ['messages_1_by_guid'], plan)
  assert.deepEqual(plan.match(/outcomes_1_\w+/g), ['outcomes_1_pkey'], plan)
})

const TABLES = ['messages_0', 'outcomes_0', 'attempts_0']

function store({ db }: Begun, rows: number) {
  const guid = randomUUID()
  return db.write(async (tx) => {
    await tx.query(manyEnded(rows, { company_id: 1, guid, at: START }))
    await tx.query(`insert into attempts (message_id, attempt, device_id, parts, day, given_at, state)
      select id, 1, 1, 1, '2026-06-10', '${START}', 'failed' from messages where guid like '${guid}%'`)
  })
}

async function counted({ run }: Begun, table: string): Promise<number> {
  const rows = await run<{ count: number }>(
    `select reltuples as count from pg_class where oid = '${table}'::regclass`,
  )
  return rows[0]!.count
}

async function statisticsOf({ run }: Begun, table: string): Promise<number> {
  const rows = await run<{ count: number }>(
    `select count(*) as count from pg_stats where tablename = '${table}'`,
  )
  return Number(rows[0]!.count)
}
