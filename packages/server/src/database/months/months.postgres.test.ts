import assert from 'node:assert/strict'
import { test } from 'node:test'
import { messagesByGuids } from '#server/messages/messages/reported.store.ts'
import { insertMessages } from '#server/messages/messages/store.ts'
import { openKeptMessages } from '#server/messages/messages/kept-messages.ts'
import { shareSettingsLock } from '#server/accounts/settings/settings.ts'
import { knownGuids } from '#server/messages/messages/store.ts'
import { newMessage } from '#test/message-tables.ts'
import { add, begin, START, turn, withCompanies } from '#test/months.ts'
import { firstIdOf, MONTH_IDS } from './layout.ts'
import { ensureMonths, monthsOf } from './months.ts'

test('when a month ends, ids go on in the next one, and a guid is found in both', async (t) => {
  const begun = await withCompanies(t)
  const { db, run } = begun
  assert.equal(await add(begun, 1, 'june', START), 1)
  await turn(begun, '2026-06-30T23:59:59.999Z')
  assert.equal(await add(begun, 1, 'still june', START), 2)
  await turn(begun, '2026-07-01T00:00:00.000Z')
  assert.equal(await add(begun, 1, 'july', START), firstIdOf(1))
  const where = await run(`select guid, tableoid::regclass::text as part from messages order by id`)
  assert.deepEqual(where, [
    { guid: 'june', part: 'messages_0' },
    { guid: 'still june', part: 'messages_0' },
    { guid: 'july', part: 'messages_1' },
  ])
  for (const [table, key] of [
    ['outcomes', 'id'],
    ['attempts', 'message_id'],
  ]) {
    const parts = await run<{ part: string }>(
      `select tableoid::regclass::text as part from ${table} order by ${key}`,
    )
    assert.deepEqual(
      parts.map(({ part }) => part),
      [`${table}_0`, `${table}_0`, `${table}_1`],
    )
  }
  // Weeks later, June is no longer one of the recent months.
  await turn(begun, '2026-07-20T00:00:00.000Z')
  assert.deepEqual(await run('select recent_messages() as id'), [{ id: MONTH_IDS }])
  const keys = ['june', 'july', 'none'].map((guid) => [1, guid] as const)
  const found = await messagesByGuids(db.read, keys, openKeptMessages())
  assert.deepEqual(found.map(({ guid }) => guid).sort(), ['july', 'june'])
  assert.deepEqual([...(await knownGuids(db.read, 1, ['none', 'july', 'june'])).keys()].sort(), [
    'july',
    'june',
  ])
  assert.deepEqual([...(await knownGuids(db.read, 2, ['june', 'july'])).keys()], [])
})

test('ids only rise, whatever the clock says, and servers that maintain the months at once create each month once', async (t) => {
  const begun = await withCompanies(t)
  const other = await begin(t, begun.url)
  // This machine's clock began one month.
  const ids = [await add(begun, 1, '0', START)]
  // The clock is set years ahead by mistake, and back again; two servers notice each change at once.
  for (const at of ['2030-01-05T00:00:00.000Z', '2026-06-20T00:00:00.000Z', '2026-07-01T00:00:00.000Z']) {
    await Promise.all([turn(begun, at), turn(other, at), turn(begun, at)])
    ids.push(await add(begun, 1, at, START))
    ids.push(await add(begun, 1, `${at} again`, START))
  }
  const first = (month: number) => [firstIdOf(month), firstIdOf(month) + 1]
  assert.deepEqual(ids, [firstIdOf(1), ...first(2), ...first(3), ...first(4)])
  assert.equal((await monthsOf(begun.db.read)).length, 5)
})

test('messages stored while months begin are stored once', async (t) => {
  const begun = await withCompanies(t)
  let stored = 0
  let enough = false
  const storing = (async () => {
    while (!enough) {
      await begun.db.write((tx) => insertMessages(tx, [newMessage(`${stored}`)]))
      stored++
    }
  })()
  for (let month = 7; month <= 12; month++)
    await turn(begun, `2026-${String(month).padStart(2, '0')}-01T00:00:00.000Z`)
  enough = true
  await storing
  for (const table of ['messages', 'queue']) {
    const [row] = await begun.run(`select count(*) as count, count(distinct id) as ids from ${table}`)
    assert.deepEqual(row, { count: stored, ids: stored })
  }
})

test('a month begins after transactions that look up and store a guid have ended, and later ones find it', async (t) => {
  const begun = await withCompanies(t)
  const { db } = begun
  const other = await begin(t, begun.url)
  await begun.run(`update months set began_at = '2026-06-01' where began_at is not null`)
  let looked!: () => void
  let goOn!: () => void
  const hasLooked = new Promise<void>((resolve) => (looked = resolve))
  const mayStore = new Promise<void>((resolve) => (goOn = resolve))
  const storing = other.db.write(async (tx) => {
    await shareSettingsLock(tx, 1)
    assert.equal((await knownGuids(tx, 1, ['the same'])).size, 0)
    looked()
    await mayStore
    await insertMessages(tx, [newMessage('the same')])
  })
  await hasLooked
  try {
    const early = ensureMonths(db.inOwnSession, new Date('2026-07-01T00:00:00.000Z'))
    await assert.rejects(early, { code: 'not_ready' })
  } finally {
    goOn()
  }
  await storing
  await turn(begun, '2026-07-01T00:00:00.000Z')
  await db.write(async (tx) => {
    await shareSettingsLock(tx, 1)
    assert.equal((await knownGuids(tx, 1, ['the same'])).size, 1)
  })
})

test('a statement about one message, a page or the newest messages reads only their months', async (t) => {
  const begun = await withCompanies(t)
  const { run } = begun
  await add(begun, 1, 'june', START)
  await turn(begun, '2026-07-01T00:00:00.000Z')
  await add(begun, 1, 'july', START)
  await turn(begun, '2026-08-01T00:00:00.000Z')
  await turn(begun, '2026-08-20T00:00:00.000Z')
  /** The partitions that a statement reads. */
  const looksInto = async (text: string) => {
    const rows = await run<Record<string, string>>(`explain ${text}`)
    const plan = rows.map((row) => Object.values(row)[0]).join('\n')
    return [...new Set([...plan.matchAll(/ on (\w+_\d)/g)].map(([, part]) => part!))].sort()
  }
  const recent = `select * from messages where guid = 'july' and id >= recent_messages()`
  assert.deepEqual(await looksInto(recent), ['messages_2', 'messages_3'])
  const page = `select id from messages where company_id = 1 and id < ${firstIdOf(1)} order by id desc limit 500`
  assert.deepEqual(await looksInto(page), ['messages_0'])
  assert.deepEqual(await looksInto(`update outcomes set state = '' where id = ${firstIdOf(1)}`), [
    'outcomes_1',
  ])
  assert.deepEqual(await looksInto('select * from attempts where message_id = 1'), ['attempts_0'])
})
