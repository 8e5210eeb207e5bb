import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import pino from 'pino'
import { instant } from '#server/core/clock.ts'
import type { KeyCaller } from '#server/core/context.ts'
import { HOUR, testClock } from '#test/clock.ts'
import { eventually } from '#test/device.ts'
import { openWorld } from '#test/model/world.ts'
import { type Receiver, startDeliveries } from './deliveries.ts'
import { storeDelivery } from './storing.ts'
import { startSmppUpkeep } from './upkeep.ts'

const NOW = '2026-06-10T08:00:00.000Z'
const DAY = 24 * HOUR

/** A database with an API key, and how the work of the test is started. */
async function begin(t: TestContext) {
  const clock = testClock(NOW)
  const world = await openWorld(clock, () => {})
  const { db } = world
  const key = { company_id: 2, name: 'shop', key_hash: 'x', hint: 'x', may: '[]', webhook_secret: 'x' }
  const api_key_id = await db.write((tx) => tx.insertRow('api_keys', { ...key, created_at: NOW }))
  const needs = { db, clock, log: pino({ enabled: false }) }
  return {
    db,
    api_key_id,
    start<Work extends { stop(): Promise<void> }>(open: (its: typeof needs) => Work): Work {
      const work = open(needs)
      t.after(async () => {
        await work.stop()
        await world.close()
      })
      return work
    },
  }
}

test('a delivery that a bind did not answer goes to another bind of the key', async (t) => {
  const { db, api_key_id, start } = await begin(t)
  const caller = { company_id: 2, api_key_id, may: [] as readonly string[] } as KeyCaller
  const deliveries = start(startDeliveries)

  const heard: string[] = []
  const taken = Promise.withResolvers<void>()
  const receiver = (name: string, room: number, status: number | undefined): Receiver => ({
    // The one with the most room is tried first.
    free: () => room,
    async deliver(body) {
      heard.push(`${name}: ${body.toString()}`)
      if (status === 0) taken.resolve()
      return status
    },
  })
  const leave = [deliveries.add(caller, receiver('silent', 10, undefined))]
  leave.push(deliveries.add(caller, receiver('other', 1, 0)))
  const body = Buffer.from('receipt')
  await db.write((tx) => storeDelivery(tx, { company_id: 2, api_key_id, name: 'a', body, created_at: NOW }))
  await taken.promise
  for (const left of leave) left()
  assert.deepEqual(heard, ['silent: receipt', 'other: receipt'])
})

test('receipts, received SMS and parts that are too old are removed, also without the door', async (t) => {
  const { db, api_key_id, start } = await begin(t)
  const ago = (ms: number) => instant(Date.parse(NOW) - ms)
  const [old, young] = [ago(7 * DAY + 1), ago(7 * DAY)]
  const delivery = (created_at: string) => {
    return { company_id: 2, api_key_id, name: 'a', body: '', created_at, due_at: created_at }
  }
  for (let n = 0; n < 3; n++)
    await db.write((tx) =>
      tx.insert(
        'smpp_deliveries',
        Array.from({ length: 400 }, () => delivery(old)),
      ),
    )
  await db.write((tx) => tx.insert('smpp_deliveries', [delivery(young)]))
  const part = { company_id: 2, api_key_id, reference: '["",""]', guid: 'part', n: 1, registered: 0 }
  await db.write((tx) => tx.insert('smpp_parts', [{ ...part, data_coding: 0, octets: '', began_at: old }]))
  start((needs) => startSmppUpkeep({ ...needs, replica: { leads: () => true } }))
  const left = async (table: string) => (await db.read.query(`select id from ${table}`)).length
  await eventually(async () => (await left('smpp_deliveries')) === 1 && (await left('smpp_parts')) === 0)
})
