import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type { ReportState } from '@sdd/contract/fleet/device-protocol.ts'
import { instant } from '#server/core/clock.ts'
import { CLASS_PRIORITY } from '#server/messages/messages/classes.ts'
import { queueMessage } from '#server/messages/messages/messages.ts'
import { countFailuresInRow } from '#server/outward/callbacks/result.ts'
import { HOUR, MINUTE, SECOND } from './clock.ts'
import { SUPERADMIN } from './model/world.ts'
import { ICCIDS } from './sim-cards.ts'
import { begin } from './alert-checks.ts'

const MARKETING = CLASS_PRIORITY.marketing

type AlertChecks = Awaited<ReturnType<typeof begin>>

test('two checks in a row find a radio, a quarantine, a used limit, failed messages and failing webhooks', async (t) => {
  const { rule, after, open, join, world, clock, end } = await begin(t)
  const drone = await join('drone')
  const from = await drone.connect()
  await rule({ condition: 'radio_not_ready', value: 0 })
  await rule({ condition: 'device_quarantined' })
  await rule({ condition: 'daily_limit_used', value: 80 })
  await rule({ condition: 'failure_rate', value: 40, over: 5 })
  await rule({ condition: 'failure_rate', value: 60, over: 5, by: 'company' })
  await rule({ condition: 'webhook_failing', value: 3 })
  const webhook = await world.db.write((tx) =>
    tx.insertRow('webhooks', {
      company_id: 1,
      url: 'https://shop.example/hook?key=1',
      types: '[]',
      secret: 'x',
      created_at: instant(clock.now()),
    }),
  )
  const tried = (...outcomes: ('failed' | 'delivered')[]) =>
    world.db.write((tx) =>
      countFailuresInRow(
        tx,
        outcomes.map((outcome) => ({ webhook, outcome })),
      ),
    )
  await tried('failed', 'failed')
  await end(drone.device_id, 'failed', 'failed', 'expired', 'sent', 'delivered')
  await after(SECOND)
  await after(SECOND)
  assert.deepEqual(await open(), [])
  await world.networks(from, { wifi: null, mobile: null, radio: { ready: false, says: 'no SIM' } })
  await tried('failed')
  await end(drone.device_id, 'sent')
  const quarantined_until = instant(clock.now() + HOUR)
  await world.db.write(async (tx) => {
    await tx.update('devices', { id: drone.device_id }, { quarantined_until, max_sms_dayly: 10 })
    const sent_day = clock.day(clock.now())
    await tx.put('capacity', { device_id: drone.device_id }, { sent_day, sent_parts: 8 })
  })
  await after(SECOND)
  assert.deepEqual(await open(), ['radio_not_ready drone'])
  await after(SECOND)
  const all = [
    'daily_limit_used drone',
    'device_quarantined drone',
    'failure_rate drone',
    'radio_not_ready drone',
    `webhook_failing ${webhook}`,
  ]
  assert.deepEqual(await open(), all)
  await end(drone.device_id, 'uncertain', 'failed', 'failed')
  await after(SECOND)
  await after(SECOND)
  assert.deepEqual(await open(), [...all, 'failure_rate 1'].sort())
  await tried('failed', 'delivered')
  await end(drone.device_id, 'sent', 'sent', 'sent', 'sent')
  await world.db.write((tx) => tx.update('devices', { id: drone.device_id }, { max_sms_dayly: 100 }))
  await world.networks(from, { wifi: null, mobile: null, radio: { ready: true, says: 'fine' } })
  await after(HOUR)
  await after(SECOND)
  assert.deepEqual(await open(), [])
})

