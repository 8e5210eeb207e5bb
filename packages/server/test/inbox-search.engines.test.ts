import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { InboxSelection } from '@sdd/contract/people/conversations.ts'
import { createCompany } from '#server/accounts/companies/companies.ts'
import type { Caller } from '#server/core/context.ts'
import { type Database, openDatabase } from '#server/database/open.ts'
import { removeRow } from '#server/insight/retention/store.ts'
import { inboxStore } from '#server/messages/inbox/store.ts'
import { allCandidates } from '#server/messages/search/candidates.ts'
import { indexMore } from '#server/messages/search/indexing.ts'
import { listInbox } from '#server/people/conversations/inbox.ts'
import { eventually } from './device.ts'
import { databaseOf } from './engine.ts'

const AT = '2026-06-01T08:00:00.000Z'
const MOST = 1_000
const folder = mkdtempSync(join(tmpdir(), 'sdd-inbox-search-'))
let db: Database
let company_id: number
let count = 0

before(async () => {
  db = await openDatabase({ folder, url: await databaseOf(folder) })
  company_id = await db.write((tx) => createCompany(tx, 'ours', AT))
  await db.write(async (tx) => {
    const status = { max_sms_dayly: 1, enabled_at: '', status: 'connected', status_at: '' } as const
    const device = { company_id, uid: 'd1', secret_hash: '', created_at: '', enabled: 1 } as const
    await tx.put('devices', { id: 1 }, { ...device, ...status })
  })
})
after(async () => {
  await db.close()
  rmSync(folder, { recursive: true })
})

/** Enough SMS that the index has the first one, and the id of that. */
async function received(text: string, sms_from: string): Promise<number> {
  const id = await db.write(async (tx) => {
    const store = inboxStore(tx)
    const sms = { company_id, device_id: 1, sms_at: AT, received_at: AT, sim: null, message_id: null }
    const first = await store.insert({ ...sms, sms_id: `sms ${++count}`, sms_from, text })
    for (let more = 0; more < 20; more++)
      await store.insert({ ...sms, sms_id: `sms ${++count}`, sms_from: '+34600999999', text: 'Paja' })
    return first!
  })
  // Transactions of other tests hold up the index of PostgreSQL.
  await eventually(async () => {
    await indexMore(db)
    return (await allCandidates(db.read, 'inbox', ['Paja'], MOST))!.reaches >= id
  })
  return id
}

async function mayBe(search: string): Promise<number[] | undefined> {
  return (await allCandidates(db.read, 'inbox', [search], MOST))?.ids
}

test('the index of received SMS finds a text without its accents, and a number, until the SMS is removed', async () => {
  const id = await received('Mañana no estaré', '+34600111222')
  for (const search of ['manana no', 'ESTARÉ', '600111222']) {
    assert.ok((await mayBe(search))?.includes(id), search)
    assert.ok((await mayBe(search))!.length < 20, 'the index tells it from most others')
  }
  assert.deepEqual(await mayBe('nothing like it'), [])
  assert.equal(await mayBe('no'), undefined, 'too short for the index')
  const rows = await db.read.query<{ id: number }>('select id from inbox')
  await db.write(async (tx) => {
    for (const row of rows) await removeRow(tx, 'inbox', row.id)
  })
  assert.deepEqual(await mayBe('estaré'), [])
  const index = db.read.engine === 'postgres' ? 'inbox_search' : 'inbox_search_docsize'
  assert.deepEqual(await db.read.query(`select id from ${index}`), [])
})

test('an SMS that gets the id of a removed one is found by its own text', async () => {
  const first = await received('Una aguja', '+34600111333')
  await db.write(async (tx) => {
    for (let id = first; id <= first + 20; id++) await removeRow(tx, 'inbox', id)
  })
  const id = await received('Un alfiler', '+34600111444')
  assert.ok((await mayBe('alfiler'))?.includes(id))
  assert.deepEqual(await mayBe('aguja'), [])
})

test('a search in the inbox finds texts without their accents, those that the index lacks too, page by page', async () => {
  const ids: number[] = []
  for (const number of ['1', '2', '3']) ids.unshift(await received('¿Mañana? SÍ', `+3460011155${number}`))
  const newest = await db.write((tx) =>
    inboxStore(tx).insert({
      company_id,
      device_id: 1,
      sms_id: `sms ${++count}`,
      sms_from: '+34600111554',
      text: 'mañana sí',
      sms_at: AT,
      received_at: AT,
      sim: null,
      message_id: null,
    }),
  )
  const caller = { company_id, user_id: 1, role: 'admin', scope: { company_id } } as Caller
  const kept = (_: number, written: string) => written.replace(/^00/, '+')
  const find = async (search: string, selection: Partial<InboxSelection> = {}) => {
    const page = await listInbox({ db, numbers: { kept } }, caller, { limit: 100, search, ...selection })
    return { ids: page.inbox.map(({ id }) => Number(id.slice(1))), next_cursor: page.next_cursor }
  }
  const all = [newest!, ...ids]
  for (const search of ['manana', ' MAÑANA', 'añ', '60011155'])
    assert.deepEqual((await find(search)).ids, all, search)
  assert.deepEqual((await find('0034600111552')).ids, [ids[1]])
  const first = await find('manana', { limit: 3 })
  assert.deepEqual(first.ids, all.slice(0, 3))
  assert.deepEqual((await find('manana', { cursor: first.next_cursor! })).ids, all.slice(3))
  assert.deepEqual((await find('manana', { since: `r${ids[1]}` })).ids, all.slice(0, 2))
  assert.deepEqual((await find('manana', { device_uid: 'd2' })).ids, [])
})
