import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import * as devices from '@sdd/contract/fleet/devices.ts'
import * as messages from '@sdd/contract/messages/messages.ts'
import { listLogs } from '@sdd/contract/insight/log.ts'
import * as settings from '@sdd/contract/accounts/settings.ts'
import * as tasks from '@sdd/contract/tasks/tasks.ts'
import { connectBrowser } from './browser.ts'
import { HOUR, MINUTE, testClock } from './clock.ts'
import { connectDevice, eventually, linkTestDevice } from './device.ts'
import { enter, newUser } from './seeds.ts'
import { ADMIN, call, startServer } from './server.ts'

/** A separate server with a stopped clock, a company with one device, and its switch. */
async function begin(t: TestContext, folder?: string) {
  const clock = testClock('2026-06-10T08:00:00Z')
  const server = await startServer({ clock, ...(folder !== undefined && { folder }) })
  t.after(() => server.stop())
  const superadmin = (await enter(server, ADMIN.username, ADMIN.password)).token
  const { token } = await newUser(server, superadmin, { role: 'admin', companyId: 2 })
  const linked = await linkTestDevice(server, token, 'drone')
  const device = await connectDevice(linked)
  const marker = await connectDevice(await linkTestDevice(server, superadmin, 'marker'))
  const own = async () => (await call(server, settings.readGlobalSettings, { token })).body.settings[0]!

  async function send(telefono_to = '+34600111222') {
    const body = { device_uid: device.uid, telefono_to, mensaje_sms: 'hola' }
    return call(server, messages.sendSms, { token, body })
  }

  return {
    clock,
    server,
    superadmin,
    token,
    linked,
    device,
    send,
    async queue(): Promise<string> {
      const { status, body } = await send()
      assert.equal(status, 200, JSON.stringify(body))
      return body.guid
    },
    async turn(send_enabled: boolean, spoof_time_secs = 0) {
      const body = { send_enabled, spoof_time_secs }
      const saved = await call(server, settings.saveGlobalSettings, { token, body })
      assert.equal(saved.status, 200)
      return saved.body
    },
    /** Resolves when the dispatcher has checked everything at the present time; see time.test.ts. */
    async lookedAtAll() {
      for (let round = 0; round < 2; round++) {
        const body = { device_uid: marker.uid, telefono_to: '+34600111222', mensaje_sms: 'hola' }
        assert.equal((await call(server, messages.sendSms, { token: superadmin, body })).status, 200)
        const { guid } = (await marker.until(marker.commands.length + 1)).at(-1)!
        await marker.report({ guid, state: 'sent' })
      }
    },
    held: async () => (await own()).held,
    async states(guids: readonly string[]) {
      const { body } = await call(server, listLogs, { token })
      const byGuid = new Map(body.logs.map(({ guid, state }) => [guid, state]))
      return guids.map((guid) => byGuid.get(guid))
    },
  }
}

test('with sending off, the messages on devices count down to zero, and no more are handed over', async (t) => {
  const { device, queue, send, turn, held, states } = await begin(t)
  const guids = []
  for (let n = 0; n < 12; n++) guids.push(await queue())
  await device.until(10)
  await device.report(...guids.slice(0, 10).map((guid) => ({ guid, state: 'accepted' as const })))
  assert.equal((await turn(false)).held, 10)
  const refused = await send()
  assert.deepEqual([refused.status, refused.body.code], [409, 'sending_disabled'])
  for (const [place, guid] of guids.slice(0, 10).entries()) {
    await device.report({ guid, state: 'sent' })
    assert.equal(await held(), 9 - place)
  }
  assert.equal(device.commands.length, 10)
  assert.deepEqual(await states(guids.slice(10)), ['queued', 'queued'])
  await turn(true)
  await device.until(12)
  assert.deepEqual(
    device.commands.map(({ guid }) => guid),
    guids,
  )
  assert.equal(await held(), 2, 'once on, it continues where it stopped')
})

test('with sending off, a command without an answer is not repeated, not even after a reconnect', async (t) => {
  const { clock, device, linked, queue, turn, held, lookedAtAll } = await begin(t)
  const guid = await queue()
  await device.until(1)
  await turn(false)
  clock.advance(5 * MINUTE)
  await lookedAtAll()
  await device.stop()
  const back = await connectDevice(linked)
  clock.advance(5 * MINUTE)
  await lookedAtAll()
  assert.deepEqual([device.commands.length, back.commands.length, await held()], [1, 0, 1])
  await turn(true)
  const [again] = await back.until(1)
  assert.deepEqual([again!.guid, again!.attempt, await held()], [guid, 1, 1])
})

