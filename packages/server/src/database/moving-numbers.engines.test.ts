import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { newDatabase, onPostgres } from '#test/engine.ts'
import { migrations } from './migrations.ts'
import { hasOlder, moveOlder } from './moving-numbers.ts'
import { openDatabase } from './open.ts'
import type { Tx } from './schema.ts'

const NOW = new Date().toISOString()
const LONG_AGO = '2024-01-01T08:00:00.000Z'

/** A database as the first version left it, opened by this one. */
async function migrated(t: TestContext, seed: (tx: Tx) => Promise<void>) {
  const folder = mkdtempSync(join(tmpdir(), 'sdd-numbers-'))
  const url = onPostgres ? await newDatabase() : undefined
  const first = await openDatabase({ folder, url, migrations: migrations.slice(0, 1) })
  await first.write(seed)
  await first.close()
  const db = await openDatabase({ folder, url })
  t.after(async () => {
    await db.close()
    rmSync(folder, { recursive: true })
  })
  const rows = (text: string) => db.read.query<Record<string, unknown>>(text)
  return { db, rows: async (text: string) => (await rows(text)).map((row) => Object.values(row).join(' ')) }
}

async function insertCompany(tx: Tx): Promise<void> {
  await tx.query(`insert into companies (id, name, created_at) values (1, 'one', '')`)
  await tx.query(
    `insert into settings (company_id, spoof_time_secs, send_enabled, send_enabled_at) values (1, 0, 1, '')`,
  )
  const sims = JSON.stringify({
    mobile: { sims: [{ phone_number: '+351 600 000 001' }, { phone_number: '600000002' }] },
  })
  await tx.query(
    `insert into devices (id, company_id, uid, secret_hash, created_at, enabled, enabled_at, max_sms_dayly, status,
      status_at, networks) values (1, 1, 'drone', '', '', 1, '', 100, 'disconnected', '', :sims)`,
    { sims },
  )
  await tx.query(
    `insert into device_sims (device_id, company_id, number) values (1, 1, '600000001'), (1, 1, '600000002')`,
  )
}

function message(id: number, to: string, more: { from?: string; at?: string } = {}): string {
  const { from, at = NOW } = more
  return `insert into messages (id, company_id, guid, message, message_to, parts, priority, silent, task,
      queue_timestamp, expires_at, from_number)
    values (${id}, 1, 'guid-${id}', 'hola', '${to}', 1, 1, 0, 1, '${at}', '${at}', ${from ? `'${from}'` : 'null'})`
}

test('opt-outs are kept as E.164 by the country of their company; of two that become one, the earlier stays', async (t) => {
  const { rows } = await migrated(t, async (tx) => {
    await insertCompany(tx)
    const numbers = [
      ['600111222', 'a'],
      ['+351600333444', 'b'],
      ['112', 'c'],
      ['1234567', 'd'],
    ] as const
    for (const [number, key] of numbers)
      await tx.query(
        `insert into opt_outs (company_id, number, number_key, created_at) values (1, :number, :key, '')`,
        {
          number,
          key,
        },
      )
    await tx.query(
      `insert into opt_outs (company_id, number, number_key, text, created_at) values (1, '0034600111222', 'e', 'later', '')`,
    )
  })
  assert.deepEqual(await rows("select number, coalesce(text, '') from opt_outs order by id"), [
    '+34600111222 ',
    '+351600333444 ',
    '112 ',
    '1234567 ',
  ])
})

test('the usual device of a number is kept under the number that it really wrote to', async (t) => {
  const { rows } = await migrated(t, async (tx) => {
    await insertCompany(tx)
    await tx.query(message(1, '+351600111222'))
    await tx.query(message(2, '600333444'))
    await tx.query(`insert into recipients (company_id, number, device_id, last_at) values
      (1, '600111222', 1, '${NOW}'), (1, '600333444', 1, '${NOW}'), (1, '600555666', 1, '${NOW}')`)
  })
  assert.deepEqual(await rows('select number from recipients order by number'), [
    '+34600333444',
    '+34600555666',
    '+351600111222',
  ])
})

test('waiting messages, their lanes and the SIMs are moved together', async (t) => {
  const { rows } = await migrated(t, async (tx) => {
    await insertCompany(tx)
    await tx.query(message(1, '600 111 222'.replaceAll(' ', ''), { from: '600000002', at: LONG_AGO }))
    await tx.query(message(2, '0034600111223', { from: '+34600000002', at: LONG_AGO }))
    await tx.query(message(3, '600111224', { at: LONG_AGO }))
    await tx.query(`insert into queue (id, company_id, priority, due_at, expires_at, lane) values
      (1, 1, 1, '', '', 'sim:600000002'), (2, 1, 1, '', '', 'sim:600000002')`)
    await tx.query(`insert into lanes (company_id, lane, waiting) values (1, 'sim:600000002', 2), (1, '', 0)`)
    await tx.query(`insert into in_flight (id, device_id, attempt, assigned_at, expires_at, look_at)
      values (3, 1, 1, '', '', '')`)
  })
  assert.deepEqual(await rows(`select message_to, coalesce(from_number, '') from messages order by id`), [
    '+34600111222 +34600000002',
    '+34600111223 +34600000002',
    '+34600111224 ',
  ])
  assert.deepEqual(await rows('select number from device_sims order by number'), [
    '+34600000002',
    '+351600000001',
  ])
  assert.deepEqual(await rows(`select lane from queue order by id`), ['sim:+34600000002', 'sim:+34600000002'])
  assert.deepEqual(await rows(`select lane, waiting from lanes where lane <> ''`), ['sim:+34600000002 2'])
})

test('counts of one number on one day become one', async (t) => {
  const { rows } = await migrated(t, async (tx) => {
    await insertCompany(tx)
    await tx.query(`insert into recipient_counts (company_id, number, day, count) values
      (1, '600111222', '2026-06-10', 2), (1, '+34600111222', '2026-06-10', 3), (1, '0034600111222', '2026-06-09', 9)`)
  })
  assert.deepEqual(await rows('select number, day, count from recipient_counts'), [
    '+34600111222 2026-06-10 5',
  ])
})

test('the last days are moved at the start, and the rest of the log follows', async (t) => {
  const { db, rows } = await migrated(t, async (tx) => {
    await insertCompany(tx)
    for (let id = 1; id <= 5; id++)
      await tx.query(message(id, `60011122${id}`, { at: id > 3 ? NOW : LONG_AGO }))
    for (const [id, at] of [
      [1, LONG_AGO],
      [2, NOW],
    ] as const)
      await tx.query(`insert into inbox (id, company_id, device_id, sms_id, sms_from, text, sms_at, received_at)
        values (${id}, 1, 1, 'sms ${id}', '60011122${id}', '', '${at}', '${at}')`)
  })
  const numbers = async () => [
    ...(await rows('select message_to from messages order by id')),
    ...(await rows('select sms_from from inbox order by id')),
  ]
  const old = ['600111221', '600111222', '600111223']
  assert.deepEqual(await numbers(), [...old, '+34600111224', '+34600111225', '600111221', '+34600111222'])
  let steps = 0
  while (await db.write((tx) => moveOlder(tx, 2))) steps++
  assert.ok(steps > 0)
  assert.equal(await hasOlder(db.read), false)
  assert.deepEqual(await numbers(), [
    ...old.map((number) => `+34${number}`),
    '+34600111224',
    '+34600111225',
    '+34600111221',
    '+34600111222',
  ])
})

test('a new database has nothing to move', async (t) => {
  const { db } = await migrated(t, async () => {})
  assert.equal(await hasOlder(db.read), false)
})
