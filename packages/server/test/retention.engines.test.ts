import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import * as dashboard from '@sdd/contract/insight/dashboard.ts'
import * as messages from '@sdd/contract/messages/messages.ts'
import type { MessageState } from '@sdd/contract/messages/messages.ts'
import { listLogs } from '@sdd/contract/insight/log.ts'
import * as settings from '@sdd/contract/accounts/settings.ts'
import { createCompany } from '#server/accounts/companies/companies.ts'
import { instant } from '#server/core/clock.ts'
import { openDatabase } from '#server/database/open.ts'
import { insertMessages } from '#server/messages/messages/store.ts'
import { removeOld, removeStrangers, STEP_ROWS } from '#server/insight/retention/retention.ts'
import { HOUR, testClock } from './clock.ts'
import { connectDevice, eventually, linkTestDevice } from './device.ts'
import { databaseOf, openTables, type Tables, withTables } from './engine.ts'
import {
  ALL_ATTEMPTS,
  insertEnded,
  insertInFlight,
  manyEnded,
  MISPLACED,
  newMessage,
} from './message-tables.ts'
import { enter, newUser } from './seeds.ts'
import { ADMIN, call, startServer } from './server.ts'

const DAY = 24 * HOUR
const START = '2026-06-10T08:00:00.000Z'

function newFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'sdd-retention-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return folder
}

/** The number of rows in each table, read while the server runs. */
function rowsIn(folder: string, ...tables: string[]): Promise<number[]> {
  return withTables({ folder }, async ({ all }) => {
    const counts: number[] = []
    for (const table of tables) {
      const [row] = await all(`select count(*) as count from ${table}`)
      counts.push(Number(row!['count']))
    }
    return counts
  })
}

/** Each message is in one of the tables of its state, and nothing is left of removed ones. */
function assertPlaced(folder: string): Promise<void> {
  return withTables({ folder }, async ({ all }) => {
    for (const [what, query] of Object.entries(MISPLACED)) assert.deepEqual(await all(query), [], what)
  })
}

test('ended messages are removed after their company’s retention_days; blocks and counters stay', async (t) => {
  const folder = newFolder(t)
  const clock = testClock(START)
  const stops: (() => Promise<void>)[] = []
  t.after(() => Promise.all(stops.map((stop) => stop())))
  /** Each start looks for old rows at once. */
  const start = async () => {
    const server = await startServer({ clock, folder })
    stops.push(server.stop)
    const { token } = await enter(server, ADMIN.username, ADMIN.password)
    const send = (as: string, device_uid: string, telefono_to: string) =>
      call(server, messages.sendSms, { token: as, body: { device_uid, telefono_to, mensaje_sms: 'hola' } })
    return { server, token, send }
  }

  const { server, token, send } = await start()
  const other = (await newUser(server, token, { role: 'admin', companyId: 2 })).token
  const linked = await linkTestDevice(server, token, 'ours')
  const ours = await connectDevice(linked)
  const theirs = await connectDevice(await linkTestDevice(server, other, 'theirs'))
  for (const [as, device] of [[token, ours] as const, [other, theirs] as const]) {
    const { guid } = (await send(as, device.uid, '+34600111222')).body
    await device.until(1)
    await device.report({ guid, state: 'delivered' })
    await device.publish('inbox', { id: '1', from: '+34600111222', text: 'BAJA', at: START })
  }
  const body = { spoof_time_secs: 0, send_enabled: true, retention_days: 1 }
  assert.equal((await call(server, settings.saveGlobalSettings, { token, body })).body.retention_days, 1)
  clock.advance(HOUR)
  const later = (await send(token, ours.uid, '+34600333444')).body.guid
  await ours.until(2)
  await ours.report({ guid: later, state: 'sent' })
  await server.stop()

  clock.advance(DAY - HOUR)
  const onTheDay = await start()
  const counted = async ({ server, token }: typeof onTheDay) =>
    (await call(server, dashboard.readDashboard, { token })).body.hours.filter(({ states }) =>
      Object.values(states).some((count) => count > 0),
    )
  const hours = await counted(onTheDay)
  assert.equal(hours.length, 2)
  await onTheDay.server.stop()
  assert.deepEqual(await rowsIn(folder, 'messages', ALL_ATTEMPTS, 'inbox'), [3, 3, 2])

  clock.advance(1)
  const over = await start()
  await eventually(async () => (await rowsIn(folder, 'inbox'))[0] === 1, 20_000)
  assert.deepEqual(await rowsIn(folder, 'messages', ALL_ATTEMPTS, 'inbox', 'opt_outs'), [2, 2, 1, 2])
  await assertPlaced(folder)
  const { body: log } = await call(over.server, listLogs, { token: over.token })
  assert.deepEqual(
    log.logs.map(({ company_id, guid }) => [company_id, guid === later]),
    [
      [1, true],
      [2, false],
    ],
  )
  assert.deepEqual(await counted(over), hours)
  await connectDevice({ ...linked, mqtt_url: over.server.mqtt_url })
  assert.equal((await over.send(over.token, 'ours', '600111222')).body.code, 'opted_out')
})

