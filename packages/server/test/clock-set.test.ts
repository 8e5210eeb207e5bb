import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import * as devices from '@sdd/contract/fleet/devices.ts'
import * as messages from '@sdd/contract/messages/messages.ts'
import { listLogs } from '@sdd/contract/insight/log.ts'
import * as settings from '@sdd/contract/accounts/settings.ts'
import { saveDeviceLimit } from '@sdd/contract/fleet/limits.ts'
import * as tasks from '@sdd/contract/tasks/tasks.ts'
import { HOUR, MINUTE, SECOND, testClock } from './clock.ts'
import { connectDevice, eventually, linkTestDevice } from './device.ts'
import { enter } from './seeds.ts'
import { ADMIN, call, startServer } from './server.ts'

const DAY = 24 * HOUR

async function begin(t: TestContext) {
  const clock = testClock('2026-06-10T20:30:00Z') // half past ten in the evening, in Madrid
  const server = await startServer({ clock })
  t.after(() => server.stop())
  const { token } = await enter(server, ADMIN.username, ADMIN.password)
  const link = await linkTestDevice(server, token, 'drone')
  const device = await connectDevice(link)
  return {
    clock,
    server,
    token,
    link,
    device,
    send: () =>
      call(server, messages.sendSms, {
        token,
        body: { device_uid: device.uid, telefono_to: '600111222', mensaje_sms: 'hola' },
      }),
    task: () => call(server, tasks.createTasks, { token, body: { to_number: '600111222', text: 'hola' } }),
    setLimit: (max_sms_dayly: number) =>
      call(server, saveDeviceLimit, { token, body: { uid: device.uid, max_sms_dayly } }),
    setPace: (spoof_time_secs: number) =>
      call(server, settings.saveGlobalSettings, { token, body: { spoof_time_secs, send_enabled: true } }),
    /** Sets the clock forward, or back if negative; resolves when the server has noticed. */
    async setBy(ms: number): Promise<void> {
      const way = ms < 0 ? 'back' : 'forward'
      const count = async () => {
        const text = await (await fetch(`${server.url}/metrics`)).text()
        return Number(new RegExp(`sdd_clock_sets_total\\{way="${way}"\\} (\\d+)`).exec(text)?.[1] ?? 0)
      }
      const before = await count()
      clock.advance(ms)
      await eventually(async () => (await count()) > before, 20_000)
    },
    async entry(guid: string) {
      const { body } = await call(server, listLogs, { token, query: { search: guid } })
      return body.logs[0]!
    },
    async listed() {
      const { status, body } = await call(server, devices.listDevices, { token })
      assert.equal(status, 200)
      return body.devices[0]!
    },
  }
}

test('after a jump of two hours forward, devices stay connected, users stay logged in, and no message goes out twice', async (t) => {
  const { setBy, device, send, task, entry, listed } = await begin(t)
  const { body: first } = await send()
  await device.until(1)
  await device.report({ guid: first.guid, state: 'accepted' })
  await setBy(2 * HOUR)
  await device.report({ guid: first.guid, state: 'sent' })
  assert.equal((await entry(first.guid)).state, 'sent')
  const { body: second } = await task()
  await device.until(2)
  assert.deepEqual(
    device.commands.map(({ guid, attempt }) => [guid, attempt]),
    [
      [first.guid, 1],
      [(second as { guid: string }).guid, 1],
    ],
  )
  const { status, sent_today } = await listed()
  assert.deepEqual([status, sent_today], ['connected', 1], 'of the day that has begun')
})

