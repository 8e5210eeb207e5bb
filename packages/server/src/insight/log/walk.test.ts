import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { createCompany } from '#server/accounts/companies/companies.ts'
import { type Database, openDatabase } from '#server/database/open.ts'
import { insertMessages } from '#server/messages/messages/store.ts'
import { removeMessages } from '#test/message-tables.ts'
import { indexMore } from '#server/messages/search/indexing.ts'
import { trigramStore } from '#server/messages/search/trigrams.store.ts'
import { trigramQuery } from '#server/messages/search/trigram-query.ts'
import { walkLog } from './walk.ts'

/** More messages than one scan without the index reads. */
const MESSAGES = 26_000
const folder = mkdtempSync(join(tmpdir(), 'sdd-log-'))
let db: Database
let scope: { company_id: number }

before(async () => {
  db = await openDatabase({ folder })
  scope = await db.write(async (tx) => {
    const [ours, others] = [await newCompany(tx, 'ours'), await newCompany(tx, 'others')]
    const messages = Array.from({ length: MESSAGES }, (_, n) => newMessage(n % 7 === 0 ? others : ours, n))
    await insertMessages(tx, messages)
    return { company_id: ours }
  })
  while (await indexMore(db));
})
after(async () => {
  await db.close()
  rmSync(folder, { recursive: true })
})

test('queued messages are found in the order of their ids, both waiting and given ones', async () => {
  await db.write(async (tx) => {
    await tx.query(`insert into in_flight (id, device_id, attempt, assigned_at, expires_at, look_at)
      select id, 1, 1, due_at, expires_at, expires_at from queue where id < 9000`)
    await tx.query('delete from queue where id < 9000')
  })
  const ids = (await walked({ state: ['queued'] })).map(({ id }) => id)
  assert.equal(ids.length, MESSAGES - Math.ceil(MESSAGES / 7))
  assert.ok(ids.every((id, place) => place === 0 || id < ids[place - 1]!))
})

test('messages that are not indexed yet are found, and removed messages are not', async () => {
  const { company_id } = scope
  await db.write((tx) => insertMessages(tx, [newMessage(company_id, MESSAGES + 7)]))
  assert.equal(await trigramStore(db.read, 'messages').isBehind(), true)
  assert.deepEqual(await found(`Referencia ${MESSAGES + 7}`), [MESSAGES + 7])
  await db.write((tx) => removeMessages(tx, 'guid = :guid', { guid: guidOf(43) }))
  assert.deepEqual(await found('Referencia 00043'), [])
  assert.deepEqual(
    await trigramStore(db.read, 'messages').candidates(
      trigramQuery(['Referencia 00043'], rare)!,
      { from: 1, below: 100 },
      9,
    ),
    [],
  )
})

test('a walk that finds nothing can be ended after each scanned part', async () => {
  for (const search of ['"x', 'Referencia 99999']) {
    let parts = 0
    for await (const rows of walkLog(db.read, scope, { search }, 1_000)) {
      assert.deepEqual(rows, [])
      parts++
    }
    assert.ok(parts > 0, search)
  }
})

test('after a step that delayed writers, the pause is many times as long', async () => {
  await db.write((tx) => insertMessages(tx, [newMessage(scope.company_id, MESSAGES + 8)]))
  const pauseAfter = (more: 0 | 1, held_up: boolean) =>
    indexMore({
      read: db.read,
      async writeInWorker() {
        await wait(10)
        return { rows: [{ more }], held_up }
      },
    })
  const [alone, held_up] = [await pauseAfter(1, false), await pauseAfter(1, true)]
  assert.ok(alone! < 10, `${alone} ms`)
  assert.ok(held_up! > 150, `${held_up} ms`)
  assert.equal(await pauseAfter(0, true), undefined)
})

test('new messages that reuse the ids of removed ones are found', async () => {
  const { company_id } = scope
  await db.write((tx) => removeMessages(tx))
  const again = Array.from({ length: MESSAGES - 1 }, (_, n) => newMessage(company_id, 30_000 + n))
  await db.write((tx) => insertMessages(tx, again))
  while (await indexMore(db));
  assert.deepEqual(await found('Referencia 30005'), [30_005])
})

test('frequent terms are determined from the whole log, not only from its newest messages', async () => {
  const texts = await trigramStore(db.read, 'messages').sample(10)
  assert.equal(texts.length, 20)
  assert.match(texts[0]!, /30000\n/)
  assert.ok(
    texts.some((text) => text.includes(`Referencia ${30_000 + Math.floor((MESSAGES - 2) / 2)}`)),
    String(texts),
  )
  assert.ok(
    texts.some((text) => text.includes(`Referencia ${30_000 + MESSAGES - 2}`)),
    String(texts),
  )
})

test('a text that is too short for the index is not looked up in it', () => {
  assert.equal(trigramQuery(['ab'], rare), undefined)
  assert.equal(trigramQuery(['abcd', '12'], rare), undefined)
  assert.equal(trigramQuery(['ab"c', 'ab"c'], rare), '("b""c" AND "ab""")')
  assert.equal(trigramQuery(['a😀bc', '123'], rare), '("😀bc" AND "a😀b") OR ("123")')
})

test('a long text is looked up by its rare terms, not by terms of nearly all messages', () => {
  const shareOf = (term: string) => ('+34600'.includes(term) ? 1 : 0.01)
  assert.equal(trigramQuery(['+34600123456'], shareOf), '("456" AND "123" AND "345")')
  assert.equal(
    trigramQuery(['arrives'], () => 1),
    '("ves")',
  )
})

const rare = () => 0

async function found(search: string): Promise<number[]> {
  return (await walked({ search }))
    .map(({ guid }) => Number(guid.slice('guid-'.length)))
    .sort((a, b) => a - b)
}

async function walked(selection: Parameters<typeof walkLog>[2]) {
  const all = []
  for await (const rows of walkLog(db.read, scope, selection, 1_000)) all.push(...rows)
  return all
}

async function newCompany(tx: Parameters<typeof createCompany>[0], name: string): Promise<number> {
  return createCompany(tx, name, '2026-06-01T08:00:00.000Z')
}

function guidOf(n: number): string {
  return `guid-${String(n).padStart(5, '0')}`
}

const OTHER_TEXTS: Record<number, string> = { 4: 'hoy 50 % de "descuento"', 5: 'el ñandú corre' }

function newMessage(company_id: number, n: number) {
  const at = '2026-06-01T08:00:00.000Z'
  return {
    company_id,
    guid: guidOf(n),
    message: OTHER_TEXTS[n] ?? `Su pedido: Referencia ${String(n).padStart(5, '0')}`,
    message_to: `+34600${String(n).padStart(6, '0')}`,
    parts: 1,
    priority: 1,
    silent: 0,
    queue_timestamp: at,
    due_at: at,
    expires_at: '2026-06-02T08:00:00.000Z',
    task: 1,
    lane: '',
  } as const
}