/** A database with one company, `retention_days` 10, and a clock. */
async function begin(t: TestContext) {
  const folder = newFolder(t)
  const clock = testClock(START)
  const db = await openDatabase({ folder, url: await databaseOf(folder) })
  t.after(() => db.close())
  const company_id = await db.write((tx) => createCompany(tx, 'ours', START))
  const keep = (retention_days: number) =>
    db.write((tx) => tx.query('update settings set retention_days = :retention_days', { retention_days }))
  await keep(10)
  const seed = await openTables({ folder })
  await seed.run(`insert into devices (id, company_id, uid, secret_hash, created_at, enabled, enabled_at, max_sms_dayly,
    status, status_at) values (1, ${company_id}, 'drone', '', '', 1, '', 1, 'connected', '')`)
  await seed.run('insert into capacity (device_id) values (1)')
  t.after(() => seed.close())
  return { folder, clock, db, company_id, keep, seed, ago: (ms: number) => instant(clock.now() - ms) }
}

test('each kind of row has its own age: since it ended, arrived, was published or was written', async (t) => {
  const { folder, db, clock, company_id, seed, ago } = await begin(t)
  const ended = (guid: string, state: MessageState, completed_at: string) =>
    db.write((tx) => insertEnded(tx, newMessage(guid), { state, completed_at }))
  const inbox = (...values: [string, string, number | null]) =>
    seed.all(
      `insert into inbox (company_id, device_id, sms_id, sms_from, text, sms_at, received_at, message_id)
        values (1, 1, ?, '', '', '', ?, ?)`,
      ...values,
    )
  const typed = (sms_id: string, stored_at: string) =>
    seed.all(
      `insert into typed_sms (company_id, device_id, sms_id, sms_to, text, sms_at, stored_at)
        values (1, 1, ?, ?, '', '', ?)`,
      sms_id,
      sms_id,
      stored_at,
    )
  const conversation = (number: string) =>
    seed.all(
      `insert into conversations (company_id, number, status, last_at, typed_id) values (1, ?, 'open', ?, 1)`,
      number,
      ago(11 * DAY),
    )
  const callback = (name: string, state: string, at: string) =>
    seed.all(
      `insert into callbacks (company_id, webhook_id, type, guid, url, body, state, created_at, due_at, host)
        values (1, ?, 'task.sent', '', '', '', ?, ?, '', '')`,
      name,
      state,
      at,
    )
  const ages = { old: 10 * DAY + 1, young: 10 * DAY }
  for (const [age, ms] of Object.entries(ages)) {
    for (const state of ['sent', 'replied', 'failed', 'expired', 'cancelled', 'uncertain'] as const)
      await ended(`${age} ${state}`, state, ago(ms))
    await inbox(`${age} word`, ago(ms), null)
    await typed(`${age} typed`, ago(ms))
    await conversation(`${age} typed`)
    for (const state of ['waiting', 'delivered', 'dead']) await callback(`${age} ${state}`, state, ago(ms))
  }
  await db.write((tx) => insertMessages(tx, [newMessage('waits')]))
  await db.write((tx) => insertInFlight(tx, newMessage('given'), { device_id: 1, handed_timestamp: '' }))
  // It answers an old message but is recent itself: it stays, and names a removed message.
  await inbox('young answer', ago(DAY), 1)
  for (const days of [729, 730, 731]) await addChange(seed, ago(days * DAY), `${days} days`)

  while ((await removeOld({ db, clock }, company_id)) > 0);
  const names = async (column: string, table: string) =>
    (await seed.all(`select ${column} as name from ${table} order by id`)).map((row) => row['name'])
  const states = ['sent', 'replied', 'failed', 'expired', 'cancelled', 'uncertain']
  assert.deepEqual(await names('guid', 'messages'), [
    ...states.map((state) => `young ${state}`),
    'waits',
    'given',
  ])
  await assertPlaced(folder)
  assert.deepEqual(await names('sms_id', 'inbox'), ['young word', 'young answer'])
  assert.deepEqual(await names('message_id', 'inbox'), [null, null])
  assert.deepEqual(await names('sms_id', 'typed_sms'), ['young typed'])
  assert.deepEqual(await names('number', 'conversations'), ['young typed'])
  assert.deepEqual(await names('webhook_id', 'callbacks'), [
    'old waiting',
    'young waiting',
    'young delivered',
    'young dead',
  ])
  assert.deepEqual(await names('name', 'audit_log'), ['729 days', '730 days'])
})

