import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import * as devices from '@sdd/contract/fleet/devices.ts'
import * as messages from '@sdd/contract/messages/messages.ts'
import { listLogs } from '@sdd/contract/insight/log.ts'
import * as settings from '@sdd/contract/accounts/settings.ts'
import { saveDeviceLimit } from '@sdd/contract/fleet/limits.ts'
import { HOUR, MINUTE, SECOND, testClock } from './clock.ts'
import { connectDevice, linkTestDevice } from './device.ts'
import { enter, newUser } from './seeds.ts'
import { ADMIN, call, startServer } from './server.ts'

const DAY = 24 * HOUR
/** The device's idea of the time. */
const AT = '2026-06-10T08:00:01.000Z'

/** A separate server with a stopped clock, one device, and helpers for the tests. */
async function begin(t: TestContext, start = '2026-06-10T08:00:00Z') {
  const clock = testClock(start)
  const server = await startServer({ clock })
  t.after(() => server.stop())
  const { token } = await enter(server, ADMIN.username, ADMIN.password)
  const other = await newUser(server, token, { role: 'admin', companyId: 2 })
  const marker = await connectDevice(await linkTestDevice(server, other.token, 'marker'))
  const device = await connectDevice(await linkTestDevice(server, token, 'drone'))
  const params = { uid: device.uid }

  function send(uid: string, as: string, mensaje_sms = 'hola') {
    return call(server, messages.sendSms, {
      token: as,
      body: { device_uid: uid, telefono_to: '+34600111222', mensaje_sms },
    })
  }

  /** Advances the clock step by step, using both sessions on the way because they expire when unused. */
  async function pass(ms: number) {
    for (let left = ms; left > 0; left -= 11 * HOUR) {
      clock.advance(Math.min(left, 11 * HOUR))
      for (const session of [token, other.token])
        assert.equal((await call(server, devices.listDevices, { token: session })).status, 200)
    }
  }

  return {
    clock,
    device,
    pass,
    send: (text?: string) => send(device.uid, token, text),
    async queue(text?: string): Promise<string> {
      const { status, body } = await send(device.uid, token, text)
      assert.equal(status, 200, JSON.stringify(body))
      return body.guid
    },
    /**
     * Resolves when the dispatcher has checked everything at the present time. The round that handed over the marker's
     * message may have begun earlier; the next one has not.
     */
    async lookedAtAll() {
      for (let round = 0; round < 2; round++) {
        assert.equal((await send(marker.uid, other.token)).status, 200)
        const { guid } = (await marker.until(marker.commands.length + 1)).at(-1)!
        await marker.report({ guid, state: 'sent' })
      }
    },
    async entry(guid: string) {
      const { body } = await call(server, listLogs, { token, query: { search: guid } })
      return body.logs[0]!
    },
    async listed() {
      const { body } = await call(server, devices.listDevices, { token })
      return body.devices.find(({ uid }) => uid === device.uid)!
    },
    setEnabled: (enabled: boolean) =>
      call(server, enabled ? devices.enableDevice : devices.disableDevice, { token, params }),
    setLimit: (max_sms_dayly: number) =>
      call(server, saveDeviceLimit, { token, body: { uid: device.uid, max_sms_dayly } }),
    set: (spoof_time_secs: number, send_enabled = true) =>
      call(server, settings.saveGlobalSettings, { token, body: { spoof_time_secs, send_enabled } }),
    /** The commands that the device got so far, as `attempt guid`, and cancellations. */
    given: () =>
      device.commands.map(({ type, guid, attempt }) => `${type === 'send' ? attempt : type} ${guid}`),
  }
}

test('a command without a report is repeated every 30 s, as the same attempt, until the device answers', async (t) => {
  const { device, pass, queue, given, lookedAtAll } = await begin(t)
  const guid = await queue()
  await device.until(1)
  await pass(30 * SECOND - 1)
  await lookedAtAll()
  assert.deepEqual(given(), [`1 ${guid}`])
  await pass(1)
  await device.until(2)
  await pass(30 * SECOND)
  await device.until(3)
  await device.report({ guid, state: 'accepted' })
  await pass(HOUR)
  await lookedAtAll()
  assert.deepEqual(given(), Array(3).fill(`1 ${guid}`))
})

