import assert from 'node:assert/strict'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import {
  listBackups,
  makeBackup,
  removeOldBackups,
  restoreBackup,
} from '../packages/server/src/database/backup.ts'
import { startInstallation } from './installation.ts'
import { newSettings, runToEnd, startProcess } from './server-process.ts'

const BACKUP = 'packages/server/src/backup.ts'
const RESTORE = 'packages/server/src/restore.ts'

function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'sdd-backup-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

type Log = { guid: string; message: string; state: string; waiting_for: string | null }

test('a backup made under load is whole, and a server started on it has what was acknowledged before', async (t) => {
  const installation = await startInstallation({ devices: 3, behaviour: { send_ms: [1, 5] } })
  t.after(() => installation.stop())
  const folder = temporaryFolder(t)
  const acknowledged: string[] = []
  let going = true
  const traffic = Array.from({ length: 4 }, async (_, n) => {
    while (going) {
      const { status, body } = await installation.api<{ guid: string }>('/api/external-tasks', {
        to_number: '600111222',
        text: `load ${n}`,
      })
      if (status === 202) acknowledged.push(body.guid)
    }
  })
  while (acknowledged.length < 100) await new Promise((resolve) => setTimeout(resolve, 20))
  const before = acknowledged.slice()
  const { data_dir } = installation
  const made = await runToEnd({ DATA_DIR: data_dir }, { program: BACKUP, args: [join(folder, 'copies')] })
  const during = acknowledged.length - before.length
  going = false
  await Promise.all(traffic)
  assert.equal(made.status, 0, made.stderr)
  assert.ok(during > 0, 'others were answered meanwhile')

  const [path] = listBackups(join(folder, 'copies'))
  assert.ok(made.stdout.startsWith(`${path}: `), made.stdout)
  assert.equal(statSync(path!).mode & 0o777, 0o600)
  const settings = await newSettings(folder)
  const restored = await runToEnd(settings, { program: RESTORE, args: [path!] })
  assert.equal(restored.status, 0, restored.stderr)
  assert.match(restored.stdout, /Sending is off in its company/)
  const server = await startProcess(settings)
  t.after(() => server.stop())
  const { api } = await installation.as(server.url)
  const guids = new Set<string>()
  for (let cursor: string | null = ''; cursor !== null;) {
    const more: string = cursor && `&cursor=${cursor}`
    const { body } = await api<{ logs: Log[]; next_cursor: string | null }>(
      `/api/logs/devices?limit=1000${more}`,
    )
    for (const { guid } of body.logs) guids.add(guid)
    cursor = body.next_cursor
  }
  assert.deepEqual(
    before.filter((guid) => !guids.has(guid)),
    [],
    'all that was acknowledged before the backup began is in it',
  )
  const { body } = await api<{ settings: { send_enabled: boolean }[] }>('/api/global-settings')
  assert.deepEqual(
    body.settings.map(({ send_enabled }) => send_enabled),
    [false],
  )
})

test('a restore leaves what is there alone, and takes nothing that is not whole', (t) => {
  const folder = temporaryFolder(t)
  const [source, target, other] = ['source', 'target', 'other'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  for (const path of [source, target, other]) mkdirSync(path)
  const db = new DatabaseSync(join(source, 'sms-drone-dash.db'))
  db.exec(`create table schema_migrations (name text, applied_at text);
    create table sessions (id integer); insert into sessions values (1);
    create table settings (send_enabled integer, send_enabled_at text); insert into settings values (1, '');
    create table messages (step text); insert into messages values ('waiting'), ('given'), ('finished');`)
  db.close()
  const now = new Date('2026-06-01T10:00:00.000Z')
  const { path } = makeBackup({ folder: source, to: join(folder, 'backups'), now })
  assert.match(path, /20260601T100000Z\.db$/)

  writeFileSync(join(target, 'installation.json'), '{}')
  assert.throws(
    () => restoreBackup({ path, folder: target, now }),
    /installation.json exists: restore into an empty/,
  )
  assert.deepEqual(readdirSync(target), ['installation.json'])

  const half = join(folder, 'half.db')
  copyFileSync(path, half)
  const bytes = new Uint8Array(8_192)
  writeFileSync(half, bytes)
  assert.throws(
    () => restoreBackup({ path: half, folder: other, now }),
    /half.db is no backup of this program/,
  )
  assert.deepEqual(readdirSync(other), [], 'nothing of it is left')

  assert.deepEqual(restoreBackup({ path, folder: other, now }), { waiting: 2, companies: 1 })
  const restored = new DatabaseSync(join(other, 'sms-drone-dash.db'))
  assert.deepEqual({ ...restored.prepare('select count(*) as n from sessions').get() }, { n: 0 })
  assert.deepEqual({ ...restored.prepare('select send_enabled from settings').get() }, { send_enabled: 0 })
  restored.close()
})

test('as many backups are kept as were asked for, and all that were made before a migration', (t) => {
  const folder = temporaryFolder(t)
  for (const day of ['01', '02', '03', '04']) writeFileSync(join(folder, `202606${day}T100000Z.db`), '')
  writeFileSync(join(folder, '20260101T100000Z-before-0002-tasks.db'), '')
  writeFileSync(join(folder, 'notes.txt'), '')
  assert.equal(removeOldBackups(folder, 2).length, 2)
  assert.deepEqual(readdirSync(folder).sort(), [
    '20260101T100000Z-before-0002-tasks.db',
    '20260603T100000Z.db',
    '20260604T100000Z.db',
    'notes.txt',
  ])
})

test('a database is copied before its shape changes', async (t) => {
  const folder = temporaryFolder(t)
  const settings = await newSettings(folder)
  const server = await startProcess(settings)
  assert.equal(await server.stop(), 0)
  const db = new DatabaseSync(join(settings.DATA_DIR, 'sms-drone-dash.db'))
  // As the version before left it, as far as the names go; what it then runs finds its tables there already.
  db.exec(`delete from schema_migrations where name = '0002-tasks'`)
  db.close()
  const { status, stderr } = await runToEnd(settings)
  assert.equal(status, 1)
  assert.match(stderr, /^DATA_DIR: /)
  const [kept, ...more] = readdirSync(join(settings.DATA_DIR, 'backups'))
  assert.match(kept ?? '', /^\d{8}T\d{6}Z-before-0002-tasks\.db$/)
  assert.deepEqual(more, [])
  const copy = new DatabaseSync(join(settings.DATA_DIR, 'backups', kept!), { readOnly: true })
  assert.deepEqual(
    copy
      .prepare('select name from schema_migrations')
      .all()
      .map((row) => row.name),
    ['0001-first'],
  )
  copy.close()
  assert.ok(existsSync(join(settings.DATA_DIR, 'sms-drone-dash.db')))
})
