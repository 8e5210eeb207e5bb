import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { createCompany } from '#server/accounts/companies/companies.ts'
import { type Database, openDatabase } from '#server/database/open.ts'
import { ensureMonths } from '#server/database/months/months.ts'
import { indexMore } from '#server/messages/search/indexing.ts'
import type { LogSelection } from '@sdd/contract/insight/log.ts'
import { countLogs } from '#server/insight/log/count.ts'
import { walkLog } from '#server/insight/log/walk.ts'
import { insertMessages } from '#server/messages/messages/store.ts'
import { eventually } from './device.ts'
import { databaseOf, onPostgres } from './engine.ts'
import { removeMessages } from './message-tables.ts'

const MESSAGES = 2_600
const AT = '2026-06-01T08:00:00.000Z'
const folder = mkdtempSync(join(tmpdir(), 'sdd-searching-'))
let db: Database
let scope: { company_id: number }

/** On PostgreSQL the second half is in another month, and messages missing from the index are as old as the first. */
before(async () => {
  db = await openDatabase({ folder, url: await databaseOf(folder) })
  const [ours, others] = await db.write(async (tx) => [
    await createCompany(tx, 'ours', AT),
    await createCompany(tx, 'others', AT),
  ])
  scope = { company_id: ours! }
  const messages = Array.from({ length: MESSAGES }, (_, n) => newMessage(n % 7 === 0 ? others! : ours!, n))
  await insert(messages.slice(0, MESSAGES / 2))
  await nextMonth()
  await insert(messages.slice(MESSAGES / 2))
  while (await indexMore(db));
})
after(async () => {
  await db.close()
  rmSync(folder, { recursive: true })
})

function insert(messages: readonly ReturnType<typeof newMessage>[]): Promise<void> {
  return db.write((tx) => insertMessages(tx, messages))
}

async function nextMonth(): Promise<void> {
  if (db.inOwnSession) await ensureMonths(db.inOwnSession, new Date(Date.now() + 32 * 86_400_000))
}

test('a part of a text, digits of a number and the beginning of a guid are found at any age', async () => {
  for (const [search, expected] of [
    ['Referencia 00044', [44]],
    ['referencia 0004', [40, 41, 43, 44, 45, 46, 47, 48]],
    ['+34 600-000.050', [50]],
    ['600000050', [50]],
    ['guid-00051', [51]],
    ['GUID-00051', [51]],
    ['50 % de "descuento"', [4]],
    ['ñandú', [5]],
    ['nothing like it', []],
  ] as const) {
    assert.deepEqual(await found(search), expected, search)
  }
})

test('a whole number or guid finds only its own messages if there are any, and otherwise texts that contain it', async () => {
  assert.deepEqual(await found('+34 600 000 060'), [60])
  assert.deepEqual(await found('600000060'), [6, 60])
  assert.deepEqual(await found('+34600999999'), [8])
  assert.deepEqual(await found('+34600000063'), [], 'it is of another company')
  assert.deepEqual(await found('+3460000006'), [6, 60, 61, 62, 64, 65, 66, 67, 68, 69])
  const everybodys = []
  for await (const rows of walkLog(db.read, 'all', { search: '+34600000063' }, 9)) everybodys.push(...rows)
  assert.deepEqual(
    everybodys.map(({ guid }) => guid),
    [guidOf(63)],
  )
  assert.deepEqual(await walked({ search: '+34600000060', state: ['sent'] }), [])

  const guid = '0b8f4c1e-5a3d-4f6b-9c7e-2d1a0f9e8b7c'
  const mention = { ...newMessage(scope.company_id, MESSAGES + 8), message: `Referencia ${guid}` }
  await insert([mention])
  assert.deepEqual(await guidsOf(guid), [mention.guid])
  await insert([{ ...newMessage(scope.company_id, MESSAGES + 9), guid }])
  assert.deepEqual(await guidsOf(guid.toUpperCase()), [guid])
  assert.deepEqual(await guidsOf(guid.slice(0, -1)), [guid, mention.guid])
  for (const found of [guid, mention.guid]) await remove(found)
})

