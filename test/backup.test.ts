import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { createApiKey } from '@sdd/contract/accounts/api-keys.ts'
import { listDevices } from '@sdd/contract/fleet/devices.ts'
import { ROOT } from '../scripts/run.ts'
import { listBackups } from '../packages/storage/src/sqlite/backup.ts'
import { ALL_ATTEMPTS, MISPLACED } from '../packages/server/test/message-tables.ts'
import { enter, newUser } from '../packages/server/test/seeds.ts'
import { call } from '../packages/server/test/server.ts'
import { startInstallation } from './installation.ts'
import { newSettings, PASSWORD, runToEnd, startProcess } from './server-process.ts'

const BACKUP = 'packages/server/src/app/commands/backup.ts'
const RESTORE = 'packages/server/src/app/commands/restore.ts'

function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'sdd-backup-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

type Log = { guid: string; message: string; state: string; waiting_for: string | null }

test('a backup made under load is complete, and a server started on it has everything acknowledged before', async (t) => {
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
  const { token } = await enter(installation, 'superadmin', PASSWORD)
  const made = await runToEnd({ DATA_DIR: data_dir }, { program: BACKUP, args: [join(folder, 'copies')] })
  const during = acknowledged.length - before.length
  going = false
  await Promise.all(traffic)
  assert.equal(made.status, 0, made.stderr)
  assert.ok(during > 0, 'other requests were answered meanwhile')

  const [path] = listBackups(join(folder, 'copies'))
  assert.ok(made.stdout.startsWith(`${path}: `), made.stdout)
  assert.equal(statSync(path!).mode & 0o777, 0o600)
  assertOfOneMoment(path!)
  const settings = await newSettings(folder)
  const restored = await runToEnd(settings, { program: RESTORE, args: [path!, '--keep-access'] })
  assert.equal(restored.status, 0, restored.stderr)
  assert.match(restored.stdout, /Sending is off in its company/)
  const server = await startProcess(settings)
  t.after(() => server.stop())
  assert.equal((await call(server, listDevices, { token })).status, 401, 'sessions have ended')
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
    'the backup has everything acknowledged before it began',
  )
  const { body } = await api<{ settings: { send_enabled: boolean }[] }>('/api/global-settings')
  assert.deepEqual(
    body.settings.map(({ send_enabled }) => send_enabled),
    [false],
  )
})

/** A message is written in one transaction with its counter, device and attempt, so a copy has all of them or none. */
function assertOfOneMoment(path: string): void {
  const db = new DatabaseSync(path, { readOnly: true })
  const number = (sql: string) => Number((db.prepare(sql).get() as { n: number }).n)
  const messages = number('select count(*) as n from messages')
  assert.ok(messages >= 100)
  assert.equal(number(`select sum(count) as n from counters where figure = 'state'`), messages)
  assert.equal(
    number('select sum(unfinished) as n from capacity'),
    number(`select count(*) as n from ${ALL_ATTEMPTS} where finished_at is null`),
  )
  for (const [what, query] of Object.entries(MISPLACED)) assert.deepEqual(db.prepare(query).all(), [], what)
  assert.equal(number('select count(*) as n from pragma_foreign_key_check'), 0)
  db.close()
}

test('a backup by hand removes no older one unless BACKUPS_KEPT is set', async (t) => {
  const folder = temporaryFolder(t)
  const { DATA_DIR, ...others } = await newSettings(folder)
  await (await startProcess({ ...others, DATA_DIR })).stop()
  const to = join(DATA_DIR, 'backups')
  const backUp = async (now: string, more: Record<string, string> = {}) => {
    const { status, stderr } = await runToEnd(
      { DATA_DIR, ...more },
      { program: BACKUP, args: ['--now', now] },
    )
    assert.equal(status, 0, stderr)
    return listBackups(to).length
  }
  // One more than the server keeps by default.
  for (let day = 1; day <= 8; day++) assert.equal(await backUp(`2026-06-0${day}T08:00:00Z`), day)
  assert.equal(await backUp('2026-06-09T08:00:00Z', { BACKUPS_KEPT: '2' }), 2)
})

test('a backup and a restored folder are for their owner only, whatever the umask', async (t) => {
  const folder = temporaryFolder(t)
  const settings = await newSettings(folder)
  await (await startProcess(settings)).stop()
  const before = process.umask(0)
  t.after(() => process.umask(before))
  const to = join(folder, 'copies')
  assert.equal((await runToEnd(settings, { program: BACKUP, args: [to] })).status, 0)
  const [path] = listBackups(to)
  chmodSync(path!, 0o644)
  const { DATA_DIR, ...others } = await newSettings(folder)
  const restored = await runToEnd({ ...others, DATA_DIR }, { program: RESTORE, args: [path!] })
  assert.equal(restored.status, 0, restored.stderr)
  const modes = readdirSync(DATA_DIR).map((name) => [name, statSync(join(DATA_DIR, name)).mode & 0o777])
  assert.deepEqual(modes, [
    ['server.lock', 0o600],
    ['sms-drone-dash.db', 0o600],
  ])
})