test('after a jump of a day back, nothing waits longer than planned', async (t) => {
  const { clock, setBy, device, link, send, task, setPace, listed } = await begin(t)
  await setPace(40)
  const [first, second] = [(await send()).body.guid, (await send()).body.guid]
  await device.until(1)
  await setBy(-DAY)
  // A command without an answer is repeated as usual.
  clock.advance(30 * SECOND)
  await eventually(() => device.commands.length === 2)
  assert.deepEqual(device.commands[1]!.guid, first)
  await device.report({ guid: first, state: 'sent' })
  clock.advance(10 * SECOND)
  await eventually(() => device.commands.some(({ guid }) => guid === second))
  await device.report({ guid: second, state: 'sent' })

  // A task submitted before the jump, without a device so far.
  await device.stop()
  const { body } = await task()
  await setBy(-DAY)
  const again = await connectDevice(link)
  clock.advance(MINUTE)
  await eventually(() => again.commands.length === 1)
  assert.equal(again.commands[0]!.guid, (body as { guid: string }).guid)
  assert.equal((await listed()).status, 'connected')
})

test('after a jump of a day back, temporary failures are retried on time', async (t) => {
  const { clock, setBy, device, task } = await begin(t)
  const { guid } = (await task()).body as { guid: string }
  await device.until(1)
  await device.report({ guid, state: 'failed', code: 'no_network', attempt: 1 })
  await setBy(-DAY)
  clock.advance(MINUTE)
  await device.until(2)
  assert.deepEqual([device.commands[1]!.guid, device.commands[1]!.attempt], [guid, 2])
})

test('the daily limit still holds when the clock goes back over midnight, and restarts at the next midnight', async (t) => {
  const { clock, setBy, device, send, setLimit, listed } = await begin(t)
  await setLimit(2)
  await setBy(2 * HOUR) // half past midnight
  for (const count of [1, 2]) {
    const { body } = await send()
    await device.until(count)
    await device.report({ guid: body.guid, state: 'sent' })
  }
  await setBy(-2 * HOUR)
  assert.deepEqual([(await send()).body.code, (await listed()).sent_today], ['daily_limit', 2])
  clock.advance(2 * HOUR)
  assert.equal((await listed()).sent_today, 0)
  assert.equal((await send()).status, 200)
})

test('after a jump of a day back, sessions last as long as usual, and failed logins no longer count', async (t) => {
  const { clock, setBy, server, token, listed } = await begin(t)
  for (let n = 0; n < 10; n++) await enter(server, ADMIN.username, 'wrong password')
  assert.equal((await enter(server, ADMIN.username, ADMIN.password)).status, 429)
  await setBy(-DAY)
  assert.equal((await enter(server, ADMIN.username, ADMIN.password)).status, 200)
  for (let hours = 0; hours < 24; hours += 11) {
    clock.advance(11 * HOUR)
    await listed()
  }
  clock.advance(12 * HOUR)
  assert.equal((await call(server, devices.listDevices, { token })).status, 401)
})

test('a start with a clock that is behind for a while keeps the day’s count', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sdd-behind-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const clock = testClock('2026-06-09T22:30:00Z') // half past midnight, in Madrid
  const first = await startServer({ clock, folder })
  t.after(() => first.stop())
  const { token } = await enter(first, ADMIN.username, ADMIN.password)
  const link = await linkTestDevice(first, token, 'drone')
  const device = await connectDevice(link)
  const save = { uid: 'drone', max_sms_dayly: 1 }
  await call(first, saveDeviceLimit, { token, body: save })
  const body = { device_uid: 'drone', telefono_to: '600111222', mensaje_sms: 'hola' }
  assert.equal((await call(first, messages.sendSms, { token, body })).status, 200)
  await device.until(1)
  await first.stop()

  for (const hours of [1, 24 * 365 * 20]) {
    clock.advance(-hours * HOUR)
    const second = await startServer({ clock, folder })
    t.after(() => second.stop())
    const again = await connectDevice({ ...link, mqtt_url: second.mqtt_url })
    const session = await enter(second, ADMIN.username, ADMIN.password)
    const send = async () => (await call(second, messages.sendSms, { token: session.token, body })).body.code
    assert.equal(await send(), 'daily_limit', 'while it is behind')
    clock.advance(hours * HOUR)
    // With the earlier session, which has not ended either.
    assert.equal((await call(second, messages.sendSms, { token, body })).body.code, 'daily_limit')
    await again.stop()
    await second.stop()
  }
})
