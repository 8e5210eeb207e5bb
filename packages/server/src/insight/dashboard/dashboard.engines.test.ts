import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Caller } from '#server/core/context.ts'
import { HOUR, SECOND } from '#test/clock.ts'
import { type Device, OURS, openFigures, THEIRS } from '#test/figures.ts'
import { removeMessages } from '#test/message-tables.ts'
import { SUPERADMIN } from '#test/model/world.ts'
import { takeSample } from './upkeep.ts'

test('an hour counts the messages queued in it by their present state', async (t) => {
  const { clock, dashboard, device, send, report } = await openFigures(t)
  const drone = await device(OURS, 'drone')
  const [first, second] = [await send(OURS, drone), await send(OURS, drone)]
  await report(drone, first, 'sent')
  await report(drone, second, 'accepted')
  clock.advance(24 * HOUR)
  await send(OURS, drone)
  const { at, hours } = await dashboard(OURS)
  assert.equal(at, '2026-06-11T08:20:00.000Z')
  assert.equal(hours.length, 48)
  assert.equal(hours[0]?.hour, '2026-06-09T09:00:00.000Z')
  const [yesterday, now] = [hours[23]!, hours[47]!]
  assert.deepEqual([yesterday.hour, now.hour], ['2026-06-10T08:00:00.000Z', '2026-06-11T08:00:00.000Z'])
  assert.deepEqual(some(yesterday.states), { sent: 1, handed: 1 })
  assert.deepEqual(some(now.states), { queued: 1 })
  await report(drone, first, 'delivered')
  await report(drone, second, 'failed', 'no_network')
  const later = await dashboard(OURS)
  assert.deepEqual(some(later.hours[23]!.states), { delivered: 1, failed: 1 })
  assert.deepEqual(
    later.hours.flatMap((hour, place) => (Object.keys(some(hour.states)).length > 0 ? [place] : [])),
    [23, 47],
  )
  const week = await dashboard(OURS, { hours: 192 })
  assert.equal(week.hours.length, 192)
  assert.deepEqual(week.hours.slice(-48), later.hours)
})

function some(states: Record<string, number>) {
  return Object.fromEntries(Object.entries(states).filter(([, count]) => count > 0))
}

test('half of the messages are handed over and delivered within the p50, and 95 % within the p95', async (t) => {
  const { clock, dashboard, device, send, report } = await openFigures(t)
  const drone = await device(OURS, 'drone')
  assert.deepEqual((await dashboard(OURS)).times, {
    handover: { p50_secs: null, p95_secs: null },
    delivery: { p50_secs: null, p95_secs: null },
  })
  for (let n = 1; n <= 20; n++) {
    const guid = await send(OURS, drone)
    clock.advance(n * SECOND)
    await report(drone, guid, 'accepted')
    await report(drone, guid, 'sent')
    clock.advance(10 * n * SECOND)
    await report(drone, guid, n % 4 === 0 ? 'undelivered' : 'delivered')
  }
  const { handover, delivery } = (await dashboard(OURS)).times
  const near = (seconds: number | null, exact: number) =>
    assert.ok(Math.abs(seconds! / exact - 1) < 0.1, `${seconds} s is not near ${exact} s`)
  near(handover.p50_secs, 10)
  near(handover.p95_secs, 19)
  // Of the fifteen delivered messages: the others have no time of delivery.
  near(delivery.p50_secs, 100)
  near(delivery.p95_secs, 190)
  clock.advance(22 * HOUR)
  near((await dashboard(OURS)).times.handover.p50_secs, 10)
  clock.advance(2 * HOUR)
  assert.equal((await dashboard(OURS)).times.handover.p50_secs, null, 'a day later')
})

test('devices with the most failures come first, and each cause has a count and its last time', async (t) => {
  const { clock, dashboard, device, send, report, now } = await openFigures(t)
  const [good, bad] = [await device(OURS, 'good'), await device(OURS, 'bad')]
  for (const [drone, state, code] of [
    [good, 'sent'],
    [good, 'sent'],
    [good, 'delivered'],
    [bad, 'delivered'],
    [bad, 'failed', 'no_network'],
    [bad, 'failed', 'unknown_outcome'],
    [good, 'failed', 'no_network'],
    [bad, 'failed', 'no_network'],
  ] as const) {
    const guid = await send(OURS, drone)
    clock.advance(SECOND)
    await report(drone, guid, state, code)
  }
  const last_at = now()
  const { by_device, failures } = await dashboard(OURS)
  assert.deepEqual(by_device, [
    { device_uid: bad.uid, sent: 1, delivered: 1, failed: 3 },
    { device_uid: good.uid, sent: 3, delivered: 1, failed: 1 },
  ])
  assert.deepEqual(
    failures.map(({ code, count }) => [code, count]),
    [
      ['no_network', 3],
      ['unknown_outcome', 1],
    ],
  )
  assert.equal(failures[0]?.last_at, last_at)
  assert.ok(failures[1]!.last_at < last_at)
  // A delivery report settles the uncertain message: it no longer counts as failed.
  const { guid } = bad.commands[2]!
  await report(bad, guid, 'delivered')
  const settled = await dashboard(OURS)
  assert.deepEqual(settled.by_device[0], { device_uid: bad.uid, sent: 2, delivered: 2, failed: 2 })
  assert.deepEqual(
    settled.failures.map(({ code }) => code),
    ['no_network'],
  )
  clock.advance(24 * HOUR)
  const tomorrow = await dashboard(OURS)
  assert.deepEqual([tomorrow.by_device, tomorrow.failures], [[], []])
})

