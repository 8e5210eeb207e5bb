import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { createApiKey } from '@sdd/contract/accounts/api-keys.ts'
import * as devices from '@sdd/contract/fleet/devices.ts'
import * as messages from '@sdd/contract/messages/messages.ts'
import { listLogs, readMessage } from '@sdd/contract/insight/log.ts'
import * as settings from '@sdd/contract/accounts/settings.ts'
import { saveDeviceLimit } from '@sdd/contract/fleet/limits.ts'
import {
  createTasks,
  discardTask,
  readTask,
  type TaskReceipt,
  type TaskResults,
} from '@sdd/contract/tasks/tasks.ts'
import { HOUR, testClock } from './clock.ts'
import { connectDevice, eventually, linkTestDevice, type TestDevice } from './device.ts'
import { enter, newUser } from './seeds.ts'
import { ADMIN, call, startServer } from './server.ts'

export type Written = Record<string, unknown>

/** A separate server with a stopped clock, a company, an API key for submitting tasks, and helpers for the tests. */
export async function startFleet(t: TestContext, start = '2026-06-10T08:00:00Z') {
  const clock = testClock(start)
  const server = await startServer({ clock })
  t.after(() => server.stop())
  const superadmin = (await enter(server, ADMIN.username, ADMIN.password)).token
  const { token } = await newUser(server, superadmin, { role: 'admin', companyId: 2 })
  const { key } = (await call(server, createApiKey, { token, body: { name: 'shop' } })).body
  const marker = await connectDevice(await linkTestDevice(server, superadmin, 'marker'))
  let count = 0

  const send = (uid: string, as = token) =>
    call(server, messages.sendSms, {
      token: as,
      body: { device_uid: uid, telefono_to: '+34600999000', mensaje_sms: 'from the console' },
    })

  return {
    clock,
    server,
    token,
    superadmin,
    key,
    send,
    /** Submits a task and returns its guid. */
    async hand(task: Written = {}): Promise<string> {
      const body = { to_number: `+3461${String(++count).padStart(7, '0')}`, text: 'hola', ...task }
      const answer = await call(server, createTasks, { token: key, body })
      assert.equal(answer.status, 202, JSON.stringify(answer.body))
      return (answer.body as TaskReceipt).guid
    },
    async handAll(tasks: Written[]): Promise<string[]> {
      const body = { tasks: tasks.map((task) => ({ to_number: '+34600111222', text: 'hola', ...task })) }
      const answer = await call(server, createTasks, { token: key, body })
      assert.equal(answer.status, 202, JSON.stringify(answer.body))
      return (answer.body as TaskResults).results.map(({ guid }) => guid!)
    },
    read: async (guid: string) => (await call(server, readTask, { token: key, params: { guid } })).body,
    discard: (guid: string) => call(server, discardTask, { token: key, params: { guid } }),
    async entry(guid: string) {
      const { body } = await call(server, listLogs, { token, query: { search: guid } })
      return body.logs.find((entry) => entry.guid === guid)!
    },
    record: async (guid: string) => (await call(server, readMessage, { token, params: { guid } })).body,
    /** Links and connects a device, with SIMs of these numbers. */
    async join(uid: string, ...numbers: string[]): Promise<TestDevice & { linked: devices.LinkedDevice }> {
      const linked = await linkTestDevice(server, token, uid)
      const device = await connectDevice(linked)
      if (numbers.length > 0) {
        const sims = numbers.map((phone_number) => ({ phone_number }))
        await device.publish('networks', { wifi: null, mobile: { sims } })
      }
      return Object.assign(device, { linked })
    },
    async device(uid: string) {
      const { body } = await call(server, devices.listDevices, { token })
      return body.devices.find((device) => device.uid === uid)!
    },
    setEnabled: (uid: string, enabled: boolean) =>
      call(server, enabled ? devices.enableDevice : devices.disableDevice, { token, params: { uid } }),
    unlink: (uid: string) => call(server, devices.unlinkDevice, { token, params: { uid } }),
    setLimit: (uid: string, max_sms_dayly: number) =>
      call(server, saveDeviceLimit, { token, body: { uid, max_sms_dayly } }),
    set: (spoof_time_secs: number, send_enabled = true) =>
      call(server, settings.saveGlobalSettings, { token, body: { spoof_time_secs, send_enabled } }),
    /** Advances the clock step by step, using the session on the way because it expires when unused. */
    async pass(ms: number) {
      for (let left = ms; left > 0; left -= 11 * HOUR) {
        clock.advance(Math.min(left, 11 * HOUR))
        for (const session of [token, superadmin])
          assert.equal((await call(server, devices.listDevices, { token: session })).status, 200)
      }
    },
    /** Resolves when the dispatcher has checked everything at the present time. */
    async lookedAtAll() {
      // The round that hands over the marker's message may have begun earlier; the second one after it has not.
      for (let round = 0; round < 3; round++) {
        const given = marker.commands.length
        assert.equal((await send('marker', superadmin)).status, 200)
        const { guid } = (await marker.until(given + 1)).at(-1)!
        await marker.report({ guid, state: 'sent' })
      }
    },
    eventually,
  }
}

/** The guids of the messages that a device was told to send, each once. */
export function givenTo(device: TestDevice): string[] {
  return [...new Set(device.commands.filter(({ type }) => type === 'send').map(({ guid }) => guid))]
}
