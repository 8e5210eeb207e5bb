import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { openFeatureMetrics } from '#server/core/feature-metrics.ts'
import { openMetrics } from '#server/core/metrics.ts'
import { forgetTelemetry, openTelemetry } from '#server/fleet/telemetry/telemetry.ts'
import { readDeviceDetail, readDeviceHistory } from '#server/insight/dashboard/device-detail.ts'
import { HOUR, MINUTE, SECOND, testClock } from './clock.ts'
import { openWorld } from './model/world.ts'

const DAY = 24 * HOUR
const nothing = { signal_dbm: null, battery: null, charging: null, temperature: null, disk_free_mb: null }

async function begin(t: TestContext) {
  const clock = testClock('2026-06-10T08:00:00.000Z')
  const world = await openWorld(clock, () => {})
  t.after(() => world.close())
  const metrics = openMetrics()
  const featureMetrics = openFeatureMetrics(metrics)
  const ids = [await world.link(1, 'one'), await world.link(1, 'two')] as const
  const take = openTelemetry({ db: world.db, clock, featureMetrics })
  return {
    clock,
    world,
    /** What the first device says, all in one packet's time. */
    say: (...payloads: Record<string, unknown>[]) => take({ device_id: ids[0] }, payloads),
    sayOf: (device: 0 | 1, payload: Record<string, unknown>) => take({ device_id: ids[device] }, [payload]),
    latest: async (uid = 'one') => (await readDeviceDetail(world.needs, 'all', uid)).telemetry,
    points: async (asked = {}, uid = 'one') =>
      (await readDeviceHistory(world.needs, 'all', uid, asked)).telemetry,
    dropped: async () => Number(/^sdd_telemetry_dropped_total (\d+)$/m.exec(await metrics.text())?.[1] ?? 0),
  }
}

test('the latest telemetry has the last value of each field, and is null before the first', async (t) => {
  const { clock, say, sayOf, latest } = await begin(t)
  assert.equal(await latest(), null)
  await say({ at: '2026-06-10T07:58:00Z', battery: 80, charging: true, temperature: 30.5 })
  await sayOf(1, { battery: 1 })
  assert.deepEqual(await latest(), {
    ...nothing,
    at: '2026-06-10T07:58:00.000Z',
    battery: 80,
    charging: true,
    temperature: 30.5,
  })
  clock.advance(MINUTE)
  await say({ battery: 79, charging: false }, { battery: 101, signal_dbm: -70 })
  assert.deepEqual(await latest(), {
    at: '2026-06-10T08:01:00.000Z',
    battery: 79,
    charging: false,
    temperature: 30.5,
    disk_free_mb: null,
    signal_dbm: -70,
  })
  assert.equal((await latest('two'))!.battery, 1)
})

test('the history averages five minutes and takes one reading a minute, and more than ten are dropped and counted', async (t) => {
  const { clock, say, points, latest, dropped } = await begin(t)
  for (const battery of [10, 20, 30]) {
    await say({ battery, charging: battery === 10 })
    await say({ battery: 90 })
    clock.advance(MINUTE)
  }
  clock.advance(3 * MINUTE)
  await Promise.all(Array.from({ length: 12 }, (_, n) => say({ battery: 50, disk_free_mb: n })))
  assert.equal(await dropped(), 2)
  assert.equal((await latest())!.disk_free_mb, 9)
  assert.deepEqual(await points(), [
    { ...nothing, at: '2026-06-10T08:00:00.000Z', battery: 20, charging: false },
    { ...nothing, at: '2026-06-10T08:05:00.000Z', battery: 50, disk_free_mb: 0 },
  ])
  clock.advance(5 * MINUTE)
  await say({ temperature: 'hot' })
  assert.equal(await dropped(), 3)
  assert.deepEqual([(await latest())!.at, (await latest())!.battery], ['2026-06-10T08:11:00.000Z', 50])
  assert.equal((await points()).length, 2, 'the history has no slot without values')
})

test('a point of several slots averages all their readings, and has the last value of charging', async (t) => {
  const { clock, say, points } = await begin(t)
  await say({ battery: 10, charging: true, signal_dbm: -70 })
  clock.advance(MINUTE)
  await say({ battery: 20 })
  clock.advance(5 * MINUTE)
  await say({ battery: 50, charging: false })
  clock.advance(5 * MINUTE)
  await say({ temperature: 20.5 })
  clock.advance(HOUR)
  await say({ charging: true })
  assert.deepEqual(await points({ from: '2026-05-12T00:00:00Z' }), [
    // 45 minutes, from a multiple of them since 1970.
    {
      ...nothing,
      at: '2026-06-10T07:30:00.000Z',
      battery: 26.7,
      charging: false,
      signal_dbm: -70,
      temperature: 20.5,
    },
    { ...nothing, at: '2026-06-10T09:00:00.000Z', charging: true },
  ])
})

test('telemetry is read by its time, is cut to 30 days, and is forgotten after them', async (t) => {
  const { clock, world, say, points } = await begin(t)
  await say({ battery: 10 })
  clock.advance(HOUR)
  await say({ battery: 20 })
  clock.advance(10 * SECOND)
  const batteries = async (asked = {}) => (await points(asked)).map(({ battery }) => battery)
  assert.deepEqual(await batteries(), [10, 20])
  assert.deepEqual(await batteries({ from: '2026-06-10T08:30:00Z' }), [20])
  assert.deepEqual(await batteries({ from: '2026-06-10T07:00:00Z', to: '2026-06-10T09:00:00Z' }), [10])
  clock.advance(2 * DAY)
  assert.deepEqual(await batteries(), [])
  const month = { from: '2026-06-01T00:00:00Z' }
  assert.deepEqual(await batteries(month), [10, 20])
  clock.advance(28 * DAY - 30 * MINUTE)
  assert.deepEqual(await batteries(month), [20])
  const left = async () => {
    assert.equal(await forgetTelemetry({ db: world.db, clock }), false)
    return world.db.read.query<{ slots: number }>('select count(*) as slots from telemetry_slots', {})
  }
  assert.deepEqual(await left(), [{ slots: 1 }])
  clock.advance(HOUR)
  assert.deepEqual(await left(), [{ slots: 0 }])
})