test('a conversation has nothing unread when retention has removed its last SMS', async (t) => {
  const { db, clock, company_id, seed, ago } = await begin(t)
  const times = { '+34600000001': [11, 11], '+34600000002': [11, 1] }
  for (const [number, days] of Object.entries(times)) {
    for (const [n, age] of days.entries())
      await seed.all(
        `insert into inbox (company_id, device_id, sms_id, sms_from, text, sms_at, received_at)
          values (1, 1, ?, ?, '', '', ?)`,
        `${number} ${n}`,
        number,
        ago(age * DAY),
      )
    await seed.all(
      `insert into conversations (company_id, number, status, last_at, message_id, inbox_id)
        values (1, ?, 'open', ?, 1, (select max(id) from inbox))`,
      number,
      ago(DAY),
    )
  }
  while ((await removeOld({ db, clock }, company_id)) > 0);
  assert.deepEqual(await seed.all('select number from conversations where inbox_id > read_id'), [
    { number: '+34600000002' },
  ])
})

test('a message that is removed while a device away still has an attempt of it takes no room in its window any more', async (t) => {
  const { db, clock, company_id, seed, ago } = await begin(t)
  await db.write(async (tx) => {
    const ended = { state: 'sent', completed_at: ago(11 * DAY) } as const
    for (const [guid, finished_at] of Object.entries({ dropped: null, over: START })) {
      const message_id = await insertEnded(tx, newMessage(guid), ended)
      const given = { attempt: 2, device_id: 1, parts: 1, day: '', given_at: '', state: 'given' } as const
      await tx.insert('attempts', [{ ...given, message_id, cancel_at: START, finished_at }])
    }
  })
  await seed.run('update capacity set unfinished = 2')
  assert.equal(await removeOld({ db, clock }, company_id), 2)
  assert.deepEqual(await seed.all('select unfinished from capacity'), [{ unfinished: 1 }])
})

test('audit entries of unknown callers are removed after 90 days, and those of companies stay', async (t) => {
  const { db, clock, seed, ago } = await begin(t)
  for (const days of [89, 91]) await addChange(seed, ago(days * DAY), `${days} days`, null)
  await addChange(seed, ago(91 * DAY), 'ours')
  assert.equal(await removeStrangers({ db, clock }), 1)
  assert.equal(await removeStrangers({ db, clock }), 0)
  const left = await seed.all('select name from audit_log order by id')
  assert.deepEqual(
    left.map((row) => row['name']),
    ['89 days', 'ours'],
  )
})

test('the audit log is kept twice as long as messages if that is more than two years', async (t) => {
  const { folder, db, clock, company_id, keep, seed, ago } = await begin(t)
  await keep(1_000)
  for (const days of [731, 2_000, 2_001]) await addChange(seed, ago(days * DAY), '')
  while ((await removeOld({ db, clock }, company_id)) > 0);
  assert.deepEqual(await rowsIn(folder, 'audit_log'), [2])
})

