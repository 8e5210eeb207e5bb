import type { TestContext } from 'node:test'
import { type CreatedApiKey, createApiKey } from '@sdd/contract/accounts/api-keys.ts'
import * as contract from '@sdd/contract/outward/callbacks.ts'
import { listTasks, readTask } from '@sdd/contract/tasks/tasks.ts'
import { testClock } from './clock.ts'
import { connectDevice, eventually, linkTestDevice } from './device.ts'
import { type Answer, startReceiver } from './receiver.ts'
import { enter, newUser } from './seeds.ts'
import { ADMIN, call, startServer } from './server.ts'

/** A server with open doors and a stopped clock, another system that hears of messages, and a company with a key. */
export async function openDoorCompany(
  t: TestContext,
  settings: Record<string, string>,
  { answer, allowed = 'any' }: { answer?: Answer; allowed?: string } = {},
) {
  const receiver = await startReceiver(answer)
  t.after(() => receiver.stop())
  const clock = testClock('2026-06-10T08:00:00Z')
  const server = await startServer({ clock, settings: { CALLBACK_ADDRESSES: allowed, ...settings } })
  t.after(() => server.stop())
  const superadmin = (await enter(server, ADMIN.username, ADMIN.password)).token
  const { token } = await newUser(server, superadmin, { role: 'admin', companyId: 2 })
  const createKey = async (body: Record<string, unknown> = {}): Promise<CreatedApiKey> =>
    (await call(server, createApiKey, { token, body: { name: 'shop', ...body } })).body
  const key = await createKey({ may: ['tasks:write', 'tasks:read', 'inbox:read'] })

  return {
    clock,
    server,
    receiver,
    superadmin,
    token,
    key,
    createKey,
    createWebhook: (body: Record<string, unknown>) => call(server, contract.createWebhook, { token, body }),
    tasks: async () => (await call(server, listTasks, { token: key.key })).body.tasks,
    task: async (guid: string) => (await call(server, readTask, { token: key.key, params: { guid } })).body,
    callbacks: async () => (await call(server, contract.listCallbacks, { token })).body.callbacks,
    /** Links and connects a device, with SIMs of these numbers. */
    async join(uid: string, ...numbers: string[]) {
      const device = await connectDevice(await linkTestDevice(server, token, uid))
      const sims = numbers.map((phone_number) => ({ phone_number }))
      await device.publish('networks', { wifi: null, mobile: { sims } })
      return device
    },
    /** What the other system has received, once it is this many. */
    heard: (count: number) => eventually(() => receiver.received.length >= count && receiver.received),
  }
}
