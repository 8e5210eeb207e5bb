import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { connect, type Connection, patientSettingsOf } from '../packages/storage/src/postgres/connection.ts'
import { type Database, openDatabase } from '../packages/server/src/database/open.ts'
import { eventually } from '../packages/server/test/device.ts'
import { type PostgresPair, startPostgresPair } from '../scripts/postgres-pair.ts'

/** A new pair for each test, as the roles change. */
let pair: PostgresPair
let db: Database
const warnings: string[] = []
const log = {
  info() {},
  error() {},
  warn: (line: string) => void warnings.push(line),
} as unknown as NonNullable<Parameters<typeof openDatabase>[0]['log']>

beforeEach(async () => {
  pair = await startPostgresPair()
  warnings.length = 0
  db = await openDatabase({ url: pair.url, folder: '', log })
})
afterEach(async () => {
  await db.close()
  await pair.stop()
})

const add = (name: string) => db.write((tx) => tx.insert('companies', [{ name, created_at: '' }]))

/** Repeats until acknowledged, like any client that submits tasks. */
async function addUntilKept(name: string): Promise<void> {
  await eventually(
    () =>
      add(name).then(
        () => true,
        () => false,
      ),
    30_000,
  )
}

async function names(from = db): Promise<string[]> {
  const rows = await from.read.query<{ name: string }>('select name from companies order by id')
  return rows.map(({ name }) => name)
}

async function at(url: string, work: (session: Connection) => Promise<void>): Promise<void> {
  const session = await connect(patientSettingsOf(url))
  try {
    await work(session)
  } finally {
    await session.close()
  }
}

/** Sessions that wait for a standby to confirm their commits. */
async function waiting(session: Connection): Promise<number[]> {
  const { rows } = await session.send(`select pid from pg_stat_activity where wait_event = 'SyncRep'`)
  return (rows as { pid: number }[]).map(({ pid }) => pid)
}

test('acknowledged rows exist after a standby takes over, twice, and work continues each time', async () => {
  await add('before')
  assert.deepEqual(warnings, [])
  await pair.failOver()
  await addUntilKept('after')
  assert.match(warnings.join(), /waits for no standby/)
  await pair.rejoin()
  await add('again with a standby')
  await pair.failOver()
  await addUntilKept('back')
  assert.deepEqual(await names(), ['before', 'after', 'again with a standby', 'back'])
  assert.equal(db.fault(), undefined)
})

test('a commit is acknowledged once the standby has it, not when PostgreSQL stops waiting', async () => {
  await pair.endStandby()
  let kept = false
  const adding = add('unconfirmed').then(() => (kept = true))
  await at(pair.urls[0], async (watch) => {
    await eventually(async () => (await waiting(watch)).length === 1)
    const [pid] = await waiting(watch)
    await watch.send('select pg_cancel_backend($1)', [pid])
    // Another session asks for its outcome, and waits as well.
    await eventually(async () => {
      const now = await waiting(watch)
      return now.length > 0 && !now.includes(pid!)
    })
    assert.equal(kept, false)
  })
  await pair.startOther()
  await adding
  assert.deepEqual(await names(), ['unconfirmed'])
})

test('of two servers that both accept changes, the promoted one counts', async () => {
  await add('before')
  await pair.failOver()
  await addUntilKept('after')
  await pair.startOther()
  const fresh = await openDatabase({ url: pair.url, folder: '' })
  assert.deepEqual(await names(fresh), ['before', 'after'])
  await fresh.close()
  await add('later')
  assert.deepEqual(await names(), ['before', 'after', 'later'])
})

test('sessions still at a live old primary are cut off as soon as one session knows the new one', async () => {
  await add('before')
  await pair.split()
  const adding = add('in between')
  await at(pair.urls[0], async (old) => {
    await eventually(async () => (await waiting(old)).length > 0)
  })
  // Like a server's renewal of its lease.
  const renew = () => db.channel!.ask(`select nextval('device_connections')`)
  await eventually(
    () =>
      renew().then(
        () => true,
        () => false,
      ),
    30_000,
  )
  await adding
  assert.deepEqual(await names(), ['before', 'in between'])
  await at(pair.urls[1], async (session) => {
    const { rows } = await session.send('select name from companies order by id')
    assert.deepEqual(rows, [{ name: 'before' }, { name: 'in between' }])
  })
})
