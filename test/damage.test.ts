import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { call } from '../packages/server/test/server.ts'
import { enter } from '../packages/server/test/seeds.ts'
import { listLogs } from '@sdd/contract/insight/log.ts'
import { readiness } from '@sdd/contract/core/system.ts'
import * as tasks from '@sdd/contract/tasks/tasks.ts'
import { newSettings, PASSWORD, runToEnd, startProcess } from './server-process.ts'

/** Overwrites the page with the text's last occurrence: the middle of a table, as a bad sector would. */
function damage(path: string, text: string): Buffer {
  const bytes = readFileSync(path)
  const page = bytes.lastIndexOf(text) & ~4095
  assert.ok(page > 0, `${text} is in the file`)
  bytes.fill(0xa5, page, page + 512)
  writeFileSync(path, bytes)
  return bytes
}

test('a damaged page is reported at the start, and stops all writing when it is found later', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'sdd-damage-'))
  t.after(() => rmSync(home, { recursive: true }))
  const settings = await newSettings(home)
  const { DATA_DIR } = settings
  const database = join(DATA_DIR, 'sms-drone-dash.db')
  const first = await startProcess(settings)
  const session = await enter(first, 'superadmin', PASSWORD)
  const many = Array.from({ length: 1_000 }, (_, n) => ({
    to_number: '600111222',
    text: `text ${n} of many`,
  }))
  const handed = await call(first, tasks.createTasks, { token: session.token, body: { tasks: many } })
  assert.equal(handed.status, 202)
  assert.equal(await first.stop(), 0)
  const whole = readFileSync(database)

  damage(database, 'text 500 of many')
  const { status, stderr } = await runToEnd(settings)
  assert.equal(status, 1)
  assert.match(stderr, new RegExp(`^DATA_DIR: .*${DATA_DIR}.*(damaged|malformed)[^\\n]+\\n$`))

  writeFileSync(database, whole)
  const server = await startProcess(settings)
  const { token } = await enter(server, 'superadmin', PASSWORD)
  const damaged = damage(database, 'text 500 of many')
  const sentence = new RegExp(`database in ${DATA_DIR} is damaged .*restore a backup`)
  const looked = await call(server, listLogs, { token, query: { limit: '1000' } })
  assert.deepEqual([looked.status, looked.body.code], [503, 'not_ready'])
  assert.match(looked.body.detail, sentence)

  const log = readFileSync(`${database}-wal`)
  const refused = await call(server, tasks.createTasks, { token, body: many[0]! })
  assert.deepEqual([refused.status, refused.body.code], [503, 'not_ready'])
  const ready = await call(server, readiness)
  assert.deepEqual([ready.status, ready.body.code], [503, 'not_ready'])
  assert.match((ready.body as { detail: string }).detail, sentence)
  const tries = () => server.output().match(/"loop":/g)?.length ?? 0
  const tried = tries()
  while (tries() < tried + 3) await wait(20) // the loops keep retrying
  assert.equal((await enter(server, 'superadmin', PASSWORD)).status, 503)
  assert.ok(damaged.equals(readFileSync(database)), 'the file is as it was')
  assert.ok(log.equals(readFileSync(`${database}-wal`)), 'and so is its log')
  const lines = server.output().split('\n')
  assert.equal(lines.filter((line) => sentence.test(line) && !line.includes('"loop"')).length, 1)
  assert.equal(await server.stop(), 0)
})