test('messages wait for the same reasons as in their log entries, each with its devices', async (t) => {
  const { world, dashboard, queued, device, send, set, limit, disable, report } = await openFigures(t)
  const names = ['offline', 'disabled', 'limited', 'paced'] as const
  const drones = Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await device(OURS, name)] as const)),
  ) as Record<(typeof names)[number], Device>
  const full = await device(OURS, 'full')
  for (let n = 0; n < 12; n++) await send(OURS, full)
  await set(OURS, 3_600)
  for (const [place, name] of names.entries()) {
    for (let n = 0; n < place + 2; n++) await send(OURS, drones[name])
    const [command] = drones[name].commands
    await report(drones[name], command!.guid, 'sent')
  }
  await world.cut(drones.offline.from)
  await disable(OURS, 'disabled')
  await limit(OURS, drones.limited, 1)
  const off = await device(THEIRS, 'off')
  await set(THEIRS, 3_600)
  for (let n = 0; n < 4; n++) await send(THEIRS, off)
  await set(THEIRS, 3_600, false)
  const { waiting } = await dashboard(OURS)
  const expected = [
    { reason: 'pacing', count: 4, devices: 1 },
    { reason: 'daily_limit', count: 3, devices: 1 },
    { reason: 'device_disabled', count: 2, devices: 1 },
    { reason: 'window_full', count: 2, devices: 1 },
    { reason: 'device_offline', count: 1, devices: 1 },
  ]
  const byReason = (groups: { reason: string }[]) =>
    groups.toSorted((a, b) => a.reason.localeCompare(b.reason))
  assert.deepEqual(byReason(waiting), byReason(expected))
  assert.deepEqual(
    waiting.map(({ count }) => count),
    [4, 3, 2, 2, 1],
    'the most come first',
  )
  const sendingOff = { reason: 'sending_off', count: 3, devices: 1 }
  assert.deepEqual((await dashboard(THEIRS)).waiting, [sendingOff])
  assert.deepEqual(byReason((await dashboard(SUPERADMIN)).waiting), byReason([...expected, sendingOff]))
  const logs = await queued(SUPERADMIN)
  const sentences = /offline:|disabled:|Daily limit|10 unfinished|Pacing:|Sending has been/
  const said = Map.groupBy(logs, ({ waiting_for }) => sentences.exec(waiting_for ?? '')?.[0])
  assert.deepEqual(
    ['Pacing:', 'Daily limit', 'disabled:', '10 unfinished', 'offline:', 'Sending has been'].map(
      (sentence) => said.get(sentence)?.length,
    ),
    [4, 3, 2, 2, 1, 3],
  )
})

test('devices are near their limit from 80 % on, fullest first', async (t) => {
  const { clock, dashboard, device, send, limit } = await openFigures(t)
  for (const [uid, most] of Object.entries({ 'used-up': 4, 'at-80': 5, below: 6, unused: 0 })) {
    const drone = await device(OURS, uid)
    for (let n = 0; n < 4 && uid !== 'unused'; n++) await send(OURS, drone)
    await limit(OURS, drone, most)
  }
  assert.deepEqual((await dashboard(OURS)).limits, [
    { device_uid: 'used-up', sent_today: 4, max_sms_dayly: 4 },
    { device_uid: 'at-80', sent_today: 4, max_sms_dayly: 5 },
  ])
  clock.advance(24 * HOUR)
  assert.deepEqual((await dashboard(OURS)).limits, [])
})

test('enabled devices that have been disconnected for an hour are away, the longest first', async (t) => {
  const { clock, world, now, dashboard, device, disable } = await openFigures(t)
  const linked = now()
  await world.link(OURS.company_id, 'never-there')
  const [early, late, off] = [
    await device(OURS, 'early'),
    await device(OURS, 'late'),
    await device(OURS, 'off'),
  ]
  await disable(OURS, off.uid)
  clock.advance(SECOND)
  await world.cut(off.from)
  await world.cut(early.from)
  const left = now()
  clock.advance(HOUR - 1)
  await world.cut(late.from)
  assert.deepEqual((await dashboard(OURS)).away, {
    count: 1,
    devices: [{ device_uid: 'never-there', since: linked }],
  })
  clock.advance(1)
  assert.deepEqual((await dashboard(OURS)).away, {
    count: 2,
    devices: [
      { device_uid: 'never-there', since: linked },
      { device_uid: 'early', since: left },
    ],
  })
  assert.deepEqual((await dashboard(THEIRS)).away, { count: 0, devices: [] })
  clock.advance(HOUR)
  await disable(OURS, early.uid)
  for (let n = 0; n < 12; n++) await world.link(OURS.company_id, `new-${String(n).padStart(2, '0')}`)
  clock.advance(HOUR)
  const { away } = await dashboard(OURS)
  assert.equal(away.count, 14)
  assert.deepEqual(
    away.devices.map(({ device_uid }) => device_uid),
    ['never-there', 'late', ...Array.from({ length: 8 }, (_, n) => `new-0${n}`)],
  )
})

