import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCompany } from '#server/accounts/companies/companies.ts'
import { instant, systemClock } from '#server/core/clock.ts'
import { type Database, openDatabase } from '#server/database/open.ts'
import { preparedDatabase, runIn } from '#test/engine.ts'
import { removeOld } from './retention.ts'

const DAY_MS = 86_400_000
const OLD = 300
const YOUNG = 50

test('two servers that both believe they lead remove each outdated row once, and nothing else', async (t) => {
  const url = await preparedDatabase()
  const servers = await Promise.all([1, 2].map(() => openDatabase({ url, folder: '' })))
  t.after(() => Promise.all(servers.map((db) => db.close())))
  const [db] = servers as [Database, Database]
  const clock = systemClock('Europe/Madrid')
  const company_id = await db.write((tx) => createCompany(tx, 'Shop', instant(clock.now())))
  const rows = (table: string, columns: string, values: string, at: string, count: number) =>
    runIn(
      url,
      `insert into ${table} (${columns}) select ${values}, '${at}' from generate_series(1, ${count}) as n`,
    )
  for (const [age, count] of [
    [800, OLD],
    [1, YOUNG],
  ] as const) {
    const at = instant(clock.now() - age * DAY_MS)
    await rows(
      'callbacks',
      'company_id, webhook_id, type, guid, url, body, host, state, created_at',
      `${company_id}, 'msg-${age}-' || n, 'task.sent', '', '', '', '', 'delivered'`,
      at,
      count,
    )
    await rows(
      'audit_log',
      'company_id, user_id, by_name, action, subject, name, changes, at',
      `${company_id}, 1, '', '', '', '', '{}'`,
      at,
      count,
    )
  }
  const removed = await Promise.all(
    servers.map(async (its) => {
      let all = 0
      for (let idle = 0; idle < 5;) {
        const some = await removeOld({ db: its, clock }, company_id)
        all += some
        // A row that the other server has locked now is skipped, so look for it again.
        idle = some === 0 ? idle + 1 : 0
      }
      return all
    }),
  )
  assert.equal(removed[0]! + removed[1]!, 2 * OLD)
  t.diagnostic(removed.join(' and '))
  for (const table of ['callbacks', 'audit_log'] as const) {
    const left = await db.read.query(`select id from ${table}`)
    assert.equal(left.length, YOUNG, table)
  }
})
