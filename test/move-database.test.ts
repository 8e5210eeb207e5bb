import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import * as apiKeys from '@sdd/contract/accounts/api-keys.ts'
import { listLogs } from '@sdd/contract/insight/log.ts'
import { readGlobalSettings } from '@sdd/contract/accounts/settings.ts'
import { createTasks, listTasks } from '@sdd/contract/tasks/tasks.ts'
import * as users from '@sdd/contract/accounts/users.ts'
import { connect, patientSettingsOf } from '../packages/storage/src/postgres/connection.ts'
import { connectDevice, eventually, linkTestDevice } from '../packages/server/test/device.ts'
import { newDatabase, ON_SQLITE } from '../packages/server/test/engine.ts'
import { MISPLACED } from '../packages/server/test/message-tables.ts'
import { enter, enterFirst, newUser } from '../packages/server/test/seeds.ts'
import { ADMIN, call, startServer } from '../packages/server/test/server.ts'
import { runToEnd } from './server-process.ts'

const PROGRAM = 'packages/server/src/app/commands/move-database.ts'

/** A folder with some of everything, from a server that has stopped. */
async function seeded(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'sdd-move-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const server = await startServer({ folder, settings: ON_SQLITE })
  const { token } = await enter(server, ADMIN.username, ADMIN.password)
  const admin = await newUser(server, token, { role: 'admin', companyId: 7 })
  const linked = await linkTestDevice(server, admin.token, 'drone')
  const device = await connectDevice(linked)
  const { key } = (await call(server, apiKeys.createApiKey, { token: admin.token, body: { name: 'shop' } }))
    .body
  const text = 'hola, "señor" \\ {1,2} — 🙂'
  const tasks = Array.from({ length: 30 }, (_, n) => ({
    guid: `task-${n}`,
    to_number: `+3460011${n + 1000}`,
    text,
  }))
  for (const task of tasks)
    assert.equal((await call(server, createTasks, { token: key, body: task })).status, 202)
  const { guid } = (await device.until(1))[0]!
  await device.report({ guid, state: 'delivered' })
  await device.publish('inbox', { id: '1', from: '+34600999888', text: 'BAJA', at: new Date().toISOString() })
  await server.stop()
  const database = new DatabaseSync(join(folder, 'sms-drone-dash.db'))
  // More than one batch, and with a character that PostgreSQL cannot store.
  database.exec(`with recursive n(i) as (select 1 union all select i + 1 from n where i < 2500)
    insert into audit_log (company_id, at, user_id, by_name, action, subject, name, changes)
    select 7, '2026-01-01T00:00:00.000Z', 1, 'somebody', 'user.edited', 'user', 'number ' || i, '{}' from n`)
  database.exec(`update sqlite_sequence set seq = 41 where name = 'campaigns'`)
  database.prepare(`update audit_log set name = ? where id = 1`).run('nul \0 here')
  database.close()
  return { folder, admin, linked, text }
}

const moved = (folder: string, url: string) =>
  runToEnd({ DATA_DIR: folder }, { program: PROGRAM, args: ['--to', url] })

test('an installation moves to PostgreSQL completely, continues there, and cannot be started here by mistake', async (t) => {
  const { folder, admin, linked, text } = await seeded(t)
  const url = await newDatabase()
  const { status, stdout, stderr } = await moved(folder, url)
  assert.deepEqual([status, stderr], [0, ''])
  assert.match(stdout, /audit_log: 2,5\d\d rows\n/)
  assert.match(stdout, /rows of \d+ tables were copied/)
  assert.ok(!existsSync(join(folder, 'sms-drone-dash.db')))
  assert.ok(readdirSync(folder).some((name) => name.startsWith('sms-drone-dash.db.moved-')))
  await assert.rejects(startServer({ folder, settings: ON_SQLITE }), /DATA_DIR.*missing/)

  const server = await startServer({ folder, settings: { DATABASE_URL: url } })
  t.after(() => server.stop())
  const { token } = await enter(server, admin.name)
  const log = (await call(server, listLogs, { token })).body.logs
  assert.equal(log.length, 30)
  assert.ok(log.every(({ message }) => message === text))
  assert.equal(log.filter(({ state }) => state === 'delivered').length, 1)
  const look = await connect(patientSettingsOf(url))
  const last = await look.send(`select last_value::int as id from campaigns_id_seq`)
  assert.deepEqual(last.rows, [{ id: 41 }], 'the id of a removed campaign is not used again')
  const { rows } = await look.send(`select months.number, began_at = '-infinity' as mixed,
    (select count(*) from messages where id / 10000000000 = months.number) as messages,
    (select last_value / 10000000000 = months.number from messages_ids) as current
    from months where began_at is not null order by number`)
  for (const [what, query] of Object.entries(MISPLACED))
    assert.deepEqual((await look.send(query)).rows, [], what)
  await look.close()
  assert.deepEqual(rows, [
    { number: 0, mixed: true, messages: 30, current: false },
    { number: 1, mixed: false, messages: 0, current: true },
  ])
  // Waiting messages go out, and new rows get new ids.
  const device = await connectDevice({ ...linked, mqtt_url: server.mqtt_url })
  await device.until(10)
  const other = await newUser(server, token)
  assert.ok(other.id > admin.id)
  assert.equal((await call(server, users.listUsers, { token })).body.users.length, 2)
  const waiting = await call(server, listTasks, { token, query: { status: 'received' } })
  assert.ok(waiting.body.tasks.length > 0)
})