test('each carrier has its devices now, and the connected share of each hour of the day', async (t) => {
  const { clock, world, dashboard, device } = await openFigures(t)
  const drones = { one: 'Movistar', two: 'Movistar', three: 'Orange' }
  const [one] = await Promise.all(
    Object.entries(drones).map(async ([uid, carrier]) => {
      const drone = await device(OURS, uid)
      const sim = { id: 1, slot: 1, carrier, operator_name: carrier, phone_number: null, iccid: null }
      const mobile = {
        intensity: -70,
        captured_at: null,
        sims: [{ ...sim, roaming: null, network_type_label: null }],
      }
      await world.networks(drone.from, { wifi: null, mobile })
      return drone
    }),
  )
  await world.link(OURS.company_id, 'new')
  await takeSample(world.db, clock.now())
  clock.advance(HOUR)
  await takeSample(world.db, clock.now())
  await world.cut(one!.from)
  await takeSample(world.db, clock.now() + 60 * SECOND)
  const { carriers } = await dashboard(OURS)
  const day = (...last: number[]) => [...Array.from({ length: 22 }, () => null), ...last]
  assert.deepEqual(carriers, [
    { carrier: 'Movistar', connected: 1, total: 2, hours: day(1, 0.75) },
    { carrier: null, connected: 0, total: 1, hours: day(0, 0) },
    { carrier: 'Orange', connected: 1, total: 1, hours: day(1, 1) },
  ])
  assert.deepEqual((await dashboard(THEIRS)).carriers, [])
})

test('a company sees its own figures, a superadmin the sum of all', async (t) => {
  const { world, dashboard, device, send, report, limit, disable } = await openFigures(t)
  for (const [by, count] of [
    [OURS, 1],
    [THEIRS, 2],
  ] as const) {
    for (let n = 0; n < count; n++) {
      const drone = await device(by, `drone-${count}-${n}`)
      await limit(by, drone, 1)
      const guid = await send(by, drone)
      await report(drone, guid, 'accepted')
      await report(drone, guid, 'sent')
      await report(drone, guid, 'undelivered', 'absent')
    }
  }
  await disable(OURS, 'drone-1-0')
  await world.link(THEIRS.company_id, 'never-connected')
  const figures = async (caller: Caller, company?: number) => {
    const { devices, hours, by_device, failures, limits } = await dashboard(caller, { company })
    return {
      devices,
      failed: hours.at(-1)!.states.failed,
      by_device: by_device.map(({ device_uid }) => device_uid).sort(),
      failures: failures.map(({ code, count }) => [code, count]),
      limits: limits.map(({ device_uid }) => device_uid).sort(),
    }
  }
  assert.deepEqual(await figures(OURS), {
    devices: { total: 1, connected: 1, disconnected: 0, disabled: 1 },
    failed: 1,
    by_device: ['drone-1-0'],
    failures: [['absent', 1]],
    limits: ['drone-1-0'],
  })
  assert.deepEqual(await figures(THEIRS), {
    devices: { total: 3, connected: 2, disconnected: 1, disabled: 0 },
    failed: 2,
    by_device: ['drone-2-0', 'drone-2-1'],
    failures: [['absent', 2]],
    limits: ['drone-2-0', 'drone-2-1'],
  })
  assert.deepEqual(await figures(SUPERADMIN), {
    devices: { total: 4, connected: 3, disconnected: 1, disabled: 1 },
    failed: 3,
    by_device: ['drone-1-0', 'drone-2-0', 'drone-2-1'],
    failures: [['absent', 3]],
    limits: ['drone-1-0', 'drone-2-0', 'drone-2-1'],
  })
  assert.deepEqual(await figures(SUPERADMIN, THEIRS.company_id), await figures(THEIRS))
  assert.deepEqual(await figures(OURS, OURS.company_id), await figures(OURS))
  for (const [caller, company] of [
    [OURS, THEIRS.company_id],
    [SUPERADMIN, 99],
  ] as const)
    await assert.rejects(figures(caller, company), { code: 'unknown_company' })
})

test('the dashboard reads no messages: its figures stay when the rows are gone', async (t) => {
  const { world, dashboard, device, send, report } = await openFigures(t)
  const drone = await device(OURS, 'drone')
  const guid = await send(OURS, drone)
  await report(drone, guid, 'accepted')
  await report(drone, guid, 'sent')
  await report(drone, guid, 'delivered')
  const before = await dashboard(OURS)
  assert.deepEqual(some(before.hours.at(-1)!.states), { delivered: 1 })
  await world.db.write((tx) => removeMessages(tx))
  assert.deepEqual(await dashboard(OURS), before)
})