async function remove(guid: string): Promise<void> {
  await db.write((tx) => removeMessages(tx, 'guid = :guid', { guid }))
}

test('case and accents do not matter, whether the index or a scan finds the message', async () => {
  const mention = {
    ...newMessage(scope.company_id, MESSAGES + 20),
    message: 'REVISIÓN (a+b)* de [Caña]\\ $1 ^x|y.',
  }
  await insert([mention])
  const check = async () => {
    for (const search of ['nandu', 'ÑANDÚ', 'ñandÚ']) assert.deepEqual(await found(search), [5], search)
    for (const search of ['revision', 'Revisio\u0301n', 'REVISIÒN', '(A+B)*', '[CANA]\\', '$1 ^X|Y.'])
      assert.deepEqual(await guidsOf(search), [mention.guid], search)
    for (const search of ['REVISIO.', 'a+b)+', 'ñ%', 'x_y.'])
      assert.deepEqual(await guidsOf(search), [], search)
  }
  await check()
  while (await indexMore(db));
  await check()
  await remove(mention.guid)
})

test('the beginning of a guid is found as it was typed, or in lower case, at any age', async () => {
  const order = { ...newMessage(scope.company_id, MESSAGES + 30), guid: 'Order-2026-77' }
  await insert([order])
  const check = async () => {
    assert.deepEqual(await guidsOf('Order-2026'), [order.guid])
    assert.deepEqual(await guidsOf('order-2026'), [])
    assert.deepEqual(await guidsOf('ORDER-2026'), [])
    assert.deepEqual(await guidsOf('Guid-00051'), [guidOf(51)])
  }
  await check()
  while (await indexMore(db));
  await check()
  await remove(order.guid)
})

test('messages of another company are not found', async () => {
  assert.deepEqual(await found('Referencia 00049'), [])
  assert.deepEqual(await found('guid-00049'), [])
})

test('other filters apply to search results', async () => {
  const rows = await walked({ search: 'Referencia 0004', state: ['queued'] })
  assert.equal(rows.length, 8)
  assert.deepEqual(await walked({ search: 'Referencia 0004', state: ['sent'] }), [])
  assert.deepEqual(await walked({ search: 'Referencia 0004', from: '2026-06-02T00:00:00.000Z' }), [])
})

test('several states, and a failure code, select messages of any age', async () => {
  const before = (await count({})).count
  await db.write(async (tx) => {
    for (const [n, state, error] of [
      [11, 'failed', 'no_network'],
      [12, 'failed', 'timeout'],
      [13, 'delivered', null],
      [MESSAGES - 4, 'uncertain', 'no_network'],
    ] as const) {
      const rows = await tx.query<{ id: number }>('select id from messages where guid = :guid', {
        guid: guidOf(n),
      })
      const { id } = rows[0]!
      await tx.query('delete from queue where id = :id', { id })
      await tx.query(
        `insert into outcomes (id, company_id, device_id, state, error, attempt, completed_at, error_block)
          values (:id, :company_id, null, :state, :error, 1, :at, 0)`,
        { id, company_id: scope.company_id, state, error, at: AT },
      )
    }
  })
  const numbers = async (selection: LogSelection) =>
    (await walked(selection)).map(({ guid }) => Number(guid.slice('guid-'.length)))
  assert.deepEqual(await numbers({ state: ['delivered', 'failed', 'uncertain'] }), [MESSAGES - 4, 13, 12, 11])
  assert.deepEqual(await numbers({ state: ['delivered', 'failed'], errors: 'true' }), [12, 11])
  assert.deepEqual(await numbers({ error: 'no_network' }), [MESSAGES - 4, 11])
  assert.deepEqual(await numbers({ error: 'no_network', state: ['failed', 'queued'] }), [11])
  assert.deepEqual(await numbers({ error: 'no such code' }), [])
  const some = await count({ state: ['failed', 'uncertain'] })
  assert.deepEqual(some, { count: 3, complete: true })
  assert.equal((await count({})).count, before)
})

