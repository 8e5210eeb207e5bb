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
import { addTextFunctions } from '@sdd/storage/sqlite/text-functions.ts'
import { sqliteTx } from '@sdd/storage/sqlite/tx.ts'
import { taskStore } from '#server/tasks/store.ts'
import { logStore } from '#server/insight/log/store.ts'
import { messageStore } from './store.ts'

const AT = '2026-06-01T08:00:00.000Z'
const OURS = { company_id: 1 }
const folder = mkdtempSync(join(tmpdir(), 'sdd-finding-'))
await (await openDatabase({ folder })).close()
const connection = new DatabaseSync(join(folder, DATABASE_FILE))
addTextFunctions(connection)
after(() => {
  connection.close()
  rmSync(folder, { recursive: true })
})

test('the message that an SMS replies to is found by its number, however many the company has sent since', async () => {
  const plan = await planOf((tx) => messageStore(tx, OURS).sentTo(1, '600000001', AT))
  assert.match(
    plan,
    /SEARCH messages USING COVERING INDEX messages_by_number \(company_id=\? AND message_to=\?/,
  )
})

test('a guid is looked up by the index in all companies', async () => {
  const by_guid = /SEARCH .*messages_by_guid .*guid=/
  assert.match(await planOf((tx) => messageStore(tx, 'all').byGuid('a')), by_guid)
  assert.match(await planOf((tx) => taskStore(tx, 'all').byGuid('a')), by_guid)
  const beginning = await planOf((tx) => logStore(tx, 'all').idsByGuid('a', 'b', 9))
  assert.match(beginning, /SEARCH .*messages_by_guid .*guid>/)
})

test('the log looks numbers and guids up by their index, however many other messages there are', async () => {
  for (const scope of [OURS, 'all'] as const) {
    const by_number =
      /SEARCH messages USING (COVERING )?INDEX messages_by_number \(company_id=\? AND message_to=\?/
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

test('the log finds queued messages without reading finished ones', async () => {
  const plan = await planOf((tx) => logStore(tx, OURS).slice({ states: ['queued'] }, { below: 9 }, 9))
  assert.match(plan, /^SEARCH queue .*rowid<\?\);.* SEARCH in_flight .*rowid<\?\);/)
  assert.doesNotMatch(plan, /SCAN|outcomes/)
})

test('a search in a part of the log reads no more than that part', async () => {
  for (const state of [undefined, 'queued', 'sent'] as const)
    for (const more of [{ from: AT }, { to: AT }, { search: 'abc' }]) {
      const plan = await planOf((tx) =>
        logStore(tx, OURS).slice({ states: state && [state], ...more }, { from: 2, below: 9 }, 9),
      )
      for (const step of plan.split('; '))
        assert.match(step, /^SEARCH .*(id>\? AND (row)?id<\?\)$|\(rowid=\?\))/)
    }
})

test('setting the clock back moves waiting messages without reading finished ones', async () => {
  for (const moved of ['due', 'retries', 'sticky'] as const)
    assert.doesNotMatch(await planOf((tx) => clockStore(tx)[moved](AT)), /SCAN (?!queue)|outcomes/)
})

/** SQLite's plans of the statements that this runs. */
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
