import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { type Dashboard, readDashboard } from '@sdd/contract/insight/dashboard.ts'
import * as devices from '@sdd/contract/fleet/devices.ts'
import type { Report } from '@sdd/contract/fleet/device-protocol.ts'
import * as messages from '@sdd/contract/messages/messages.ts'
import { listLogs } from '@sdd/contract/insight/log.ts'
import * as settings from '@sdd/contract/accounts/settings.ts'
import { saveDeviceLimit } from '@sdd/contract/fleet/limits.ts'
import { HOUR, SECOND, testClock } from './clock.ts'
import { connectDevice, eventually, linkTestDevice, type TestDevice } from './device.ts'
import { withTables } from './engine.ts'
import { enter, newUser } from './seeds.ts'
import { ADMIN, call, startServer } from './server.ts'

/** A server of the test's own; `ours` is an admin of company 2, `theirs` of company 3. */
async function begin(t: TestContext) {
  const clock = testClock('2026-06-10T08:20:00Z')
  const server = await startServer({ clock })
  t.after(() => server.stop())
  const superadmin = (await enter(server, ADMIN.username, ADMIN.password)).token
  const ours = await newUser(server, superadmin, { role: 'admin', companyId: 2 })
  const theirs = await newUser(server, superadmin, { role: 'admin', companyId: 3 })
  const now = () => new Date(clock.now()).toISOString()

  return {
    clock,
    server,
    superadmin,
    ours: ours.token,
    theirs: theirs.token,
    now,
    /** A new session of ours: one ends after 12 hours without use. */
    again: async () => (await enter(server, ours.name)).token,
    async dashboard(token: string): Promise<Dashboard> {
      const { status, body } = await call(server, readDashboard, { token })
      assert.equal(status, 200, JSON.stringify(body))
      return body
    },
    device: async (token: string, uid: string) => connectDevice(await linkTestDevice(server, token, uid)),
    async send(token: string, { uid }: { uid: string }): Promise<string> {
      const body = { device_uid: uid, telefono_to: '+34600111222', mensaje_sms: 'hola' }
      const answer = await call(server, messages.sendSms, { token, body })
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
      return answer.body.guid
    },
    report: (device: TestDevice, guid: string, state: Report['state'], code?: string) =>
      device.report({ guid, state, at: now(), ...(code !== undefined && { code }) }),
    set: (token: string, spoof_time_secs: number, send_enabled = true) =>
      call(server, settings.saveGlobalSettings, { token, body: { spoof_time_secs, send_enabled } }),
    limit: (token: string, { uid }: { uid: string }, max_sms_dayly: number) =>
      call(server, saveDeviceLimit, { token, body: { uid, max_sms_dayly } }),
  }
}

test('an hour has the messages that were queued in it, in the states in which they are now', async (t) => {
  const { clock, ours, again, dashboard, device, send, report } = await begin(t)
  const drone = await device(ours, 'drone')
  const [first, second] = [await send(ours, drone), await send(ours, drone)]
  await drone.until(2)
  await report(drone, first, 'sent')
  await report(drone, second, 'accepted')
  clock.advance(24 * HOUR)
  const token = await again()
  await send(token, drone)
  const { at, hours } = await dashboard(token)
  assert.equal(at, '2026-06-11T08:20:00.000Z')
  assert.equal(hours.length, 48)
  assert.equal(hours[0]?.hour, '2026-06-09T09:00:00.000Z')
  const [yesterday, now] = [hours[23]!, hours[47]!]
  assert.deepEqual([yesterday.hour, now.hour], ['2026-06-10T08:00:00.000Z', '2026-06-11T08:00:00.000Z'])
  assert.deepEqual(some(yesterday.states), { sent: 1, handed: 1 })
  assert.deepEqual(some(now.states), { queued: 1 })
  await report(drone, first, 'delivered')
  await report(drone, second, 'failed', 'no_network')
  const later = await dashboard(token)
  assert.deepEqual(some(later.hours[23]!.states), { delivered: 1, failed: 1 })
  assert.deepEqual(
    later.hours.flatMap((hour, place) => (Object.keys(some(hour.states)).length > 0 ? [place] : [])),
    [23, 47],
  )
})