test('a text in very many messages is found page by page, each message once and newest first', async () => {
  const ids: number[] = []
  for await (const rows of walkLog(db.read, scope, { search: 'Referencia' }, 1_000))
    ids.push(...rows.map(({ id }) => id))
  assert.equal(ids.length, MESSAGES - Math.ceil(MESSAGES / 7) - Object.keys(OTHER_TEXTS).length)
  assert.ok(ids.every((id, place) => place === 0 || id < ids[place - 1]!))
})

test('punctuation without digits matches no number', async () => {
  assert.deepEqual(await found('---'), [])
})

test('messages not yet in the index are found too, and removed ones are not', async () => {
  await insert([newMessage(scope.company_id, MESSAGES + 7)])
  assert.deepEqual(await found(`Referencia 0${MESSAGES + 7}`), [MESSAGES + 7])
  await remove(guidOf(43))
  assert.deepEqual(await found('Referencia 00043'), [])
  assert.deepEqual(await found('Referencia 00044'), [44])
})

test('a search too short for the index scans the messages month by month', async () => {
  assert.deepEqual(await found('"d'), [4])
  assert.deepEqual(await found(' Z'), [MESSAGES - 2])
})

test('a log that is scanned without an index has every message once', async () => {
  const ids: number[] = []
  for await (const rows of walkLog(db.read, 'all', { from: AT }, 1_000)) ids.push(...rows.map(({ id }) => id))
  assert.equal(ids.length, MESSAGES)
  assert.ok(ids.every((id, place) => place === 0 || id < ids[place - 1]!))
})

function count(selection: LogSelection) {
  const numbers = { kept: () => undefined }
  return countLogs({ db, numbers }, { scope, ...scope }, selection)
}

async function found(search: string): Promise<number[]> {
  return (await walked({ search }))
    .map(({ guid }) => Number(guid.slice('guid-'.length)))
    .sort((a, b) => a - b)
}

if (onPostgres) {
  test('a database that was restored into a younger cluster is indexed further', async () => {
    const reach = async () =>
      (await db.read.query<{ id: number }>('select id from message_search_reach'))[0]!.id
    const before = await reach()
    await db.write((tx) => tx.query('update message_search_reach set before = 1000000000000 returning id'))
    await insert(Array.from({ length: 100 }, (_, n) => newMessage(scope.company_id, MESSAGES + 100 + n)))
    // It goes as far as the transactions that were open before have ended.
    await eventually(async () => {
      await indexMore(db)
      return (await reach()) > before
    })
  })
}

async function guidsOf(search: string): Promise<string[]> {
  return (await walked({ search })).map(({ guid }) => guid)
}

async function walked(selection: Parameters<typeof walkLog>[2]) {
  const all = []
  for await (const rows of walkLog(db.read, scope, selection, 1_000)) all.push(...rows)
  return all
}

function guidOf(n: number): string {
  return `guid-${String(n).padStart(5, '0')}`
}

const OTHER_TEXTS: Record<number, string> = {
  4: 'hoy 50 % de "descuento"',
  5: 'el ñandú corre',
  6: 'llame al +34600000060',
  8: 'llame al +34600999999',
  [MESSAGES - 2]: 'de la A a la Z',
}

function newMessage(company_id: number, n: number) {
  return {
    company_id,
    guid: guidOf(n),
    message: OTHER_TEXTS[n] ?? `Su pedido: Referencia ${String(n).padStart(5, '0')}`,
    message_to: `+34600${String(n).padStart(6, '0')}`,
    parts: 1,
    priority: 1,
    silent: 0,
    queue_timestamp: AT,
    due_at: AT,
    expires_at: '2026-06-02T08:00:00.000Z',
    task: 1,
    lane: '',
  } as const
}
