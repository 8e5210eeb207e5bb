import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { clockStore } from '#server/app/clock/store.ts'
import { DATABASE_FILE } from '#server/database/files.ts'
import { openDatabase } from '#server/database/open.ts'
import type { Schema, Tx } from '#server/database/schema.ts'
import { sqliteTx } from '@sdd/storage/sqlite/tx.ts'
import { taskStore } from '#server/tasks/store.ts'
import { logStore } from '#server/insight/log/store.ts'
import { messageStore } from './store.ts'

const AT = '2026-06-01T08:00:00.000Z'
const OURS = { company_id: 1 }
const folder = mkdtempSync(join(tmpdir(), 'sdd-finding-'))
await (await openDatabase({ folder })).close()
const connection = new DatabaseSync(join(folder, DATABASE_FILE))
after(() => {
  connection.close()
  rmSync(folder, { recursive: true })
})

test('the message that an SMS answers is found by its number, however much the company sent since then', async () => {
  const plan = await planOf((tx) => messageStore(tx, OURS).sentTo(1, '600000001', AT))
  assert.match(plan, /USING INDEX messages_by_number/)
})

test('a guid is found by itself in all companies', async () => {
  const by_guid = /SEARCH .*messages_by_guid .*guid=/
  assert.match(await planOf((tx) => messageStore(tx, 'all').byGuid('a')), by_guid)
  assert.match(await planOf((tx) => taskStore(tx, 'all').byGuid('a')), by_guid)
  const beginning = await planOf((tx) => logStore(tx, 'all').idsByGuid('a', 'b', 9))
  assert.match(beginning, /SEARCH .*messages_by_guid .*guid>/)
})

test('messages to a number, and that of a guid, are found in the log by it, however many others there are', async () => {
  for (const scope of [OURS, 'all'] as const) {
    const by_number = /SEARCH messages USING INDEX messages_by_number \(company_id=\? AND <expr>=\?/
    const by_guid = /SEARCH messages USING (COVERING )?INDEX messages_by_guid \(company_id=\? AND guid=\?/
    for (const [named, by] of [
      [{ number: '34600000001' }, by_number],
      [{ guids: ['a', 'b'] }, by_guid],
    ] as const) {
      assert.match(await planOf((tx) => logStore(tx, scope).has(named)), by)
      assert.match(await planOf((tx) => logStore(tx, scope).slice({ named }, { below: 9 }, 9)), by)
    }
  }
})

test('what is queued is found in the log without a look at what has ended', async () => {
  const plan = await planOf((tx) => logStore(tx, OURS).slice({ state: 'queued' }, { below: 9 }, 9))
  assert.match(plan, /^SEARCH messages USING INDEX messages_unfinished \(step=.*id<\?\)$/)
})

test('a part of the log costs no more than the part, whatever is looked for in it', async () => {
  for (const state of [undefined, 'queued', 'sent'] as const)
    for (const more of [{ from: AT }, { to: AT }, { search: 'abc' }]) {
      const plan = await planOf((tx) =>
        logStore(tx, OURS).slice({ state, ...more }, { from: 2, below: 9 }, 9),
      )
      assert.match(plan, /^SEARCH .*id[<>]\?\)$/)
    }
})

test('a clock that is set back moves what waits without a look at what has ended', async () => {
  for (const moved of ['due', 'retries', 'sticky'] as const)
    assert.doesNotMatch(await planOf((tx) => clockStore(tx)[moved](AT)), /SCAN/)
})

/** How SQLite plans the statements that this runs. */
async function planOf(ask: (tx: Tx) => Promise<unknown>): Promise<string> {
  const texts: string[] = []
  const recording = {
    prepare(text: string) {
      texts.push(text)
      return connection.prepare(text)
    },
  } as DatabaseSync
  await ask(sqliteTx<Schema>(recording))
  return texts
    .flatMap((text) => connection.prepare(`explain query plan ${text}`).all())
    .map(({ detail }) => String(detail))
    .join('; ')
}
