import assert from 'node:assert/strict'
import { test } from 'node:test'
import pino from 'pino'
import type { KeyCaller } from '#server/core/context.ts'
import { testClock } from '#test/clock.ts'
import { openWorld } from '#test/model/world.ts'
import { type Receiver, startDeliveries } from './deliveries.ts'
import { storeDelivery } from './storing.ts'

const NOW = '2026-06-10T08:00:00.000Z'

test('a delivery that a bind did not answer goes to another bind of the key', async (t) => {
  const clock = testClock(NOW)
  const world = await openWorld(clock, () => {})
  const { db } = world
  const key = { company_id: 2, name: 'shop', key_hash: 'x', hint: 'x', may: '[]', webhook_secret: 'x' }
  const api_key_id = await db.write((tx) => tx.insertRow('api_keys', { ...key, created_at: NOW }))
  const caller = { company_id: 2, api_key_id, may: [] as readonly string[] } as KeyCaller
  const deliveries = startDeliveries({ db, clock, log: pino({ enabled: false }) })
  t.after(async () => {
    await deliveries.stop()
    await world.close()
  })

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
