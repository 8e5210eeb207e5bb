import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, test, type TestContext } from 'node:test'
import { listBefore } from '../packages/storage/src/sqlite/backup.ts'
import { migrations } from '../packages/server/src/database/migrations.ts'
import { openDatabase } from '../packages/server/src/database/open.ts'
import { manyEnded } from '../packages/server/test/message-tables.ts'
import { LATER } from './later-version.ts'
import { afterEachStatement } from './preload/statements.ts'

/**
 * With EVERY_POINT every statement is tried (`EVERY_POINT=1 npm test -- migration-kill`); otherwise a few, different in
 * each run.
 */
const STRIDE = process.env.EVERY_POINT ? 1 : 9
const KILLS = process.env.EVERY_POINT ? Infinity : 6
const PRELOAD = join(import.meta.dirname, 'preload/statements.ts')
const OPEN = import.meta.resolve('../packages/server/src/database/open.ts')
const FILE = 'sms-drone-dash.db'
const LATER_MODULE = import.meta.resolve('./later-version.ts')

const home = mkdtempSync(join(tmpdir(), 'sdd-migration-'))
/** A data folder of this version, and the result of an undisturbed start. */
const old = join(home, 'old')
let expected: Shape
after(() => rmSync(home, { recursive: true }))

before(async () => {
  await (await openDatabase({ folder: old })).close()
  const connection = new DatabaseSync(join(old, FILE))
  connection.exec('pragma foreign_keys = on')
  connection.exec(`
    insert into companies values (1, 'one', '');
    insert into users (id, "companyId", name, name_key, email, email_key, role, enabled, password_hash, created_at)
      values (1, 1, 'ana', 'ana', 'a@example.org', 'a@example.org', 'superadmin', 1, '', '');
    insert into sessions (user_id, token_hash, created_at, expires_at) values (1, 'hash', '2026-01-01', '2027-01-01');
    insert into settings (company_id, spoof_time_secs, send_enabled, send_enabled_at) values (1, 40, 1, '');
    insert into devices (id, company_id, uid, secret_hash, created_at, enabled, enabled_at, max_sms_dayly, status, status_at)
      values (1, 1, 'drone', '', '', 1, '', 100, 'disconnected', '')`)
  connection.exec(
    manyEnded(300, { company_id: 1, guid: 'guid ', message: 'text '.repeat(40), at: '2026-01-01' }),
  )
  connection.close()
  const whole = copyOfOld('whole')
  await startOn(whole)
  expected = shapeOf(join(whole, FILE))
  assert.ok(expected.tables.length > 15 && expected.messages === 300 && expected.outcomes === 300)
})

type Shape = { applied: string[]; tables: string[]; messages: number; outcomes: number }

function shapeOf(path: string): Shape {
  const db = new DatabaseSync(path, { readOnly: true })
  const strings = (sql: string) =>
    db
      .prepare(sql)
      .all()
      .map((row) => String(Object.values(row)[0]))
  const shape = {
    applied: strings('select name from schema_migrations order by name'),
    tables: strings('select sql from sqlite_schema where sql is not null order by sql'),
    messages: Number(strings('select count(*) from messages')[0]),
    outcomes: Number(strings('select count(*) from outcomes')[0]),
  }
  assert.deepEqual(strings('pragma integrity_check'), ['ok'])
  assert.deepEqual(strings('select count(*) from pragma_foreign_key_check'), ['0'])
  db.close()
  return shape
}

function copyOfOld(name: string): string {
  const folder = join(home, name)
  cpSync(old, folder, { recursive: true })
  return folder
}

/** Starts the later version. */
async function startOn(folder: string): Promise<void> {
  await (await openDatabase({ folder, migrations: LATER })).close()
}

/** The copies made before the second migration, which the first version can use. */
function copiesIn(folder: string): string[] {
  return listBefore(join(folder, 'backups'), '9998-later')
}

/** After a start that ended at any moment, the next start completes it, and the old version still has its copy. */
async function assertRecovers(folder: string, when: string): Promise<void> {
  const { applied } = shapeOf(join(folder, FILE))
  if (applied.length > migrations.length)
    assert.equal(copiesIn(folder).length, 1, `${when}: a copy was made first`)
  await startOn(folder)
  assert.deepEqual(shapeOf(join(folder, FILE)), expected, when)
  const copies = copiesIn(folder)
  assert.equal(copies.length, 1, when)
  await assertOfFirstVersion(copies[0]!)
}

async function assertOfFirstVersion(path: string): Promise<void> {
  const folder = mkdtempSync(join(home, 'copy-'))
  cpSync(path, join(folder, FILE))
  await (await openDatabase({ folder })).close()
  const { applied, messages, outcomes } = shapeOf(join(folder, FILE))
  assert.deepEqual([applied, messages, outcomes], [migrations.map(({ name }) => name), 300, 300])
  rmSync(folder, { recursive: true })
}

test('an update that ends after any statement is completed by the next start', async (t: TestContext) => {
  const folder = copyOfOld('watched')
  const first = Math.floor(Math.random() * STRIDE)
  const states: string[] = []
  let statements = 0
  // A kill leaves the files in their current state, which a copy preserves.
  afterEachStatement((count) => {
    statements = count
    if (count % STRIDE !== first) return
    states.push(join(home, `after-${count}`))
    cpSync(folder, states.at(-1)!, { recursive: true })
  })
  await openDatabase({ folder, migrations: LATER }).then((db) => {
    afterEachStatement(undefined)
    return db.close()
  })
  t.diagnostic(`${states.length} of ${statements} points`)
  assert.ok(statements > 100)
  for (const state of states) {
    await assertRecovers(state, state)
    rmSync(state, { recursive: true })
  }
})

test('a first start that ends after any statement is completed by the next one', async () => {
  const folder = mkdtempSync(join(home, 'empty-'))
  const first = Math.floor(Math.random() * STRIDE)
  const states: string[] = []
  afterEachStatement((count) => {
    if (count % STRIDE !== first) return
    states.push(join(home, `begun-${count}`))
    cpSync(folder, states.at(-1)!, { recursive: true })
  })
  await openDatabase({ folder, migrations: LATER }).then((db) => {
    afterEachStatement(undefined)
    return db.close()
  })
  for (const state of states) {
    await startOn(state)
    assert.deepEqual(shapeOf(join(state, FILE)), { ...expected, messages: 0, outcomes: 0 }, state)
    rmSync(state, { recursive: true })
  }
})

test('an update that is killed is completed by the next start', async (t: TestContext) => {
  const stride = 23
  let kills = 0
  for (
    let after = 5 + Math.floor(Math.random() * stride);
    kills < KILLS;
    after += KILLS === Infinity ? 1 : stride
  ) {
    const folder = copyOfOld(`killed-${after}`)
    const script = `import { openDatabase } from ${JSON.stringify(OPEN)}; import { LATER } from ${JSON.stringify(LATER_MODULE)}
      await openDatabase({ folder: process.argv[1], migrations: LATER })`
    const args = [`--import=${PRELOAD}`, '--input-type=module-typescript', '-e', script, folder]
    const child = spawn(process.execPath, args, {
      env: { ...process.env, KILL_AFTER: String(after) },
      stdio: 'inherit',
    })
    const [status, signal] = (await once(child, 'exit')) as [number | null, string | null]
    if (signal !== 'SIGKILL') {
      assert.equal(status, 0)
      break
    }
    kills++
    await assertRecovers(folder, `killed after ${after}`)
    rmSync(folder, { recursive: true })
  }
  t.diagnostic(`${kills} kills`)
  assert.ok(kills >= 5)
})