test('a restore lists users to enable again and keys to replace, and --keep-access says that it kept them', async (t) => {
  const folder = temporaryFolder(t)
  const settings = await newSettings(folder)
  const server = await startProcess(settings)
  const { token } = await enter(server, 'superadmin', PASSWORD)
  await newUser(server, token, { name: 'Añna', role: 'admin', companyId: 2 })
  await call(server, createApiKey, { token, body: { name: 'shop', may: ['tasks:read'] } })
  await server.stop()
  const to = join(folder, 'copies')
  assert.equal((await runToEnd(settings, { program: BACKUP, args: [to] })).status, 0)
  const restore = async (...options: string[]) => {
    const args = [...listBackups(to), ...options]
    return (await runToEnd(await newSettings(folder), { program: RESTORE, args })).stdout
  }
  const taken = await restore()
  assert.match(taken, /all API keys are revoked/)
  assert.match(taken, /Every user except the superadmins is disabled/)
  assert.match(taken, /Everybody has to set a new password/)
  const names = /superadmin \(superadmin, company 1\)\n {2}Añna \(admin, company 2\)\n/
  assert.match(taken, names)
  assert.match(taken, /API keys that were there:\n {2}shop \(company 1\)\n/)
  const kept = await restore('--keep-access')
  assert.match(kept, /API keys, users and passwords are as they were/)
  assert.match(kept, names)
  assert.doesNotMatch(kept, /revoked|disabled|new password/)
})

test('a program of the server prints its help whatever its settings are, and restore names its options', async () => {
  for (const program of [BACKUP, RESTORE]) {
    const { status, stdout, stderr } = await runToEnd(
      { DATABASE_URL: 'wrong' },
      { program, args: ['--help'] },
    )
    assert.deepEqual([status, stderr], [0, ''])
    if (program === RESTORE) assert.match(stdout, /--hold-back.*--keep-access/s)
  }
})

test('a restore with --hold-back that cannot be carried out says why', async (t) => {
  const DATA_DIR = temporaryFolder(t)
  const restore = async (args: string[], settings: Record<string, string> = {}) => {
    const { status, stderr } = await runToEnd({ DATA_DIR, ...settings }, { program: RESTORE, args })
    assert.equal(status, 1)
    return stderr
  }
  assert.equal(
    await restore(['--hold-back']),
    'DATABASE_URL is not set: --hold-back is for a database in PostgreSQL\n',
  )
  const refusals = /^[^\n]*ECONNREFUSED 127\.0\.0\.1:9; [^\n]*ECONNREFUSED 127\.0\.0\.2:9\n$/
  const several = { DATABASE_URL: 'postgres://me:a-secret@127.0.0.1:9,127.0.0.2:9/sdd' }
  assert.match(await restore(['--hold-back'], several), refusals)
  const twoAddresses = `import dns from 'node:dns'
    const addresses = [1, 2].map((n) => ({ address: '127.0.0.' + n, family: 4 }))
    dns.lookup = (name, options, done) => done(null, addresses)`
  const name = {
    DATABASE_URL: 'postgres://me:a-secret@db.example:9/sdd',
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(twoAddresses)}`,
  }
  assert.match(await restore(['--hold-back'], name), refusals)
  assert.match(await restore(['sdd.dump', '--hold-back'], several), /pg_restore/)
})

test('a program of the server names others as it was called, and PostgreSQL’s URL by its setting', async (t) => {
  const run = async (program: string, called: Record<string, string>) => {
    const settings = { DATA_DIR: temporaryFolder(t), DATABASE_URL: 'postgres://host/sdd', ...called }
    const { status, stderr } = await runToEnd(settings, { program, cwd: ROOT })
    assert.equal(status, 1)
    assert.doesNotMatch(stderr, /\$|docs\//)
    assert.match(stderr, /the value of DATABASE_URL/)
    return stderr
  }
  const asPackage = { SDD_COMMAND: 'sudo sms-drone-dash' }
  assert.match(await run(RESTORE, asPackage), /^ {2}sudo sms-drone-dash restore --hold-back$/m)
  assert.match(await run(BACKUP, asPackage), / sudo sms-drone-dash restore says how to restore one/)
  const byNpm = { npm_lifecycle_event: 'restore' }
  assert.match(await run(RESTORE, byNpm), /^ {2}npm run restore -- --hold-back$/m)
  assert.match(await run(RESTORE, {}), new RegExp(`^ {2}\\S*node ${RESTORE} --hold-back$`, 'm'))
})

test('if the disk fills up during a backup or a restore, it leaves nothing behind and says so', async (t) => {
  const folder = temporaryFolder(t)
  const settings = await newSettings(folder)
  const server = await startProcess(settings)
  assert.equal(await server.stop(), 0)
  const to = join(folder, 'copies')
  const full = await runToEnd(settings, { program: BACKUP, args: [to], most_file_kb: 64 })
  assert.equal(full.status, 1)
  assert.match(full.stderr, /^[^\n]*(full|I\/O error)[^\n]*\n$/)
  assert.deepEqual(readdirSync(to), [])

  assert.equal((await runToEnd(settings, { program: BACKUP, args: [to] })).status, 0)
  const { DATA_DIR, ...others } = await newSettings(folder)
  const given = { program: RESTORE, args: listBackups(to), most_file_kb: 64 }
  const cut = await runToEnd({ ...others, DATA_DIR }, given)
  assert.equal(cut.status, 1)
  assert.match(cut.stderr, /^[^\n]*(EFBIG|full|I\/O error)[^\n]*\n$/)
  assert.deepEqual(readdirSync(DATA_DIR), ['server.lock'])
})
