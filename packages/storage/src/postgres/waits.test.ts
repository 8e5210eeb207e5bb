import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import type { Unavailable } from '#storage/errors.ts'
import { newDatabase } from '../../../../scripts/new-database.ts'
import { openChannel } from './channel.ts'
import { connect, patientSettingsOf, settingsOf } from './connection.ts'
import { openOwnSession } from './own-session.ts'
import { openReach } from './reach.ts'
import { openProxy } from '../../../../scripts/postgres-proxy.ts'

const unavailable = ({ code, detail }: Unavailable) => Object.assign(new Error(detail), { code })

test('a read for which no session becomes free finds the database busy, and not gone', async (t) => {
  const pool = new pg.Pool({
    connectionString: await newDatabase(),
    max: 1,
    connectionTimeoutMillis: 500,
  })
  t.after(() => pool.end())
  const reach = openReach({ log: undefined, probe: async () => {}, unavailable })
  t.after(reach.stop)
  const held = await pool.connect()
  await assert.rejects(
    pool.query('select 1').catch((error: unknown) => {
      throw reach.toCallerError(error)
    }),
    { code: 'not_ready', message: /is busy/ },
  )
  held.release()
  assert.equal(reach.standing(), undefined)
})

test('upkeep that gets no answer fails, and the next one has another session', async (t) => {
  const settings = { ...settingsOf(await newDatabase()), query_timeout: 300, statement_timeout: 0 }
  const { inOwnSession, close } = openOwnSession(settings, (error) => error)
  t.after(close)
  const session = () => inOwnSession((tx) => tx.query<{ pid: number }>('select pg_backend_pid() as pid'))
  const [first] = await session()
  await assert.rejects(
    inOwnSession((tx) => tx.query('select pg_sleep(5)')),
    /timeout/,
  )
  const [second] = await session()
  assert.notEqual(second!.pid, first!.pid)
})

test('a migration or a move may pause in its transaction, and nothing cuts it off', async (t) => {
  const session = await connect(patientSettingsOf(await newDatabase()))
  t.after(session.close)
  await session.send('begin')
  for (const timeout of ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout']) {
    const { rows } = await session.send(`show ${timeout}`)
    assert.deepEqual(rows, [{ [timeout]: '0' }])
  }
})

test('the last events before a stop arrive', async (t) => {
  const settings = settingsOf(await newDatabase())
  const heard = Promise.withResolvers<unknown>()
  const other = openChannel(settings)
  t.after(other.close)
  other.listen({ heard: heard.resolve, missed() {} })
  await other.ask('select 1')
  const channel = openChannel(settings)
  await channel.ask('select 1')
  channel.tell('the last')
  await channel.close()
  assert.equal(await heard.promise, 'the last')
})

test('calls at the same moment share one session, also after an outage, and it hears each event once', async (t) => {
  const url = await newDatabase()
  const proxy = await openProxy(url)
  t.after(proxy.close)
  const channel = openChannel(settingsOf(proxy.url))
  t.after(channel.close)
  const heard: unknown[] = []
  const both = Promise.withResolvers<void>()
  channel.listen({ heard: (event) => void (heard.push(event) > 1 && both.resolve()), missed() {} })

  const session = () => channel.ask<{ pid: number }>('select pg_backend_pid() as pid')
  const [first, same] = await Promise.all([session(), session()])
  assert.deepEqual(same, first)

  proxy.cutAt('cut here', 'lose')
  const again = (text: string) => channel.ask(text).then(() => assert.fail('it was answered'), session)
  const [second, alsoSecond] = await Promise.all([again(`select 'cut here'`), again('select 2')])
  assert.deepEqual(alsoSecond, second)
  assert.notDeepEqual(second, first)

  const other = openChannel(settingsOf(url))
  t.after(other.close)
  other.tell('one')
  await other.ask('select 1')
  other.tell('two')
  await both.promise
  await session()
  assert.deepEqual(heard, ['one', 'two'])
})