function some(states: Record<string, number>) {
  return Object.fromEntries(Object.entries(states).filter(([, count]) => count > 0))
}

test('half of the messages are handed over and delivered within the p50, 95 % within the p95', async (t) => {
  const { clock, ours, again, dashboard, device, send, report } = await begin(t)
  const drone = await device(ours, 'drone')
  assert.deepEqual((await dashboard(ours)).times, {
    handover: { p50_secs: null, p95_secs: null },
    delivery: { p50_secs: null, p95_secs: null },
  })
  for (let n = 1; n <= 20; n++) {
    const guid = await send(ours, drone)
    await drone.until(n)
    clock.advance(n * SECOND)
    await report(drone, guid, 'accepted')
    await report(drone, guid, 'sent')
    clock.advance(10 * n * SECOND)
    await report(drone, guid, n % 4 === 0 ? 'undelivered' : 'delivered')
  }
  const { handover, delivery } = (await dashboard(ours)).times
  const near = (seconds: number | null, exact: number) =>
    assert.ok(Math.abs(seconds! / exact - 1) < 0.1, `${seconds} s is not near ${exact} s`)
  near(handover.p50_secs, 10)
  near(handover.p95_secs, 19)
  // Of the fifteen that were delivered: what was not has no time of delivery.
  near(delivery.p50_secs, 100)
  near(delivery.p95_secs, 190)
  clock.advance(22 * HOUR)
  near((await dashboard(await again())).times.handover.p50_secs, 10)
  clock.advance(2 * HOUR)
  assert.equal((await dashboard(await again())).times.handover.p50_secs, null, 'a day later')
})

test('the devices with most failures come first, and each cause has its count and its last time', async (t) => {
  const { clock, ours, again, dashboard, device, send, report, now } = await begin(t)
  const [good, bad] = [await device(ours, 'good'), await device(ours, 'bad')]
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
    const guid = await send(ours, drone)
    await drone.until(drone.commands.length + 1)
    clock.advance(SECOND)
    await report(drone, guid, state, code)
  }
  const last_at = now()
  const { by_device, failures } = await dashboard(ours)
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
  // A delivery report settles what was uncertain: it has failed no more.
  const { guid } = bad.commands[2]!
  await report(bad, guid, 'delivered')
  const settled = await dashboard(ours)
  assert.deepEqual(settled.by_device[0], { device_uid: bad.uid, sent: 2, delivered: 2, failed: 2 })
  assert.deepEqual(
    settled.failures.map(({ code }) => code),
    ['no_network'],
  )
  clock.advance(24 * HOUR)
  const tomorrow = await dashboard(await again())
  assert.deepEqual([tomorrow.by_device, tomorrow.failures], [[], []])
})

test('messages wait for as many reasons as their log entries say, each with its devices', async (t) => {
  const { server, ours, theirs, superadmin, dashboard, device, send, set, limit, report } = await begin(t)
  const names = ['offline', 'disabled', 'limited', 'paced'] as const
  const drones = Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await device(ours, name)] as const)),
  ) as Record<(typeof names)[number], TestDevice>
  const full = await device(ours, 'full')
  for (let n = 0; n < 12; n++) await send(ours, full)
  await full.until(10)
  await set(ours, 3_600)
  for (const [place, name] of names.entries()) {
    for (let n = 0; n < place + 2; n++) await send(ours, drones[name])
    const [command] = await drones[name].until(1)
    await report(drones[name], command!.guid, 'sent')
  }
  drones.offline.vanish()
  await call(server, devices.disableDevice, { token: ours, params: { uid: 'disabled' } })
  await limit(ours, drones.limited, 1)
  const off = await device(theirs, 'off')
  await set(theirs, 3_600)
  for (let n = 0; n < 4; n++) await send(theirs, off)
  await off.until(1)
  await set(theirs, 3_600, false)
  const waiting = await eventually(async () => {
    const { waiting } = await dashboard(ours)
    return waiting.some(({ reason }) => reason === 'device_offline') && waiting
  })
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
  assert.deepEqual((await dashboard(theirs)).waiting, [sendingOff])
  assert.deepEqual(byReason((await dashboard(superadmin)).waiting), byReason([...expected, sendingOff]))
  const { body } = await call(server, listLogs, { token: superadmin, query: { state: 'queued' } })
  const sentences = /offline:|disabled:|Daily limit|10 unfinished|Pacing:|Sending has been/
  const said = Map.groupBy(body.logs, ({ waiting_for }) => sentences.exec(waiting_for ?? '')?.[0])
  assert.deepEqual(
    ['Pacing:', 'Daily limit', 'disabled:', '10 unfinished', 'offline:', 'Sending has been'].map(
      (sentence) => said.get(sentence)?.length,
    ),
    [4, 3, 2, 2, 1, 3],
  )
})