test('with sending off, tasks are accepted and wait, none is handed over, and each says why', async (t) => {
  const { clock, server, device, token, turn, held, lookedAtAll } = await begin(t)
  const submitTasks = (...guids: string[]) => {
    const body = { tasks: guids.map((guid) => ({ guid, to_number: `+3460011${guid}`, text: 'hola' })) }
    return call(server, tasks.createTasks, { token, body })
  }
  const task = async (guid: string) => (await call(server, tasks.readTask, { token, params: { guid } })).body
  await submitTasks('2201')
  await device.until(1)
  await device.report({ guid: '2201', state: 'accepted' })
  await turn(false)
  assert.equal((await submitTasks('2202', '2203')).status, 202)
  clock.advance(HOUR)
  await lookedAtAll()
  assert.deepEqual([device.commands.length, await held()], [1, 1])
  assert.match(
    (await task('2202')).waiting_for!,
    /^Sending has been switched off in Settings since 2026-06-10T08/,
  )
  await device.report({ guid: '2201', state: 'failed', code: 'no_network' })
  assert.equal(await held(), 0)
  clock.advance(MINUTE)
  await lookedAtAll()
  assert.equal(device.commands.length, 1, 'a temporary failure is not retried either')
  await turn(true)
  await device.until(4)
  assert.deepEqual(new Set(device.commands.map(({ guid }) => guid)), new Set(['2201', '2202', '2203']))
})

test('with sending off, the company’s browsers hear each time a device has fewer messages', async (t) => {
  const { server, device, queue, turn, token } = await begin(t)
  const guids = [await queue(), await queue(), await queue()]
  await device.until(3)
  const browser = await connectBrowser(server, token)
  t.after(() => browser.stop())
  const heard = (list: string) => browser.changes.some(({ changed }) => changed.includes(list))

  await device.report({ guid: guids[0]!, state: 'accepted' })
  await eventually(() => heard('logs'))
  browser.changes.length = 0
  await device.report({ guid: guids[0]!, state: 'sent' })
  await eventually(() => heard('logs'))
  await device.report({ guid: guids[1]!, state: 'accepted' })
  await eventually(() => browser.changes.filter(({ changed }) => changed.includes('logs')).length > 1)
  assert.ok(!heard('settings'), 'with sending on, no browser is told')

  await turn(false)
  await eventually(() => heard('settings'))
  browser.changes.length = 0
  await device.report({ guid: guids[1]!, state: 'sent' })
  await eventually(() => heard('settings'))
  browser.changes.length = 0
  await device.report({ guid: guids[2]!, state: 'accepted' })
  await eventually(() => heard('logs'))
  assert.ok(!heard('settings'), 'the device has as many messages as before')
})

test('after a restart, browsers still hear how many messages devices have while sending is off', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sdd-switch-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const { clock, server, device, linked, queue, turn } = await begin(t, folder)
  const guid = await queue()
  await device.until(1)
  await device.report({ guid, state: 'accepted' })
  await turn(false)
  await server.stop()

  const next = await startServer({ clock, folder })
  t.after(() => next.stop())
  const { token } = await enter(next, ADMIN.username, ADMIN.password)
  const browser = await connectBrowser(next, token)
  t.after(() => browser.stop())
  const back = await connectDevice({ ...linked, mqtt_url: next.mqtt_url })
  assert.ok(browser.changes.every(({ changed }) => !changed.includes('settings')))
  await back.report({ guid, state: 'sent' })
  await eventually(() => browser.changes.some(({ changed }) => changed.includes('settings')))
})

test('a message that a device accepted and never finished leaves the count as uncertain, and browsers hear of it', async (t) => {
  const { clock, server, superadmin, device, queue, turn, held, states } = await begin(t)
  const guid = await queue()
  await device.until(1)
  await device.report({ guid, state: 'accepted' })
  const browser = await connectBrowser(server, superadmin)
  t.after(() => browser.stop())
  const heard = () => browser.changes.some(({ changed }) => changed.includes('settings'))
  await turn(false)
  await eventually(heard)
  browser.changes.length = 0
  for (let hours = 0; hours < 25; hours += 5) {
    assert.equal(await held(), 1)
    assert.equal((await call(server, devices.listDevices, { token: superadmin })).status, 200)
    clock.advance(5 * HOUR)
  }
  await eventually(heard)
  assert.equal(await held(), 0)
  assert.deepEqual(await states([guid]), ['uncertain'])
})