test('nothing is moved while the server runs, into a database with any content, or without a database', async (t) => {
  const { folder } = await seeded(t)
  const url = await newDatabase()
  const running = await startServer({ folder, settings: ON_SQLITE })
  const busy = await moved(folder, url)
  await running.stop()
  assert.equal(busy.status, 1)
  assert.match(busy.stderr, /in use by another server/)
  const unreachable = await moved(folder, 'postgres://me:a-secret@127.0.0.1:9/sdd')
  assert.equal(unreachable.status, 1)
  assert.match(unreachable.stderr, /ECONNREFUSED/)
  assert.doesNotMatch(unreachable.stderr, /a-secret/)

  assert.equal((await moved(folder, url)).status, 0)
  const again = await moved(folder, url)
  assert.deepEqual(
    [again.status, /does not exist: there is nothing to move/.test(again.stderr)],
    [1, true],
    again.stderr,
  )
  const other = await seeded(t)
  const full = await moved(other.folder, url)
  assert.equal(full.status, 1)
  assert.match(full.stderr, /not empty.*nothing was copied/)
  assert.ok(existsSync(join(other.folder, 'sms-drone-dash.db')), 'unmoved data stays in place')
})

test('a move that is killed leaves the new database empty and the old one unchanged', async (t) => {
  const { folder } = await seeded(t)
  const url = await newDatabase()
  const other = await connect(patientSettingsOf(url))
  const watch = await connect(patientSettingsOf(url))
  t.after(() => Promise.all([other.close(), watch.close()]))
  // It blocks at its first table until this transaction ends.
  await other.send('begin')
  await other.send('create table companies (id bigint)')
  const mover = spawn(process.execPath, [join(import.meta.dirname, '..', PROGRAM), '--to', url], {
    env: { PATH: process.env['PATH'], DATA_DIR: folder },
    stdio: 'ignore',
  })
  await eventually(async () => {
    const { rows } = await watch.send(`select 1 from pg_stat_activity where wait_event_type = 'Lock'`)
    return rows.length > 0
  }, 30_000)
  mover.kill('SIGKILL')
  await once(mover, 'exit')
  await other.send('rollback')

  const { status, stderr } = await moved(folder, url)
  assert.deepEqual([status, stderr], [0, ''])
})

test('a row that cannot be copied exactly stops the move, and nothing of it remains', async (t) => {
  const { folder } = await seeded(t)
  const url = await newDatabase()
  const set = (value: string) => {
    const database = new DatabaseSync(join(folder, 'sms-drone-dash.db'))
    database.exec(`update capacity set sent_parts = ${value}`)
    database.close()
  }
  set('1.5')
  const stopped = await moved(folder, url)
  assert.deepEqual([stopped.status, /1\.5/.test(stopped.stderr)], [1, true], stopped.stderr)
  set('1')
  assert.equal((await moved(folder, url)).status, 0)
})

test('PostgreSQL’s own tools make its backups, and a restored one is held back', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sdd-held-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const settings = { DATABASE_URL: await newDatabase() }
  const server = await startServer({ folder, settings })
  const { token } = await enter(server, ADMIN.username, ADMIN.password)
  await newUser(server, token, { role: 'admin', companyId: 2 })
  const run = (program: string, ...args: string[]) =>
    runToEnd(
      { DATA_DIR: folder, ...settings },
      { program: `packages/server/src/app/commands/${program}.ts`, args },
    )

  const backup = await run('backup')
  assert.deepEqual([backup.status, /pg_dump .*'URL'/.test(backup.stderr)], [1, true])
  const restore = await run('restore')
  assert.deepEqual([restore.status, /pg_restore .*'URL'/.test(restore.stderr)], [1, true])
  const early = await run('restore', '--hold-back')
  assert.deepEqual([early.status, /in use by a server/.test(early.stderr)], [1, true], early.stderr)
  await server.stop()
  assert.ok(!existsSync(join(folder, 'backups')))

  const { status, stdout } = await run('restore', '--hold-back')
  assert.deepEqual([status, /Sending is off in all 2 companies/.test(stdout)], [0, true])
  const again = await startServer({ folder, settings })
  t.after(() => again.stop())
  assert.equal((await call(again, users.listUsers, { token })).status, 401)
  const fresh = await enterFirst(again, ADMIN.username, ADMIN.password, 'after the restore')
  const { body } = await call(again, readGlobalSettings, { token: fresh.token })
  assert.deepEqual(
    body.settings.map(({ send_enabled }) => send_enabled),
    [false, false],
  )
})
