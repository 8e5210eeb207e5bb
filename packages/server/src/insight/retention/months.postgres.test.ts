import assert from 'node:assert/strict'
import { test } from 'node:test'
import { instant } from '#server/core/clock.ts'
import { connect, patientSettingsOf } from '@sdd/storage/postgres/connection.ts'
import { insertMessages } from '#server/messages/messages/store.ts'
import { HOUR } from '#test/clock.ts'
import { newMessage } from '#test/message-tables.ts'
import { add, guidsOf, log, START, turn, withCompanies } from '#test/months.ts'
import { maintainMonths } from './months.ts'
import { removeOld } from './retention.ts'

const DAY = 24 * HOUR

test('a month is removed as a whole once its companies’ retention is over, and replies to it stay', async (t) => {
  const begun = await withCompanies(t)
  const { db, run, clock } = begun
  await run('update settings set retention_days = case company_id when 1 then 10 else 40 end')
  const id = await add(begun, 1, 'june ours', '2026-06-20T00:00:00.000Z')
  await add(begun, 2, 'june others', '2026-06-29T00:00:00.000Z')
  await turn(begun, '2026-07-01T00:00:00.000Z')
  await add(begun, 1, 'july', '2026-07-02T00:00:00.000Z')
  await turn(begun, '2026-08-01T00:00:00.000Z')
  await run(
    `insert into inbox (company_id, device_id, sms_id, sms_from, text, sms_at, received_at, message_id)
    values (1, 1, '1', '', '', '', '', $1)`,
    [id],
  )
  const at = async (time: string) => {
    clock.advance(Date.parse(time) - clock.now())
    return maintainMonths({ db, clock, log })
  }
  // While the other company keeps its messages, the month stays, and ours are removed one by one.
  assert.equal(await at('2026-08-07T23:59:59.999Z'), 0)
  assert.deepEqual(await guidsOf(begun), ['june ours', 'june others', 'july'])
  while ((await removeOld({ db, clock }, 1, 40)) > 0);
  assert.deepEqual(await guidsOf(begun), ['june others'])
  assert.deepEqual(await run('select message_id from inbox'), [])
  await run(`insert into inbox (company_id, device_id, sms_id, sms_from, text, sms_at, received_at, message_id)
    values (2, 1, '2', '', '', '', '2026-08-01', (select id from messages))`)
  assert.equal(await at('2026-08-08T00:00:00.001Z'), 1)
  assert.deepEqual(await guidsOf(begun), [])
  assert.deepEqual(await run('select message_id from inbox'), [{ message_id: null }])
  assert.equal(await at('2026-08-11T00:00:00.001Z'), 1, 'nothing is left in July')
  const left = await run(
    `select relname from pg_class where relkind = 'r' and relname ~ '^(messages|outcomes|attempts|message_search)_\\d'`,
  )
  assert.equal(left.length, 2 * 4, 'the month that lasts, and the next')
})

test('the company with the longest retention waits for the month to end, but only for a limited time', async (t) => {
  const begun = await withCompanies(t)
  const { db, run, clock } = begun
  await run('update settings set retention_days = 10')
  await add(begun, 1, 'old', instant(clock.now() - 10 * DAY - 1))
  assert.equal(await removeOld({ db, clock }, 1, 10), 0)
  clock.advance(35 * DAY)
  assert.equal(await removeOld({ db, clock }, 1, 10), 1)
  // A row from before there were months has no month to wait for.
  await add(begun, 1, 'mixed', instant(clock.now() - 10 * DAY - 1))
  await run(`update months set began_at = '-infinity' where number = 0`)
  assert.equal(await removeOld({ db, clock }, 1, 10), 1)
  assert.deepEqual(await run('select message_id from attempts'), [])
  assert.deepEqual(await run('select id from outcomes'), [])
})

test('a month with an unfinished message stays, however old it is', async (t) => {
  const begun = await withCompanies(t)
  const { db, run, clock } = begun
  await run('update settings set retention_days = 1')
  await add(begun, 1, 'ended', START)
  const given = await add(begun, 1, 'given', null)
  await db.write((tx) => insertMessages(tx, [newMessage('waits')]))
  await turn(begun, '2026-07-01T00:00:00.000Z')
  clock.advance(400 * DAY)
  assert.equal(await maintainMonths({ db, clock, log }), 0)
  assert.deepEqual(await guidsOf(begun), ['ended', 'given', 'waits'])
  /** Ends the only message in this place. */
  const end = async (place: 'in_flight' | 'queue') => {
    const [ended] = await run<{ id: number }>(`delete from ${place} returning id`)
    await run(
      `insert into outcomes (id, company_id, attempt, state, completed_at) values ($1, 1, 0, 'expired', '${START}')`,
      [ended!.id],
    )
  }
  await end('in_flight')
  assert.equal(await maintainMonths({ db, clock, log }), 0, 'a message waits')
  await end('queue')
  await run(`update attempts set cancel_at = '${START}', finished_at = null where message_id = $1`, [given])
  assert.equal(await maintainMonths({ db, clock, log }), 0, 'a device has not dropped its attempt yet')
  await run(`update attempts set finished_at = '${START}' where message_id = $1`, [given])
  assert.equal(await maintainMonths({ db, clock, log }), 1)
  assert.deepEqual(await guidsOf(begun), [])
})

test('removing a month waits for other work, and delays none', async (t) => {
  const begun = await withCompanies(t)
  const { url, db, run, clock } = begun
  await run('update settings set retention_days = 1')
  await add(begun, 1, 'old', START)
  await turn(begun, '2026-07-01T00:00:00.000Z')
  clock.advance(100 * DAY)
  const reader = await connect(patientSettingsOf(url))
  t.after(() => reader.close())
  await reader.send('begin')
  await reader.send('select count(*) from messages')
  assert.equal(await maintainMonths({ db, clock, log }), 0)
  await db.write((tx) => insertMessages(tx, [newMessage('stored meanwhile')]))
  await reader.send('commit')
  assert.equal(await maintainMonths({ db, clock, log }), 1)
  assert.deepEqual(await guidsOf(begun), ['stored meanwhile'])
})
