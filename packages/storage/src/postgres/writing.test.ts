import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { newDatabase } from '../../../../scripts/new-database.ts'
import { addThing as add, Down, options, type Tables, type ThingsTx } from '#test/things.ts'
import { type Connection, connect, patientSettingsOf, settingsOf } from './connection.ts'
import { openWriteSession } from './write-session.ts'
import { openPostgres } from './open.ts'
import { isUnreachable } from './reach.ts'
import { openProxy, type Proxy } from '../../../../scripts/postgres-proxy.ts'
import { openWriting, type Writing } from './writing.ts'

let url: string
let proxy: Proxy
let writing: Writing<Tables>
let writeSession: ReturnType<typeof openWriteSession>
/** A session of another server that works on the same rows. */
let other: Connection
/**
 * Watches for waiting statements. It needs its own session: inside a transaction, `pg_stat_activity` does not change.
 */
let watch: Connection
const groups: number[] = []
/**
 * In a deadlock, PostgreSQL rolls back the session whose deadlock timeout ends first, and checks once. A busy machine
 * may need more than the usual second until both sessions wait.
 */
const OURS_GIVES_WAY = `do $$ begin
  execute format('alter database %I set deadlock_timeout = ''3s''', current_database());
end $$`

before(async () => {
  url = await newDatabase()
  await (await openPostgres(url, options)).close()
  other = await connect(patientSettingsOf(url))
  await other.send(OURS_GIVES_WAY)
  await other.send(`set deadlock_timeout = '1min'`)
  watch = await connect(patientSettingsOf(url))
  proxy = await openProxy(url)
  writeSession = openWriteSession(settingsOf(proxy.url))
  writing = openWriting({
    writeSession,
    toCallerError: (error) => error,
    unavailable: (why) => new Down(why),
    noteSuccess() {},
    committed: (_, callers) => groups.push(callers),
  })
})
beforeEach(async () => {
  groups.length = 0
  await other.send('truncate things')
})
after(async () => {
  await writing.close()
  await writeSession.close()
  await other.close()
  await watch.close()
  await proxy.close()
})

async function names(): Promise<string[]> {
  const { rows } = await other.send('select name from things order by id')
  return (rows as { name: string }[]).map(({ name }) => name)
}

test('if a write throws after an unnoticed failed statement, each caller still gets its own outcome', async () => {
  await other.send(`insert into things (name) values ('taken')`)
  const refusing = async (tx: ThingsTx) => {
    await add('taken')(tx)
    throw new Error('refused')
  }
  const results = await Promise.allSettled(
    [refusing, add('one'), refusing, add('two')].map((work) => writing.write(work)),
  )
  assert.deepEqual(
    results.map(({ status }) => status),
    ['rejected', 'fulfilled', 'rejected', 'fulfilled'],
  )
  assert.deepEqual(await names(), ['taken', 'one', 'two'])
})

test('a caller hears why no transaction could begin, and not what failed because of that', async () => {
  const locked = `do $$ begin raise exception 'locked' using errcode = '55P03'; end $$`
  let fails = false
  const blocked: Writing<Tables> = openWriting({
    writeSession: { ...writeSession, mark: (session) => session.send(fails ? locked : 'select 1') },
    toCallerError: (error) => error,
    unavailable: (why) => new Down(why),
    noteSuccess() {},
    committed() {},
  })
  // This failure makes the next try check each write separately; from then on, none can begin.
  const write = blocked.write(async (tx) => {
    await add('a')(tx)
    fails = true
    return tx.query('select 1 / 0')
  })
  await assert.rejects(write, /^error: locked$/)
  assert.deepEqual(await names(), [])
})

test('a rule that looks before it stores sees a row that another server stored in between', async () => {
  await other.send('begin')
  await other.send(`insert into things (name) values ('ours')`)
  let runs = 0
  const said = writing.write(async (tx) => {
    runs++
    const [taken] = await tx.query(`select id from things where name = 'ours'`)
    if (taken) return 'taken'
    await add('ours')(tx)
    return 'stored'
  })
  await waitingFor('insert into things%')
  await other.send('commit')
  assert.equal(await said, 'taken')
  assert.ok(runs > 1)
  assert.deepEqual(await names(), ['ours'])
})

test('a write that deadlocks with another server is run again', async () => {
  await other.send(`insert into things (id, name) values (901, 'a'), (902, 'b')`)
  await other.send('begin')
  await other.send(`update things set name = 'b of another' where id = 902`)
  const rename = (tx: ThingsTx, id: number, name: string) =>
    tx.query('update things set name = :name where id = :id returning id', { id, name })
  const ours = Promise.all([
    writing.write(add('beside it')),
    writing.write(async (tx) => {
      await rename(tx, 901, 'a of ours')
      await rename(tx, 902, 'b of ours')
    }),
  ])
  await waitingFor('update things%')
  await other.send(`update things set name = 'a of another' where id = 901`)
  await other.send('commit')
  await ours
  const { rows } = await other.send('select name from things order by name')
  assert.deepEqual(rows, [{ name: 'a of ours' }, { name: 'b of ours' }, { name: 'beside it' }])
})

for (const [when, what] of [
  ['before it arrived', 'lose'],
  ['after it was done', 'hide'],
] as const) {
  test(`a commit whose answer is lost ${when} is made once, and answered`, async () => {
    proxy.cutAt('commit', what)
    const results = await Promise.all(['one', 'two'].map((name) => writing.write(add(name))))
    assert.equal(results.length, 2)
    assert.equal(proxy.cuts, 1)
    assert.deepEqual(await names(), ['one', 'two'])
  })
}

test('a connection lost in the middle of a write leaves nothing half done', async () => {
  proxy.cutAt('second', 'lose')
  await writing.write(async (tx) => {
    await add('first')(tx)
    await add('second')(tx)
  })
  assert.equal(proxy.cuts, 1)
  assert.deepEqual(await names(), ['first', 'second'])
})

test('a character that PostgreSQL cannot store is replaced', async () => {
  await writing.write(add('nul \0 here'))
  assert.deepEqual(await names(), ['nul \uFFFD here'])
})

/** Resolves once a statement like this waits for a lock. */
async function waitingFor(statement: string): Promise<void> {
  for (;;) {
    const { rows } = await watch.send(
      `select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '${statement}'`,
    )
    if (rows.length > 0) return
  }
}

test('the error that a rule throws reaches its caller unchanged, whatever its words', async () => {
  const refusal = new Down({ code: 'not_ready', detail: 'The timeout was terminated.' })
  await assert.rejects(
    writing.write(async (tx) => {
      await add('undone')(tx)
      throw refusal
    }),
    (error) => error === refusal && !isUnreachable(error),
  )
  assert.deepEqual(await names(), [])
})
