import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { pino } from 'pino'
import { openAuditBatch } from '#server/accounts/audit/batch.ts'
import { openDatabase } from '#server/database/open.ts'
import { testClock } from './clock.ts'
import { databaseOf } from './engine.ts'

test('several servers together write ten entries per address a minute, and lose no count', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sdd-bursts-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const db = await openDatabase({ folder, url: await databaseOf(folder) })
  t.after(() => db.close())
  const clock = testClock('2026-06-10T08:00:00Z')
  const live = { changed() {}, deviceStatus() {}, refresh() {}, stop() {} }
  const log = pino({ level: 'silent' })
  const servers = [1, 2, 3].map(() => openAuditBatch({ db, clock, live, log }))
  const by = { name: null, address: '192.0.2.1' }
  const change = { company_id: null, action: 'login.failed', name: null } as const
  const noted = Array.from({ length: 300 }, (_, n) =>
    servers[n % 3]!.note(by, change, {
      kind: 'failed logins from',
      of: '192.0.2.1',
      most: 10,
      what: `name ${n % 40}`,
      rest: { by, change },
    }),
  )
  await Promise.all(noted)
  for (const server of servers) await server.stop()
  const rows = await db.read.query<{ changes: string }>('select changes from audit_log order by id')
  const times = rows.map(({ changes }) => {
    const { times } = JSON.parse(changes) as { times?: { to: number } }
    return times?.to ?? 1
  })
  assert.equal(times.length, 10)
  assert.equal(times.at(-1), 300)
})