test('devices are near their limit from 80 % on, the fullest first', async (t) => {
  const { clock, ours, again, dashboard, device, send, limit } = await begin(t)
  for (const [uid, most] of Object.entries({ 'used-up': 4, 'at-80': 5, below: 6, unused: 0 })) {
    const drone = await device(ours, uid)
    for (let n = 0; n < 4 && uid !== 'unused'; n++) await send(ours, drone)
    if (uid !== 'unused') await drone.until(4)
    await limit(ours, drone, most)
  }
  assert.deepEqual((await dashboard(ours)).limits, [
    { device_uid: 'used-up', sent_today: 4, max_sms_dayly: 4 },
    { device_uid: 'at-80', sent_today: 4, max_sms_dayly: 5 },
  ])
  clock.advance(24 * HOUR)
  assert.deepEqual((await dashboard(await again())).limits, [])
})

test('a company sees its own, a superadmin all together', async (t) => {
  const { server, ours, theirs, superadmin, dashboard, device, send, report, limit } = await begin(t)
  for (const [token, count] of [
    [ours, 1],
    [theirs, 2],
  ] as const) {
    for (let n = 0; n < count; n++) {
      const drone = await device(token, `drone-${count}-${n}`)
      await limit(token, drone, 1)
      const guid = await send(token, drone)
      await drone.until(1)
      await report(drone, guid, 'accepted')
      await report(drone, guid, 'sent')
      await report(drone, guid, 'undelivered', 'absent')
    }
  }
  await call(server, devices.disableDevice, { token: ours, params: { uid: 'drone-1-0' } })
  await linkTestDevice(server, theirs, 'never-connected')
  const figures = async (token: string) => {
    const { devices, hours, by_device, failures, limits } = await dashboard(token)
    return {
      devices,
      failed: hours.at(-1)!.states.failed,
      by_device: by_device.map(({ device_uid }) => device_uid).sort(),
      failures: failures.map(({ code, count }) => [code, count]),
      limits: limits.map(({ device_uid }) => device_uid).sort(),
    }
  }
  assert.deepEqual(await figures(ours), {
    devices: { total: 1, connected: 1, disconnected: 0, disabled: 1 },
    failed: 1,
    by_device: ['drone-1-0'],
    failures: [['absent', 1]],
    limits: ['drone-1-0'],
  })
  assert.deepEqual(await figures(theirs), {
    devices: { total: 3, connected: 2, disconnected: 1, disabled: 0 },
    failed: 2,
    by_device: ['drone-2-0', 'drone-2-1'],
    failures: [['absent', 2]],
    limits: ['drone-2-0', 'drone-2-1'],
  })
  assert.deepEqual(await figures(superadmin), {
    devices: { total: 4, connected: 3, disconnected: 1, disabled: 1 },
    failed: 3,
    by_device: ['drone-1-0', 'drone-2-0', 'drone-2-1'],
    failures: [['absent', 3]],
    limits: ['drone-1-0', 'drone-2-0', 'drone-2-1'],
  })
})

test('no message is looked at: the figures stay when the rows are gone', async (t) => {
  const { server, ours, dashboard, device, send, report } = await begin(t)
  const drone = await device(ours, 'drone')
  const guid = await send(ours, drone)
  await drone.until(1)
  await report(drone, guid, 'accepted')
  await report(drone, guid, 'sent')
  await report(drone, guid, 'delivered')
  const before = await dashboard(ours)
  assert.deepEqual(some(before.hours.at(-1)!.states), { delivered: 1 })
  await withTables(server, ({ run }) => run('delete from messages'))
  assert.deepEqual(await dashboard(ours), before)
})