test('a sent message counts in a failure rate before its delivery report', async (t) => {
  const { rule, after, open, join, world, clock } = await begin(t)
  const from = await (await join('drone')).connect()
  await rule({ condition: 'failure_rate', value: 50, over: 10 })
  await rule({ condition: 'failure_rate', value: 50, over: 10, by: 'company' })
  const send = async (state: 'failed' | 'sent') => {
    const guid = await queue(world)
    // The device is not to blame, so it is not quarantined.
    const block = state === 'failed'
    await world.reports(from, [{ guid, attempt: 1, state, at: instant(clock.now()), block }])
    clock.advance(SECOND)
  }
  for (let n = 0; n < 8; n++) await send('failed')
  clock.advance(HOUR)
  for (let n = 0; n < 10; n++) await send(n % 5 === 0 ? 'failed' : 'sent')
  await after(SECOND)
  await after(SECOND)
  assert.deepEqual(await open(), [])
  for (let n = 0; n < 4; n++) await send('failed')
  await after(SECOND)
  await after(SECOND)
  assert.deepEqual(await open(), ['failure_rate 1', 'failure_rate drone'])
})

test('messages that were not delivered in the end count in a failure rate, however late that is reported', async (t) => {
  const { rule, after, open, join, world, clock } = await begin(t)
  const from = await (await join('drone')).connect()
  await rule({ condition: 'failure_rate', value: 50, over: 5 })
  const at = instant(clock.now())
  const guids: string[] = []
  for (let n = 0; n < 5; n++) guids.push(await queue(world))
  const report = (state: 'sent' | 'undelivered') =>
    world.reports(
      from,
      guids.map((guid) => ({ guid, attempt: 1, state, at })),
    )
  await report('sent')
  await after(5 * MINUTE)
  await report('undelivered')
  await after(SECOND)
  await after(SECOND)
  assert.deepEqual(await open(), ['failure_rate drone'])
})

test('a SIM near the end of its plan, its validity or its balance opens an alert', async (t) => {
  const { rule, after, open, join, world, alerts } = await begin(t)
  const { device_id } = await join('drone')
  const iccid = '8934071234567890123'
  await world.db.write((tx) =>
    tx.insertRow('sims', { company_id: 1, iccid, device_id, slot: 0, number: '+34600111222' }),
  )
  const set = (change: object) => world.db.write((tx) => tx.update('sims', { iccid }, change))
  await rule({ condition: 'plan_used', value: 80 })
  await rule({ condition: 'sim_expires', value: 7 })
  await rule({ condition: 'balance_low', value: 2.5 })
  await rule({ condition: 'balance_low', value: 100, tags: ['roof'] })
  const plan = { parts_per_month: 1_000, recipients_per_month: 100, renews_on_day: 1 }
  await set({ ...plan, used_until: '2026-06-30T22:00:00.000Z', used_parts: 100, used_recipients: 79 })
  await set({ valid_until: '2026-06-18', balance_amount: 2.5, balance_currency: 'EUR' })
  await after(SECOND)
  await after(SECOND)
  assert.deepEqual(await open(), [])
  await set({ used_recipients: 80, valid_until: '2026-06-17', balance_amount: 2.49 })
  await after(SECOND)
  await after(SECOND)
  assert.deepEqual(await open(), [`balance_low ${iccid}`, `plan_used ${iccid}`, `sim_expires ${iccid}`])
  assert.deepEqual(
    (await alerts()).map(({ detail }) => detail).sort(),
    [
      'Its balance is 2.49 EUR.',
      'Its plan is valid until 2026-06-17.',
      'It has used 80 of the 100 recipients of its plan.',
    ].sort(),
  )
  assert.deepEqual((await alerts())[0]!.subject, { kind: 'sim', id: iccid, name: '+34600111222' })
  await set({ balance_amount: 20, used_recipients: 0, valid_until: null })
  await after(SECOND)
  await after(SECOND)
  assert.deepEqual(await open(), [])
})