function addChange(seed: Tables, at: string, name: string, company_id: number | null = 1) {
  return seed.all(
    `insert into audit_log (company_id, at, user_id, by_name, action, subject, name, changes)
      values (?, ?, 1, '', '', 'user', ?, '{}')`,
    company_id,
    at,
    name,
  )
}

test('the record of which device a number heard from is removed after 30 days, however many numbers there are', async (t) => {
  const { folder, db, clock, company_id, seed, ago } = await begin(t)
  const heard = (number: string, at: string) => `(1, '${number}', 1, '${at}')`
  const rows = Array.from({ length: 3 * STEP_ROWS }, (_, n) => heard(`old ${n}`, ago(30 * DAY + 1)))
  rows.push(heard('young', ago(30 * DAY)))
  await seed.run(`insert into recipients (company_id, number, device_id, last_at) values ${rows.join(', ')}`)
  assert.equal(await removeOld({ db, clock }, company_id), STEP_ROWS)
  while ((await removeOld({ db, clock }, company_id)) > 0);
  assert.deepEqual(await rowsIn(folder, 'recipients'), [1])
})

test('the daily message count of a number is removed two days later', async (t) => {
  const { folder, db, clock, company_id, seed } = await begin(t)
  const day = (ago: number) => clock.day(clock.now() - ago * DAY)
  const counted = (number: string, on: string) => `(1, '${number}', '${on}', 1)`
  const rows = Array.from({ length: STEP_ROWS + 1 }, (_, n) => counted(`old ${n}`, day(3)))
  rows.push(counted('young', day(2)), counted('today', day(0)))
  await seed.run(`insert into recipient_counts (company_id, number, day, count) values ${rows.join(', ')}`)
  assert.equal(await removeOld({ db, clock }, company_id), STEP_ROWS)
  while ((await removeOld({ db, clock }, company_id)) > 0);
  assert.deepEqual(await rowsIn(folder, 'recipient_counts'), [2])
})

/** Long-ended messages, each with an earlier attempt, and a reply to every tenth. */
function seedOld(seed: Tables, count: number): Promise<void> {
  return seed.run(`begin;
    ${manyEnded(count, { company_id: 1, guid: 'guid-', at: '2020-01-01T00:00:00.000Z' })};
    insert into attempts (message_id, attempt, device_id, parts, day, given_at, finished_at, state)
    select id, 1, 1, 1, '', '', '', 'failed' from messages;
    insert into inbox (company_id, device_id, sms_id, sms_from, text, sms_at, received_at, message_id)
    select 1, 1, id, '', '', '', '2020-01-02T00:00:00.000Z', id from messages where id % 10 = 0;
    commit`)
}

test('while 50,000 messages are removed, other writers get their turn between two steps', async (t) => {
  const { folder, db, clock, company_id, seed } = await begin(t)
  await seedOld(seed, 50_000)
  const events: ('step' | 'write')[] = []
  let enough = false
  async function write() {
    while (!enough) {
      await db.write((tx) => tx.query('update companies set name = :name', { name: `${events.length}` }))
      events.push('write')
    }
  }
  const writing = write()
  let removed = 0
  for (let steps = 0; steps < 60; steps++) {
    const rows = await removeOld({ db, clock }, company_id)
    assert.ok(rows > 0 && rows <= STEP_ROWS, `${rows} rows in one transaction`)
    events.push('step')
    removed += rows
  }
  enough = true
  await writing
  const left = 50_000 - removed
  assert.deepEqual(await rowsIn(folder, 'messages', 'outcomes', 'attempts'), [left, left, left])
  assert.ok(
    !events.some((event, place) => event === 'step' && events[place + 1] === 'step'),
    'two steps in a row',
  )
})

test('raising retention_days stops the removal at once', async (t) => {
  const { folder, db, clock, company_id, keep, seed } = await begin(t)
  await seedOld(seed, 3 * STEP_ROWS)
  const removed = await removeOld({ db, clock }, company_id)
  assert.ok(removed > 0)
  await keep(3_650)
  assert.equal(await removeOld({ db, clock }, company_id), 0)
  assert.deepEqual(await rowsIn(folder, 'messages'), [3 * STEP_ROWS - removed])
})