test('a command that a device got after its status message is not repeated because of that message', async (t) => {
  const { clock, device, queue, given, lookedAtAll } = await begin(t)
  const says = () =>
    device.publish('status', { status: 'connected', session: device.session, agent: 'test/1' })
  const guid = await queue()
  await device.until(1)
  // The device published it a moment earlier, and it was stored so late that the command went out in between.
  clock.advance(-1)
  await says()
  await lookedAtAll()
  assert.deepEqual(given(), [`1 ${guid}`])
  clock.advance(2)
  await says()
  await device.until(2)
})

test('nothing is repeated while the device is disabled or sending is switched off', async (t) => {
  const { device, pass, queue, entry, given, lookedAtAll, setEnabled, set } = await begin(t)
  const guid = await queue()
  await device.until(1)
  await setEnabled(false)
  await pass(MINUTE)
  await lookedAtAll()
  assert.equal(given().length, 1, 'disabled')
  assert.match((await entry(guid)).waiting_for!, /disabled since .*goes out again once it is enabled/)
  await setEnabled(true)
  await device.until(2)
  await set(0, false)
  await pass(MINUTE)
  await lookedAtAll()
  assert.equal(given().length, 2, 'switched off')
  assert.match((await entry(guid)).waiting_for!, /switched off .*goes out again once it is on/)
  await set(0)
  await device.until(3)
  assert.deepEqual(given(), Array(3).fill(`1 ${guid}`))
})

test('a message not handed over within 24 h expires, and a command on its way is cancelled', async (t) => {
  const { device, pass, queue, entry, listed, lookedAtAll, set } = await begin(t)
  const [given, accepted] = [await queue(), await queue()]
  await device.until(2)
  await device.report({ guid: accepted, state: 'accepted' })
  await set(86_400)
  const waits = await queue()
  const states = async () =>
    Promise.all([given, accepted, waits].map(async (guid) => (await entry(guid)).state))
  await pass(DAY - 1)
  await lookedAtAll()
  assert.deepEqual(await states(), ['queued', 'handed', 'queued'])
  assert.equal((await listed()).queued, 1)
  await pass(1)
  await lookedAtAll()
  assert.deepEqual(await states(), ['expired', 'handed', 'expired'])
  const { error, error_msg, error_timestamp, waiting_for, handed_timestamp } = await entry(waits)
  assert.deepEqual(
    { error, error_timestamp, waiting_for, handed_timestamp },
    {
      error: 'expired',
      error_timestamp: '2026-06-11T08:00:00.000Z',
      waiting_for: null,
      handed_timestamp: null,
    },
  )
  assert.match(error_msg!, /2026-06-11T08:00:00.000Z/)
  assert.equal((await listed()).queued, 0)
  const cancelled = device.commands.filter(({ type }) => (type as string) === 'cancel')
  assert.deepEqual(
    cancelled.map(({ guid }) => guid),
    [given],
  )
  assert.ok(!device.commands.some(({ guid }) => guid === waits))

  await device.report({ guid: given, state: 'failed', code: 'cancelled' })
  assert.equal((await entry(given)).state, 'expired')
  await pass(HOUR - 1)
  await lookedAtAll()
  assert.equal((await entry(accepted)).state, 'handed')
  await pass(1)
  await lookedAtAll()
  assert.deepEqual([(await entry(accepted)).state, (await entry(accepted)).error], ['uncertain', 'no_report'])
})

test('a late report settles an uncertain or expired message, and nothing is sent again', async (t) => {
  const { device, pass, queue, entry, listed, lookedAtAll } = await begin(t)
  const [silent, dropped, unheard] = [await queue(), await queue(), await queue()]
  await device.until(3)
  await device.report({ guid: silent, state: 'accepted' }, { guid: dropped, state: 'accepted' })
  await pass(DAY + HOUR)
  await lookedAtAll()
  const states = async () =>
    Promise.all([silent, dropped, unheard].map(async (guid) => (await entry(guid)).state))
  assert.deepEqual(await states(), ['uncertain', 'uncertain', 'expired'])
  await device.report(
    { guid: silent, state: 'delivered' },
    { guid: dropped, state: 'failed', code: 'cancelled' },
    { guid: unheard, state: 'sent' },
  )
  assert.deepEqual(await states(), ['delivered', 'cancelled', 'sent'])
  assert.deepEqual([(await entry(silent)).error, (await entry(unheard)).error_msg], [null, null])
  const sent = device.commands.filter(({ type }) => type === 'send').length
  await pass(DAY)
  await lookedAtAll()
  assert.equal(device.commands.filter(({ type }) => type === 'send').length, sent)
  const before = device.commands.length
  await Promise.all(Array.from({ length: 10 }, () => queue()))
  await device.until(before + 10)
  assert.equal((await listed()).queued, 0, 'the window has all its ten places again')
})

