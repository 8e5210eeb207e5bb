import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEFAULT_HOURS } from '@sdd/contract/accounts/sending-hours.ts'
import { saveGlobalSettings } from '#server/accounts/settings/settings.ts'
import { correctTimes, WHEN_SET } from '#server/app/clock/set-back.ts'
import { instant } from '#server/core/clock.ts'
import { editDevice } from '#server/fleet/devices/changing.ts'
import { saveRoutes } from '#server/fleet/routes/saving.ts'
import { readDeviceHistory } from '#server/insight/dashboard/device-detail.ts'
import { deliveryStore } from '#server/outward/doors/smpp/deliveries.store.ts'
import { DELIVERY_CLAIM_MS } from '#server/outward/doors/smpp/deliveries.ts'
import { storeDelivery } from '#server/outward/doors/smpp/storing.ts'
import { openAlertWorld } from './alert-world.ts'
import { HOUR, MINUTE, SECOND } from './clock.ts'
import { OURS } from './figures.ts'
import { ICCIDS, openSimPlans } from './sim-cards.ts'

/** A clock that was set forward and is set back: nothing waits as long as it was ahead. */

const DAY = 24 * HOUR
const [FIRST] = ICCIDS

test('the plan of a SIM is that of the present month again, and its messages count', async (t) => {
  const { device, name, save, task, sim, clock, world } = await openSimPlans(t)
  await name(await device(OURS, 'one'), { iccid: FIRST })
  await save(FIRST, { plan: { parts_per_month: 3 } })
  const june = { since: '2026-05-31T22:00:00.000Z', until: '2026-06-30T22:00:00.000Z' }
  await task()
  assert.deepEqual((await sim(FIRST)).used, { parts: 1, recipients: 1, ...june })
  clock.advance(40 * DAY)
  await task()
  assert.equal((await sim(FIRST)).used.since, '2026-06-30T22:00:00.000Z')
  clock.advance(-40 * DAY)
  await correctTimes(world.needs, WHEN_SET)
  assert.deepEqual((await sim(FIRST)).used, { parts: 2, recipients: 1, ...june })
})

test('the devices after those of a route have their turn on time', async (t) => {
  const { device, task, clock, world } = await openSimPlans(t)
  const other = await device(OURS, 'other')
  await editDevice(world.needs, OURS, (await device(OURS, 'routed')).uid, { tags: ['north'], enabled: false })
  const rule = { match: {}, via: 'north', fallback: 'any', fallback_after_secs: 60, enabled: true }
  await saveRoutes(world.needs, OURS, { routes: [rule] })
  clock.advance(DAY)
  await task()
  clock.advance(-DAY)
  await correctTimes(world.needs, WHEN_SET)
  await world.settle()
  clock.advance(50 * SECOND)
  await world.settle()
  assert.equal(other.commands.length, 0)
  clock.advance(MINUTE)
  await world.settle()
  assert.equal(other.commands.length, 1)
})

test('a task that waits for its hours goes out if it is within them', async (t) => {
  const { device, task, clock, world, waits } = await openSimPlans(t)
  const one = await device(OURS, 'one')
  const always = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
  const windows = [{ days: [...always], from: '08:00', to: '20:00' }]
  await saveGlobalSettings(world.needs, OURS, {
    spoof_time_secs: 0,
    send_enabled: true,
    sending_hours: { ...DEFAULT_HOURS, transactional: { windows, zone: 'Europe/Madrid', holidays: [] } },
  })
  clock.advance(3 * DAY + 12 * HOUR)
  const guid = await task()
  assert.equal((await waits()).get(guid)![0], 'sending_hours')
  clock.advance(-3 * DAY - 12 * HOUR)
  await correctTimes(world.needs, WHEN_SET)
  await world.settle()
  assert.equal(one.commands.length, 1)
})

test('a receipt is delivered over SMPP, and no other server tries it while its claim may last', async (t) => {
  const { clock, world } = await openSimPlans(t)
  const { db } = world
  const now = () => instant(clock.now())
  const key = { company_id: 2, name: 'shop', key_hash: 'x', hint: 'x', may: '[]', webhook_secret: 'x' }
  const api_key_id = await db.write((tx) => tx.insertRow('api_keys', { ...key, created_at: now() }))
  clock.advance(DAY)
  const receipt = { company_id: 2, api_key_id, name: 'a', body: Buffer.from('receipt'), created_at: now() }
  await db.write((tx) => storeDelivery(tx, receipt))
  clock.advance(-DAY)
  await correctTimes(world.needs, WHEN_SET)
  const due = async () => (await deliveryStore(db.read).due(api_key_id, now(), 10)).length
  clock.advance(DELIVERY_CLAIM_MS - 1)
  assert.equal(await due(), 0)
  clock.advance(1)
  assert.equal(await due(), 1)
})

test('the presence history of a device ends with its last change', async (t) => {
  const { away, clock, world } = await openAlertWorld(t)
  const start_ms = clock.now()
  const connect = await away('drone')
  await away('other')
  clock.advance(HOUR)
  const from = await connect()
  clock.advance(-HOUR)
  await correctTimes(world.needs, WHEN_SET)
  clock.advance(45 * MINUTE)
  await world.cut(from)
  clock.advance(45 * MINUTE)
  const told = async (uid: string) =>
    (await readDeviceHistory(world.needs, 'all', uid, {})).presence.map(({ from, to, state }) => {
      const [began, ended] = [from, to].map((at) => (Date.parse(at) - start_ms) / MINUTE)
      return `${began} to ${ended} ${state}`
    })
  assert.deepEqual(await told('drone'), ['0 to 45 connected', '45 to 90 disconnected'])
  assert.deepEqual(await told('other'), ['0 to 90 disconnected'])
})

test('an alert is told', async (t) => {
  const { channel, rule, away, after, check, posts, clock, world } = await openAlertWorld(t)
  const { id } = await channel({
    kind: 'webhook',
    name: 'shop',
    settings: { url: 'https://shop.example/hook' },
  })
  await rule([id])
  const from = await (await away('drone'))()
  await world.cut(from)
  clock.advance(DAY)
  await check(0)
  clock.advance(-DAY)
  await correctTimes(world.needs, WHEN_SET)
  await after(SECOND)
  assert.equal(posts.length, 1)
})