test('a SIM that the network says has no credit opens an alert of a low balance until a message goes out', async (t) => {
  const { rule, after, open, join, alerts, world, clock } = await begin(t)
  const from = await (await join('drone')).connect()
  const [iccid] = ICCIDS
  await world.networks(from, { mobile: { sims: [{ iccid }] } })
  await rule({ condition: 'balance_low', value: 0.01 })
  const report = async (outcome: { state: ReportState; code?: string }) => {
    const guid = await queue(world)
    await world.reports(from, [{ guid, attempt: 1, at: instant(clock.now()), ...outcome }])
    await after(SECOND)
    await after(SECOND)
  }
  await report({ state: 'failed', code: 'no_credit' })
  assert.deepEqual(await open(), [`balance_low ${iccid}`])
  assert.equal((await alerts())[0]!.detail, 'It has no credit.')
  await report({ state: 'sent' })
  assert.deepEqual(await open(), [])
  const balance = { balance_amount: 5, balance_currency: 'EUR' }
  await world.db.write((tx) => tx.update('sims', { iccid }, balance))
  await report({ state: 'failed', code: 'no_credit' })
  assert.equal((await alerts())[0]!.detail, 'Its balance is 0 EUR.')
})

test('a queue that does not move opens an alert, but not for messages that may not go yet', async (t) => {
  const { rule, after, open, world, clock } = await begin(t)
  await rule({ condition: 'queue_age', value: 10 })
  const wait = waiting(world, clock)
  const later = await wait(1, 5 * HOUR)
  // It is 10 o'clock there, so marketing may go until 20.
  await after(10 * HOUR + 30 * MINUTE)
  await world.db.write((tx) => tx.delete('queue', { id: later }))
  await wait(MARKETING, 0)
  await after(HOUR)
  await after(SECOND)
  assert.deepEqual(await open(), [])
  const stuck = await wait(1, 0)
  await after(9 * MINUTE)
  await after(SECOND)
  assert.deepEqual(await open(), [])
  await after(MINUTE)
  await after(SECOND)
  assert.deepEqual(await open(), ['queue_age 1'])
  await world.db.write((tx) => tx.delete('queue', { id: stuck }))
  await after(SECOND)
  await after(SECOND)
  assert.deepEqual(await open(), [])
})

test('a message that waits for days opens an alert of the queue, however short its hours are', async (t) => {
  const { rule, after, open, world, clock } = await begin(t)
  await rule({ condition: 'queue_age', value: 720 })
  await waiting(world, clock)(MARKETING, -3 * 24 * HOUR)
  const opened: string[] = []
  for (let hour = 0; hour < 24; hour++) {
    await after(HOUR)
    await after(SECOND)
    opened.push(...(await open()))
  }
  assert.ok(opened.length > 0)
  assert.ok(opened.length < 24, 'it may not go at night')
})

test('very many messages outside of their hours do not hide one that may go', async (t) => {
  const { rule, after, open, world, clock } = await begin(t)
  await rule({ condition: 'queue_age', value: 10 })
  const wait = waiting(world, clock)
  // It is past 20 o'clock in Spain, and not in Mexico.
  clock.advance(12 * HOUR)
  for (let n = 0; n < 501; n++) await wait(MARKETING, -2 * HOUR)
  await after(SECOND)
  await after(SECOND)
  assert.deepEqual(await open(), [])
  await wait(MARKETING, -HOUR, '+525512345678')
  await after(SECOND)
  await after(SECOND)
  assert.deepEqual(await open(), ['queue_age 1'])
})

/** Adds messages that wait since then. Returns the id of each. */
function waiting({ db }: AlertChecks['world'], clock: AlertChecks['clock']) {
  const expires_at = instant(clock.now() + 1_000 * HOUR)
  return (priority: number, due_ms: number, message_to = '+34600111222') =>
    db.write(async (tx) => {
      const due_at = instant(clock.now() + due_ms)
      const id = await tx.insertRow('messages', {
        company_id: 1,
        guid: randomUUID(),
        message: 'x',
        message_to,
        parts: 1,
        priority,
        silent: 0,
        task: 1,
        queue_timestamp: due_at,
        expires_at,
      })
      await tx.insert('queue', [{ id, company_id: 1, priority, due_at, expires_at }])
      return id
    })
}

/** The guid of a message that "drone" was given. */
async function queue(world: AlertChecks['world']): Promise<string> {
  const sms = { device_uid: 'drone', telefono_to: '+34600111222', mensaje_sms: 'hola' }
  const { guid } = await queueMessage(world.needs, SUPERADMIN, sms)
  await world.settle()
  return guid
}