const DAYS = [
  { day: 'an ordinary day', start: '2026-06-10T08:00:00Z', midnight: '2026-06-10T22:00:00.000Z' },
  { day: 'a day of 23 hours', start: '2026-03-28T23:30:00Z', midnight: '2026-03-29T22:00:00.000Z' },
  { day: 'a day of 25 hours', start: '2026-10-24T23:30:00Z', midnight: '2026-10-25T23:00:00.000Z' },
]
for (const { day, start, midnight } of DAYS) {
  test(`at the daily limit messages wait for midnight and then continue, on ${day}`, async (t) => {
    const { clock, device, pass, queue, send, entry, given, listed, lookedAtAll, set, setLimit } =
      await begin(t, start)
    await set(3_600)
    const guids = [await queue(), await queue(), await queue()]
    await device.until(1)
    await device.report({ guid: guids[0]!, state: 'sent' })
    await setLimit(1)
    await set(0)
    const to_midnight_ms = Date.parse(midnight) - clock.now()
    const refused = await send()
    assert.deepEqual([refused.status, refused.body.code], [429, 'daily_limit'])
    assert.equal(Number(refused.headers.get('retry-after')), to_midnight_ms / 1000)
    assert.match((await entry(guids[1]!)).waiting_for!, new RegExp(`Daily limit reached.*${midnight}`))
    await pass(to_midnight_ms - 1)
    await lookedAtAll()
    assert.equal(given().length, 1)
    assert.equal((await listed()).sent_today, 1)
    await pass(1)
    await device.until(2)
    await lookedAtAll()
    assert.deepEqual(
      given(),
      guids.slice(0, 2).map((guid) => `1 ${guid}`),
    )
    assert.equal((await listed()).sent_today, 1)
    assert.equal((await send()).status, 429)
  })
}

test('parts that did not go on air yesterday are not returned to today’s limit', async (t) => {
  const { device, pass, queue, listed } = await begin(t)
  const yesterday = await queue('x'.repeat(200))
  await device.until(1)
  await device.report({ guid: yesterday, state: 'accepted' })
  assert.equal((await listed()).sent_today, 2)
  await pass(DAY - HOUR)
  assert.equal((await listed()).sent_today, 0)
  await queue()
  await device.until(2)
  await device.report({ guid: yesterday, state: 'failed', code: 'no_network' })
  assert.equal((await listed()).sent_today, 1)
})

test('a reply answers a message of the last seven days, but no older one', async (t) => {
  const { device, pass, queue, entry } = await begin(t)
  const guid = await queue()
  await device.until(1)
  await device.report({ guid, state: 'sent' })
  const reply = (id: string) => device.publish('inbox', { id, from: '+34600111222', text: id, at: AT })
  await pass(7 * DAY)
  await reply('just in time')
  await pass(1)
  await reply('too late')
  const { state, answer_3, answer_3_timestamp } = await entry(guid)
  assert.deepEqual([state, answer_3, answer_3_timestamp], ['replied', 'just in time', AT])
})

test('pacing follows the setting: a shorter pace opens the slot, a longer one closes it', async (t) => {
  const { device, pass, queue, entry, given, lookedAtAll, set } = await begin(t)
  await set(3_600)
  const guids = [await queue(), await queue(), await queue()]
  await device.until(1)
  assert.match((await entry(guids[1]!)).waiting_for!, /Pacing.*every 3600 s.*2026-06-10T09:00:00.000Z/)
  await pass(999)
  await set(1)
  await lookedAtAll()
  assert.equal(given().length, 1)
  await pass(1)
  await device.until(2)
  await set(3_600)
  await pass(HOUR - 1)
  await lookedAtAll()
  const firsts = () =>
    device.commands.filter(({ guid }, place) => device.commands.findIndex((c) => c.guid === guid) === place)
  assert.equal(firsts().length, 2)
  await pass(1)
  await lookedAtAll()
  assert.deepEqual(
    firsts().map(({ guid }) => guid),
    guids,
  )
})
