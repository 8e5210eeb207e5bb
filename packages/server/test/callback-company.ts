import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { createApiKey } from '@sdd/contract/accounts/api-keys.ts'
import * as contract from '@sdd/contract/outward/callbacks.ts'
import { createTasks, readTask } from '@sdd/contract/tasks/tasks.ts'
import { MINUTE, testClock } from './clock.ts'
import { eventually } from './device.ts'
import { type Answer, startReceiver } from './receiver.ts'
import { enter, newUser } from './seeds.ts'
import { ADMIN, call, startServer } from './server.ts'

/**
 * A server with a stopped clock, a receiver (the only allowed host if `listed_only`), and a company with an API key.
 */
export async function openCompany(
  t: TestContext,
  { allowed = 'any', listed_only, answer }: { allowed?: string; listed_only?: true; answer?: Answer } = {},
) {
  const receiver = await startReceiver(answer)
  t.after(() => receiver.stop())
  const clock = testClock(new Date().toISOString())
  const CALLBACK_HOSTS = listed_only ? new URL(receiver.url).host : ''
  const server = await startServer({ clock, settings: { CALLBACK_ADDRESSES: allowed, CALLBACK_HOSTS } })
  t.after(() => server.stop())
  const superadmin = (await enter(server, ADMIN.username, ADMIN.password)).token
  const admin = await newUser(server, superadmin, { role: 'admin', companyId: 2 })
  let { token } = admin
  const { key, webhook_secret } = (await call(server, createApiKey, { token, body: { name: 'shop' } })).body
  const listed = async (query: Record<string, string> = {}, as = token) =>
    (await call(server, contract.listCallbacks, { token: as, query })).body
  return {
    clock,
    server,
    receiver,
    superadmin,
    token,
    webhook_secret,
    listed,

    submitTasks: (body: Record<string, unknown>, as = key) => call(server, createTasks, { token: as, body }),

    /** Advances the clock; this outlasts the session. */
    async later(ms: number) {
      clock.advance(ms)
      token = (await enter(server, admin.name)).token
    },

    /** Submits tasks that no device takes, and lets them expire. */
    async expire(guids: string[], more: Record<string, unknown> = {}, as = key) {
      const expires_at = new Date(clock.now() + MINUTE).toISOString()
      for (const guid of guids) {
        const body = { guid, to_number: '600111222', text: 'hola', expires_at, ...more }
        assert.equal((await call(server, createTasks, { token: as, body })).status, 202)
      }
      clock.advance(MINUTE)
      for (const guid of guids)
        await eventually(async () => {
          const { body } = await call(server, readTask, { token: as, params: { guid } })
          return body.state === 'expired'
        })
    },

    create: (body: Record<string, unknown>, as = token) =>
      call(server, contract.createWebhook, { token: as, body }),
    remove: (id: number) => call(server, contract.deleteWebhook, { token, params: { id } }),
    webhooks: async () => (await call(server, contract.listWebhooks, { token })).body.webhooks,
    repeat: (id: number) => call(server, contract.repeatCallback, { token, params: { id } }),

    /** The callbacks, newest first, once this many have reached the state. */
    until: (state: contract.CallbackState, count = 1) =>
      eventually(async () => {
        const { callbacks } = await listed({ state })
        return callbacks.length >= count && callbacks
      }),
  }
}
